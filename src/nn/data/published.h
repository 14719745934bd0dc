// Files that data sets are published as: from the cache, else from the net with their checksums.
// What is in them: mnist.h, cifar10.h.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tg::nn {

/// The name and SHA-256 of a published file.
struct PublishedFile {
  std::string name;
  std::string sha256;
};

/// Where to look for a data set, and whether to download it.
struct PublishedSearch {
  bool allow_download = true;
  /// Base addresses that end in a slash, tried in order.
  std::vector<std::string> mirrors;
  /// Called during a download: file name, bytes received, bytes in all (0 while unknown).
  std::function<void(std::string_view file, uint64_t received, uint64_t total)> on_progress;
  bool use_proxy = true;
  uint64_t max_bytes = uint64_t{64} << 20;       ///< of a file, as it is downloaded
  std::string_view fetcher = "fetch_published";  ///< what messages call the download
};

/// Downloads `file` from the first mirror that has it with the right checksum. Throws FileError
/// with every mirror's reason.
std::string fetch_published(const PublishedFile& file, const PublishedSearch& search);

/// The bytes of a published file from the folder `cache`, where they fit their checksum, else from
/// the net and then into the cache. Throws FileError, with `function` where downloads are off.
std::string cached_or_fetched(std::string_view function, const PublishedFile& file,
                              const std::optional<std::filesystem::path>& cache,
                              const PublishedSearch& search);

}  // namespace tg::nn

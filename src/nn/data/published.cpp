// See published.h.
#include "nn/data/published.h"

#include "nn/data/download.h"
#include "support/check.h"
#include "support/file.h"
#include "support/sha256.h"
#include "support/text.h"

namespace tg::nn {

std::string fetch_published(const PublishedFile& file, const PublishedSearch& search) {
  std::vector<std::string> reasons;
  for (const std::string& mirror : search.mirrors) {
    DownloadOptions options{.max_bytes = search.max_bytes, .use_proxy = search.use_proxy};
    if (search.on_progress)
      options.on_progress = [&](uint64_t received, uint64_t total) {
        search.on_progress(file.name, received, total);
      };
    try {
      return download_checked(mirror + file.name, file.sha256, options);
    } catch (const FileError& e) {
      reasons.emplace_back(e.what());
    }
  }
  if (reasons.empty()) reasons.emplace_back("there are no mirrors");
  user_error<FileError>(search.fetcher, fmt::format("no mirror gave {}", file.name),
                        join(reasons, " "));
}

std::string cached_or_fetched(std::string_view function, const PublishedFile& file,
                              const std::optional<std::filesystem::path>& cache,
                              const PublishedSearch& search) {
  const std::filesystem::path path = cache ? *cache / file.name : std::filesystem::path();
  if (cache) {
    std::optional<std::string> bytes = try_read_file(path);
    if (bytes && sha256_hex(*bytes) == file.sha256) return std::move(*bytes);
  }
  if (!search.allow_download)
    user_error<FileError>(function,
                          fmt::format("{} is not in the cache, and downloads are off", file.name));
  std::string bytes = fetch_published(file, search);
  if (cache) try_write_file(path, bytes);
  return bytes;
}

}  // namespace tg::nn

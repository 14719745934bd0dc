// One file over http or https into memory, through whatever libcurl the machine has: it is opened
// at run time, so the library builds and runs without it. Knows nothing of what it fetches; who
// trusts a download compares its SHA-256 first.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace tg::nn {

struct DownloadOptions {
  uint64_t max_bytes = uint64_t{1} << 30;
  int connect_timeout_ms = 10'000;
  int stall_timeout_s = 20;  ///< give up after so many seconds with less than 100 bytes a second
  int total_timeout_ms = 0;  ///< 0: none
  bool use_proxy = true;     ///< as the environment says (https_proxy and so on, read by libcurl)
  /// Called a few times a second with the bytes received and the bytes in all (0 while unknown).
  std::function<void(uint64_t received, uint64_t total)> on_progress;
};

/// True if a libcurl can be opened.
bool can_download();

/// The body of `url`. Follows redirects, verifies certificates, speaks http and https only. Throws
/// FileError naming URL and reason (no libcurl, no connection, a status of 400 or more, a body that
/// ends early, too large, too slow), CancelledError after Ctrl-C.
std::string download(const std::string& url, const DownloadOptions& options = {});

/// download(), checked: throws FileError showing both digests if the body's SHA-256 is not
/// `sha256`.
std::string download_checked(const std::string& url, const std::string& sha256,
                             const DownloadOptions& options = {});

}  // namespace tg::nn

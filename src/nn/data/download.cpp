// libcurl's easy interface through own declarations of the dozen names in use; the numbers are
// those of curl/curl.h, which libcurl promises never to change.
#include "nn/data/download.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>

#include "support/check.h"
#include "support/dynamic_library.h"
#include "support/interrupt.h"
#include "support/sha256.h"

namespace tg::nn {

namespace {

enum CurlOption : int {
  kWriteData = 10001,
  kUrl = 10002,
  kErrorBuffer = 10010,
  kUserAgent = 10018,
  kLowSpeedLimit = 19,
  kLowSpeedTime = 20,
  kNoProgress = 43,
  kFollowLocation = 52,
  kProgressData = 10057,
  kMaxRedirects = 68,
  kNoSignal = 99,
  kTimeoutMs = 155,
  kConnectTimeoutMs = 156,
  kNoProxy = 10177,
  kProtocols = 181,
  kRedirectProtocols = 182,
  kWriteFunction = 20011,
  kProgressFunction = 20219,
};
constexpr int kResponseCode = 0x200002;
constexpr long kHttp = 1, kHttps = 2;
constexpr long kGlobalAll = 3;
constexpr size_t kErrorSize = 256;

using WriteFunction = size_t(const char* data, size_t size, size_t count, void* transfer);
using ProgressFunction = int(void* transfer, int64_t total, int64_t received, int64_t, int64_t);

// The functions of an opened libcurl.
struct Curl {
  DynamicLibrary library;
  void* (*init)() = nullptr;
  int (*set)(void* handle, int option, ...) = nullptr;
  int (*perform)(void* handle) = nullptr;
  int (*info)(void* handle, int what, ...) = nullptr;
  void (*cleanup)(void* handle) = nullptr;
  const char* (*text)(int code) = nullptr;
};

constexpr std::array<std::string_view, 7> kLibraries = {
    "libcurl.so.4",    "libcurl-gnutls.so.4", "libcurl-nss.so.4", "libcurl.so",
    "libcurl.4.dylib", "libcurl-4.dll",       "libcurl.dll"};

// Fills in the functions; throws DeviceError if one is missing.
void bind(Curl& curl) {
  const DynamicLibrary& lib = curl.library;
  curl.init = lib.function<void*()>("curl_easy_init");
  curl.set = lib.function<int(void*, int, ...)>("curl_easy_setopt");
  curl.perform = lib.function<int(void*)>("curl_easy_perform");
  curl.info = lib.function<int(void*, int, ...)>("curl_easy_getinfo");
  curl.cleanup = lib.function<void(void*)>("curl_easy_cleanup");
  curl.text = lib.function<const char*(int)>("curl_easy_strerror");
}

// Empty if there is none, if it is another library of that name, or if it does not start.
std::unique_ptr<const Curl> open_curl(std::span<const std::string_view> names) {
  auto curl = std::make_unique<Curl>();
  curl->library = DynamicLibrary::find(names);
  if (!curl->library) return nullptr;
  try {
    bind(*curl);
    const bool started = curl->library.function<int(long)>("curl_global_init")(kGlobalAll) == 0;
    return started ? std::move(curl) : nullptr;
  } catch (const DeviceError&) {
    return nullptr;
  }
}

// The opened library of each list of names; null where there is none. Kept until the process ends,
// under a lock: libcurl and the TLS libraries below it cannot be unloaded cleanly, and other
// threads may be downloading when static objects die.
const Curl* curl_of(std::span<const std::string_view> names) {
  static std::mutex mutex;
  static auto& opened = *new std::map<std::string, std::unique_ptr<const Curl>>;
  const std::string key = fmt::format("{}", fmt::join(names, " "));
  const std::lock_guard lock(mutex);
  const auto [entry, is_new] = opened.try_emplace(key);
  if (is_new) entry->second = open_curl(names);
  return entry->second.get();
}

[[noreturn]] void fail_download(const std::string& url, std::string_view problem,
                                std::string_view hint = {}) {
  user_error<FileError>("download", fmt::format("\"{}\" {}", url, problem), hint);
}

// One download: what libcurl's callbacks see. No exception may pass through C, so they are kept and
// thrown after it.
class Transfer {
 public:
  Transfer(const Curl& curl, const std::string& url, const DownloadOptions& options)
      : curl_(curl), url_(url), options_(options), handle_(curl.init(), curl.cleanup) {
    if (!handle_) fail_download(url, "cannot be fetched: libcurl does not start");
    configure();
  }

  std::string run() {
    const int code = curl_.perform(handle_.get());
    if (thrown_) std::rethrow_exception(thrown_);
    if (too_large_) fail_download(url_, fmt::format("is larger than {} bytes", options_.max_bytes));
    if (code != 0) fail_download(url_, fmt::format("cannot be fetched: {}", reason(code)));
    long status = 0;
    curl_.info(handle_.get(), kResponseCode, &status);
    if (status >= 400)
      fail_download(url_,
                    fmt::format("cannot be fetched: the server answered with status {}", status));
    return std::move(body_);
  }

 private:
  template <typename T>
  void set(int option, T value) {
    const int code = curl_.set(handle_.get(), option, value);
    if (code != 0) fail_download(url_, fmt::format("cannot be fetched: {}", curl_.text(code)));
  }

  void configure() {
    set(kUrl, url_.c_str());
    set(kErrorBuffer, error_.data());
    set(kUserAgent, "tinygrad.cpp");
    set(kNoSignal, 1L);
    set(kFollowLocation, 1L);
    set(kMaxRedirects, 8L);
    set(kProtocols, kHttp | kHttps);
    set(kRedirectProtocols, kHttp | kHttps);
    set(kConnectTimeoutMs, long{options_.connect_timeout_ms});
    set(kTimeoutMs, long{options_.total_timeout_ms});
    set(kLowSpeedLimit, 100L);
    set(kLowSpeedTime, long{options_.stall_timeout_s});
    if (!options_.use_proxy) set(kNoProxy, "*");
    set(kWriteFunction, static_cast<WriteFunction*>(&Transfer::on_data));
    set(kWriteData, static_cast<void*>(this));
    set(kProgressFunction, static_cast<ProgressFunction*>(&Transfer::on_progress));
    set(kProgressData, static_cast<void*>(this));
    set(kNoProgress, 0L);
  }

  std::string_view reason(int code) const {
    return error_[0] != '\0' ? error_.data() : curl_.text(code);
  }

  static size_t on_data(const char* data, size_t size, size_t count, void* self) {
    auto& t = *static_cast<Transfer*>(self);
    const size_t bytes = size * count;
    t.too_large_ = bytes > t.options_.max_bytes - t.body_.size();
    if (t.too_large_) return bytes + 1;  // anything else than `bytes` stops the transfer
    try {
      t.body_.append(data, bytes);
      return bytes;
    } catch (...) {
      t.thrown_ = std::current_exception();
      return bytes + 1;
    }
  }

  static int on_progress(void* self, int64_t total, int64_t received, int64_t, int64_t) {
    auto& t = *static_cast<Transfer*>(self);
    try {
      check_interrupt("download");
      if (t.options_.on_progress)
        t.options_.on_progress(static_cast<uint64_t>(received), static_cast<uint64_t>(total));
      return 0;
    } catch (...) {
      t.thrown_ = std::current_exception();
      return 1;
    }
  }

  const Curl& curl_;
  const std::string& url_;
  const DownloadOptions& options_;
  std::unique_ptr<void, void (*)(void*)> handle_;
  std::array<char, kErrorSize> error_{};
  std::string body_;
  std::exception_ptr thrown_;
  bool too_large_ = false;
};

std::string download_with(const Curl* curl, const std::string& url,
                          const DownloadOptions& options) {
  if (curl == nullptr)
    fail_download(url, "cannot be fetched: there is no libcurl on this machine",
                  "Hint: install it (Debian, Ubuntu: apt install libcurl4).");
  return Transfer(*curl, url, options).run();
}

}  // namespace

bool can_download() { return curl_of(kLibraries) != nullptr; }

std::string download(const std::string& url, const DownloadOptions& options) {
  return download_with(curl_of(kLibraries), url, options);
}

std::string download_through(std::span<const std::string_view> libraries, const std::string& url,
                             const DownloadOptions& options) {
  return download_with(curl_of(libraries), url, options);
}

std::string download_checked(const std::string& url, const std::string& sha256,
                             const DownloadOptions& options) {
  std::string bytes = download(url, options);
  const std::string digest = sha256_hex(bytes);
  if (digest != sha256)
    fail_download(url, fmt::format("has the wrong SHA-256: {} of {} bytes, expected {}", digest,
                                   bytes.size(), sha256));
  return bytes;
}

}  // namespace tg::nn

// libcurl's easy interface through own declarations of the dozen names in use; the numbers are
// those of curl/curl.h, which libcurl promises never to change.
#include "nn/data/download.h"

#include <fmt/format.h>

#include <array>
#include <exception>
#include <memory>
#include <string_view>

#include "nn/data/sha256.h"
#include "support/check.h"
#include "support/dynamic_library.h"
#include "support/interrupt.h"

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

std::unique_ptr<const Curl> open_curl() {
  constexpr std::array<std::string_view, 5> kNames = {
      "libcurl.so.4", "libcurl-gnutls.so.4", "libcurl-nss.so.4", "libcurl.so", "libcurl.4.dylib"};
  auto curl = std::make_unique<Curl>();
  curl->library = DynamicLibrary::find(kNames);
  if (!curl->library) return nullptr;
  curl->init = curl->library.function<void*()>("curl_easy_init");
  curl->set = curl->library.function<int(void*, int, ...)>("curl_easy_setopt");
  curl->perform = curl->library.function<int(void*)>("curl_easy_perform");
  curl->info = curl->library.function<int(void*, int, ...)>("curl_easy_getinfo");
  curl->cleanup = curl->library.function<void(void*)>("curl_easy_cleanup");
  curl->text = curl->library.function<const char*(int)>("curl_easy_strerror");
  if (curl->library.function<int(long)>("curl_global_init")(kGlobalAll) != 0) return nullptr;
  return curl;
}

// Opened once and kept until the process ends: libcurl's global state cannot be started twice
// safely. Never destroyed, because other threads may still be downloading when static objects die.
const Curl* curl_or_null() {
  static const Curl* const curl = open_curl().release();
  return curl;
}

[[noreturn]] void fail(const std::string& url, std::string_view problem,
                       std::string_view hint = {}) {
  user_error<FileError>("download", fmt::format("\"{}\" {}", url, problem), hint);
}

// One download: what libcurl's callbacks see. No exception may pass through C, so they are kept and
// thrown after it.
class Transfer {
 public:
  Transfer(const Curl& curl, const std::string& url, const DownloadOptions& options)
      : curl_(curl), url_(url), options_(options), handle_(curl.init(), curl.cleanup) {
    if (!handle_) fail(url, "cannot be fetched: libcurl does not start");
    configure();
  }

  std::string run() {
    const int code = curl_.perform(handle_.get());
    if (thrown_) std::rethrow_exception(thrown_);
    if (too_large_) fail(url_, fmt::format("is larger than {} bytes", options_.max_bytes));
    if (code != 0) fail(url_, fmt::format("cannot be fetched: {}", reason(code)));
    long status = 0;
    curl_.info(handle_.get(), kResponseCode, &status);
    if (status >= 400)
      fail(url_, fmt::format("cannot be fetched: the server answered with status {}", status));
    return std::move(body_);
  }

 private:
  template <typename T>
  void set(int option, T value) {
    const int code = curl_.set(handle_.get(), option, value);
    if (code != 0) fail(url_, fmt::format("cannot be fetched: {}", curl_.text(code)));
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

}  // namespace

bool can_download() { return curl_or_null() != nullptr; }

std::string download(const std::string& url, const DownloadOptions& options) {
  const Curl* curl = curl_or_null();
  if (curl == nullptr)
    fail(url, "cannot be fetched: there is no libcurl on this machine",
         "Hint: install it (Debian, Ubuntu: apt install libcurl4).");
  return Transfer(*curl, url, options).run();
}

std::string download_checked(const std::string& url, const std::string& sha256,
                             const DownloadOptions& options) {
  std::string bytes = download(url, options);
  const std::string digest = sha256_hex(bytes);
  if (digest != sha256)
    fail(url, fmt::format("has the wrong SHA-256: {} of {} bytes, expected {}", digest,
                          bytes.size(), sha256));
  return bytes;
}

}  // namespace tg::nn

// The border between C and C++: no exception passes it, every failure becomes a status and a
// message of the thread. The only place that catches everything.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "support/check.h"
#include "support/forks.h"
#include "tg/c/tg.h"

namespace tg::capi {

/// Thrown where a callback failed: carries its status and message through the library.
class CallbackError : public Error {
 public:
  CallbackError(tg_status status, const std::string& message) : Error(message), status(status) {}
  tg_status status;
};

/// The status of the exception that is being handled; its message becomes the thread's.
tg_status fail_with_current_exception() noexcept;
/// How often calls of this thread have failed.
uint64_t failures();

/// Runs the body of a call.
template <typename F>
tg_status guarded(F&& body) noexcept {
  const InsideLibrary here;  // a child that is forked meanwhile must not wait for what this holds
  try {
    check_not_stranded("realize");
    body();
    return TG_OK;
  } catch (...) {
    return fail_with_current_exception();
  }
}

/// Runs a callback; throws CallbackError with what it said through tg_fail or a failing call.
template <typename F>
void run_callback(std::string_view function, F&& callback) {
  const uint64_t before = failures();
  const tg_status status = callback();
  if (status == TG_OK) return;
  const bool known = status > TG_OK && status <= TG_ERROR_CALLBACK;
  if (known && failures() != before) throw CallbackError(status, tg_error_message());
  throw CallbackError(TG_ERROR_CALLBACK,
                      fmt::format("{}: the callback failed with status {} and said nothing. Hint: "
                                  "return tg_fail(status, message).",
                                  function, static_cast<int>(status)));
}

/// What a caller has lent: calls its release callback once, when nobody needs it any more.
class Lender {
 public:
  Lender(tg_free_callback release, void* user) : release_(release), user_(user) {}
  ~Lender() {
    if (release_ != nullptr) release_(user_);
  }
  Lender(const Lender&) = delete;
  Lender& operator=(const Lender&) = delete;

 private:
  tg_free_callback release_;
  void* user_;
};

/// ArgumentError unless a pointer that must be given is.
template <typename T>
T* given(T* pointer, std::string_view function, std::string_view name) {
  if (pointer == nullptr)
    user_error<ArgumentError>(function, fmt::format("{} must not be null", name));
  return pointer;
}
/// Writes as much of `from` as the caller's structure has room for; it begins with its size.
template <typename T>
void fill(T* to, T from, const char* function) {
  given(to, function, "the structure");
  const size_t size = to->struct_size;
  if (size < sizeof(size_t) || size > (size_t{1} << 16))
    user_error<ArgumentError>(function, fmt::format("struct_size is {}", size),
                              "Hint: set it to sizeof the structure.");
  from.struct_size = size;
  std::memcpy(to, &from, std::min(size, sizeof(T)));
}

/// The text, null as an empty one.
inline std::string text_or_empty(const char* text) { return text == nullptr ? "" : text; }

}  // namespace tg::capi

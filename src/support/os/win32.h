// What the sources for Windows share: its header with narrow manners, texts there and back,
// reasons.
#pragma once

#define WIN32_LEAN_AND_MEAN
#if !defined(NOMINMAX)
#define NOMINMAX
#endif
#include <windows.h>

#include <string>
#include <string_view>

namespace tg::os {

/// UTF-8 to UTF-16 and back; what is malformed becomes the replacement character.
std::wstring wide(std::string_view text);
std::string narrow(std::wstring_view text);
/// The system's words for an error of GetLastError.
std::string reason_of_windows(DWORD error);
/// The value of errno that is nearest to it.
int errno_of_windows(DWORD error);

/// A kernel object that closes itself.
class Handle {
 public:
  explicit Handle(HANDLE value = nullptr) : value_(value) {}
  ~Handle() { close(); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  HANDLE get() const { return value_; }
  HANDLE* place() { return &value_; }
  explicit operator bool() const { return value_ != nullptr && value_ != INVALID_HANDLE_VALUE; }
  void close() {
    if (*this) CloseHandle(value_);
    value_ = nullptr;
  }

 private:
  HANDLE value_;
};

}  // namespace tg::os

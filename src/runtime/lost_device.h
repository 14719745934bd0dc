// A device that is gone: after an error that spoils it every call fails, and the first one says
// why. Which errors do that, and what to do about them, the backends know.
#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <string_view>

namespace tg {

/// Thread-safe.
class LostDevice {
 public:
  /// `backend` in messages.
  explicit LostDevice(std::string backend) : backend_(std::move(backend)) {}
  /// Throws DeviceError with the first reason if the device was lost.
  void check() const;
  /// Remembers it, and throws DeviceError that says so, why, and what to do.
  [[noreturn]] void lose(const std::string& reason, std::string_view advice);

 private:
  const std::string backend_;
  mutable std::mutex lock_;
  std::string why_;  // guarded by lock_
  std::atomic<bool> is_lost_ = false;
};

}  // namespace tg

// See lost_device.h.
#include "runtime/lost_device.h"

#include "support/check.h"

namespace tg {

void LostDevice::check() const {
  if (!is_lost_.load(std::memory_order_acquire)) return;
  const std::lock_guard guard(lock_);
  user_error<DeviceError>(backend_, "the device was lost before: " + why_,
                          "Hint: start the process again.");
}

void LostDevice::lose(const std::string& reason, std::string_view advice) {
  {
    const std::lock_guard guard(lock_);
    if (why_.empty()) why_ = reason;
  }
  is_lost_.store(true, std::memory_order_release);
  user_error<DeviceError>(backend_, "the device is lost: " + reason, advice);
}

}  // namespace tg

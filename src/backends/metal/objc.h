// Metal's frameworks on the Objective-C runtime, opened at run time. Which messages there are:
// messages.h.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "backends/metal/messages.h"
#include "runtime/objective_c.h"

namespace tg::metal {

using Object = ObjcObject;
using Owned = ObjcOwned;
using Pool = ObjcPool;

class Objc : public ObjectiveC {
 public:
  /// Opens the first runtime and the first of the frameworks that the loader finds; nullptr if one
  /// of them, or an entry point, is missing.
  static std::unique_ptr<const Objc> open(std::span<const std::string_view> runtimes,
                                          std::span<const std::string_view> frameworks);

  /// An NSArray of all devices, or nullptr; the caller owns it.
  Object* copy_all_devices() const {
    return copy_all_devices_ == nullptr ? nullptr : copy_all_devices_();
  }
  /// The caller owns it; nullptr if there is none.
  Object* default_device() const { return default_device_(); }

 private:
  explicit Objc(std::span<const std::string_view> runtimes) : ObjectiveC(runtimes, kSelectors) {}

  DynamicLibrary framework_;
  Object* (*copy_all_devices_)() = nullptr;  // of macOS only
  Object* (*default_device_)() = nullptr;
};

/// This machine's runtime with Metal, opened at the first call and kept; nullptr where there is
/// none. Thread-safe.
const Objc* find_objc();

}  // namespace tg::metal

// This machine's Metal: its frameworks, which devices there are, and what they say about themselves
// as facts for the compiler.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backends/metal/messages.h"
#include "renderer/render.h"
#include "target/target.h"

namespace tg::metal {

/// Opens the first Objective-C runtime and the first of the frameworks that the loader finds;
/// nullptr if one of them, or an entry point, is missing.
std::unique_ptr<const Objc> open_objc(std::span<const std::string_view> runtimes,
                                      std::span<const std::string_view> frameworks);
/// This machine's runtime with Metal, opened at the first call and kept; nullptr where there is
/// none. Thread-safe.
const Objc* find_objc();

/// What a device says about itself. As it is: an Apple M1.
struct DeviceFacts {
  std::string name = "Apple M1";
  int family = 7;                               ///< of Apple's processors; 0: of another maker
  bool has_one_memory = true;                   ///< host and device share it
  int64_t local_bytes = 32 << 10;               ///< threadgroup memory
  int64_t memory_bytes = int64_t{8} << 30;      ///< that it works well with
  int64_t max_buffer_bytes = int64_t{4} << 30;  ///< of one buffer
};

/// The facts for the compiler. A pure function: needs no Mac.
Target metal_target(const DeviceFacts& device);
MetalMachine machine_of(const DeviceFacts& device);

struct DeviceInfo {
  Owned device;
  DeviceFacts facts;
};

/// All devices that know what this backend asks for, the system's default first.
std::vector<DeviceInfo> find_devices(const Objc& objc);

/// "1" → 1. Throws DeviceError naming what may be said.
int parse_index(std::string_view settings);

/// Empty if there is a device on `objc`, which may be nullptr, else a sentence that says why not.
std::string missing_device_advice(const Objc* objc);

}  // namespace tg::metal

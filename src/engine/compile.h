// Kernel graphs to programs: schedule chosen, lowered, compiled in one batch a device, kept for the life of the process.
#pragma once

#include <string>
#include <vector>

#include "runtime/device.h"

namespace tg {

/// A kernel ready to launch.
struct ReadyKernel {
  Ref<Program> program;
  std::string name;
  double flops = 0;
  double bytes = 0;
};

/// Programs of `kernels` (SINK graphs) on `device`, in order; those not yet known are lowered and compiled together. Thread-safe.
/// Throws DeviceError when the device's compiler fails.
std::vector<const ReadyKernel*> compile_kernels(Device& device, std::span<const UOp> kernels);

}  // namespace tg

// Kernel graphs to programs: schedule chosen, lowered, compiled in one batch a device, kept until
// the caches are cleared. No lock is held while a kernel is compiled: threads that want the same
// kernel wait for the one that builds it.
#pragma once

#include <memory>
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
  std::vector<UOp> vars;    ///< VARs whose values a launch takes, in order
  bool runs_alone = false;  ///< it waits for the device in between: no member of a batch
};
using ReadyKernelRef = std::shared_ptr<const ReadyKernel>;

/// Programs of `kernels` (SINK graphs) on `device`, in order; those not yet known are lowered and
/// compiled together. Thread-safe. Throws DeviceError when the device's compiler fails.
std::vector<ReadyKernelRef> compile_kernels(Device& device, std::span<const UOp> kernels);

/// Forgets all programs; those in use live on.
void clear_kernel_cache();

}  // namespace tg

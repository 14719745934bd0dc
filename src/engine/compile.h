// Kernel graphs to programs: schedule chosen, lowered, compiled in one batch a device, kept until
// the caches are cleared. No lock is held while a kernel is compiled: threads that want the same
// kernel wait for the one that builds it.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/device.h"

namespace tg {

/// The address `bytes` behind `array`; of none yet, none.
inline void* moved(void* array, int64_t bytes) {
  return array == nullptr ? nullptr : static_cast<std::byte*>(array) + bytes;
}

/// A kernel ready to launch.
struct ReadyKernel {
  Ref<Program> program;
  std::string name;
  double flops = 0;
  double bytes = 0;
  /// What a launch takes for the program's variables, in order: VARs take the value that they have
  /// in the call, CONSTs are sizes that this kernel has and other users of the program do not.
  std::vector<UOp> vars;
  /// Bytes from the beginning of each array to where the program's begins, by slot; those behind
  /// the last have none.
  std::vector<int64_t> offsets;
  bool runs_alone = false;  ///< it waits for the device in between: no member of a batch

  int64_t offset(size_t slot) const { return slot < offsets.size() ? offsets[slot] : 0; }
  /// Runs on these arrays, in a launch of its own.
  void launch(std::span<void* const> arrays, std::span<const int64_t> numbers) const;
};
using ReadyKernelRef = std::shared_ptr<const ReadyKernel>;

/// Programs of `kernels` (SINK graphs) on `device`, in order; those not yet known are lowered and
/// compiled together. Thread-safe. Throws DeviceError when the device's compiler fails.
std::vector<ReadyKernelRef> compile_kernels(Device& device, std::span<const UOp> kernels);

/// Forgets all programs; those in use live on.
void clear_kernel_cache();

}  // namespace tg

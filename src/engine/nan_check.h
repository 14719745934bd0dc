// CHECK_NAN=1: a kernel that writes a NaN although nothing it reads holds one is an error, so a
// program stops at the first such kernel instead of at numbers that have spread. For people who
// look for where a training run goes wrong; every launch is waited for and all of its arrays are
// looked at. Kernels of batches run one by one; calls that are captured under it are checked at
// each replay.
#pragma once

#include "engine/compile.h"

namespace tg {

/// A kernel that does what `kernel` does and then throws DeviceError if an element that it wrote
/// has become NaN (with CHECK_NAN=2 also an infinity), unless an array that it only reads holds
/// one: names the kernel, the argument, the element's place and value. `graph` is the kernel as
/// scheduled (a SINK).
ReadyKernelRef nan_checked_kernel(Device& device, const UOp& graph, const ReadyKernelRef& kernel);

/// Index of the first element of `after` that is NaN, or infinite if `infinities`, and was not in
/// `before`; −1 if there is none. Both hold elements of the float `t`; an empty `before` held none.
int64_t first_nonfinite(DType t, std::span<const std::byte> before,
                        std::span<const std::byte> after, bool infinities);

}  // namespace tg

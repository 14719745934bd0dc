// VALIDATE_WITH_CPU=1: each launch on another device is repeated on the reference device with the
// same arguments, and what both have written is compared. For people who write backends and
// renderers; programs run as they do without it, at a small part of the speed. Kernels of batches
// run one by one, captured calls that are captured under it are checked at each replay.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/compile.h"

namespace tg {

/// Whether the kernels of `device` are compared, by the options in force.
bool is_validated(const Device& device);

/// A kernel that does what `kernel` does and then throws DeviceError if it is not what `reference`
/// (the same graph on the reference device) does: names the kernel, the first element that differs,
/// both values, and the file where `source`, the text of the device's kernel, is kept. `graph` is
/// the kernel as scheduled (a SINK).
ReadyKernelRef validated_kernel(Device& device, const UOp& graph, const ReadyKernelRef& kernel,
                                const ReadyKernelRef& reference, std::string source);

/// The largest magnitude among the elements of `t` that are finite; 0 if none is.
double largest_number(DType t, std::span<const std::byte> data);

/// Index of the first element in which `actual` is not what `expected` is, −1 if there is none.
/// Integers and bools must be equal. Floats: both NaN, equal, or closer than a tolerance of the
/// dtype, relative to |expected| + `scale`; sums in another order differ by what their terms are
/// large. Both arrays hold `count` elements of `t`.
int64_t first_difference(DType t, std::span<const std::byte> actual,
                         std::span<const std::byte> expected, double scale);

}  // namespace tg

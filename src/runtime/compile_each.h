// Compiling kernels one by one, several at a time: for devices whose compiler gains nothing from
// seeing them together.
#pragma once

#include <span>
#include <vector>

#include "runtime/device.h"
#include "tg/ir/function_ref.h"

namespace tg {

/// What `compile` makes of each kernel, in the order given. It is called side by side; throws what
/// it throws for the first kernel that fails.
std::vector<CompiledKernel> compile_each(
    std::span<const LinearKernel> kernels,
    FunctionRef<CompiledKernel(const LinearKernel& kernel)> compile);

}  // namespace tg

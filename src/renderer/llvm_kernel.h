// One kernel as LLVM IR: arguments, loops with phis, and the order of everything; the ops
// themselves are llvm_ops.h. The public face is render.h.
#pragma once

#include <string>

#include "codegen/linear.h"
#include "renderer/llvm_block.h"

namespace tg {

/// A module with the kernel's body and its entry function.
std::string llvm_kernel(const LinearKernel& kernel, const LlvmMachine& machine);

}  // namespace tg

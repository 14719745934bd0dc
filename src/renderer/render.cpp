// See render.h.
#include "renderer/render.h"

#include "renderer/c_kernel.h"
#include "renderer/llvm_kernel.h"

namespace tg {

std::string render_c(std::span<const LinearKernel> kernels) {
  CUnit unit;
  std::string text;
  for (const LinearKernel& k : kernels) text += c_kernel(unit, k);
  return unit.preamble() + text;
}

std::string render_llvm(const LinearKernel& kernel, const LlvmMachine& machine) {
  return llvm_kernel(kernel, machine);
}

bool c_supports(Op op) {
  switch (op) {
    case Op::Exp2:
    case Op::Log2:
    case Op::Sin:
    case Op::Threefry:
      return false;
    default:
      return in_group(op, kElementwise | kLowered) || op == Op::Load || op == Op::Store ||
             op == Op::Const;
  }
}

bool c_supports(DType t) {
  if (is_float(t)) return t == DType::Float32 || t == DType::Float64;
  return t != DType::Void;
}

}  // namespace tg

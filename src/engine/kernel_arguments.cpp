// See kernel_arguments.h.
#include "engine/kernel_arguments.h"

#include <cstring>

#include "tg/ir/walk.h"
#include "uop/shape.h"

namespace tg {

int64_t KernelArgument::bytes() const {
  return param ? numel(param.shape()) * static_cast<int64_t>(dtype_size(param.dtype())) : 0;
}

Scalar element(DType t, const std::byte* at) {
  uint64_t raw = 0;
  std::memcpy(&raw, at, static_cast<size_t>(dtype_size(t)));
  return Scalar::from_memory(raw, t);
}

std::vector<KernelArgument> arguments_of(const UOp& kernel) {
  std::vector<KernelArgument> out;
  const auto at = [&out](const Node* param) -> KernelArgument& {
    const auto slot = static_cast<size_t>(param->arg()[0]);
    if (slot >= out.size()) out.resize(slot + 1);
    out[slot].param = UOp::share(param);
    return out[slot];
  };
  for (const Node* n : toposort(kernel)) {
    if (n->op == Op::Param) at(n);
    if (n->op != Op::Store) continue;
    const Node* pointer = n->src()[0];
    while (pointer->op == Op::After) pointer = pointer->src()[0];
    if (pointer->op == Op::Param) at(pointer).written = true;
  }
  return out;
}

}  // namespace tg

// See kernel_phases.h.
#include "kernel/kernel_phases.h"

#include <algorithm>

#include "tg/ir/walk.h"
#include "uop/shape.h"

namespace tg {

int64_t Workspace::bytes() const { return numel(shape) * static_cast<int64_t>(dtype_size(dtype)); }

int slots_of(const UOp& kernel) {
  int64_t slots = 0;
  for (const Node* n : toposort(kernel)) {
    if (n->op == Op::Param) slots = std::max(slots, n->arg()[0] + 1);
  }
  return static_cast<int>(slots);
}

}  // namespace tg

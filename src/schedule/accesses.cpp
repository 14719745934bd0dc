// Loads and stores of PARAMs. See accesses.h.
#include "schedule/accesses.h"

#include "tg/ir/walk.h"

namespace tg {

std::vector<Access> accesses_of(const ScheduleItem& item) {
  std::vector<Access> out(item.buffers.size());
  if (!item.kernel) {
    out[0].writes = out[1].reads = true;
    return out;
  }
  for (const Node* n : toposort(item.kernel)) {
    if (n->op != Op::Load && n->op != Op::Store) continue;
    const Node* pointer = n->src()[0];
    if (pointer->op != Op::Param) continue;
    Access& a = out[static_cast<size_t>(pointer->arg()[0])];
    (n->op == Op::Load ? a.reads : a.writes) = true;
  }
  return out;
}

}  // namespace tg

// See c_usage.h.
#include "renderer/c_usage.h"

namespace tg {

std::unordered_map<const Node*, CUsage> c_usage(std::span<const UOp> ops) {
  std::unordered_map<const Node*, CUsage> usage;
  usage.reserve(ops.size());
  std::vector<int> open = {0};
  int bodies = 0;
  for (const UOp& u : ops) {
    CUsage& entry = usage[u.node()];
    // The start of a carry is computed before its loop, the next value of an end inside it.
    entry.nest = u.is(Op::Carry) ? open[open.size() - 2] : open.back();
    if (u.is(Op::Range) || u.is(Op::If)) open.push_back(++bodies);
    if (u.is(Op::End) || u.is(Op::EndIf)) open.pop_back();
  }
  for (auto it = ops.rbegin(); it != ops.rend(); ++it) {
    const UOp& u = *it;
    const bool effect = (u.dtype() == DType::Void && !u.is(Op::Sink)) || u.is(Op::Carry);
    CUsage& entry = usage[u.node()];
    entry.live = entry.live || effect;
    if (!entry.live) continue;
    for (const Node* s : u.node()->src()) {
      CUsage& source = usage[s];
      source.live = true;
      if (source.uses++ == 0) source.user = u.node();
    }
  }
  return usage;
}

bool is_streamed(const LinearKernel& kernel, const UOp& store) {
  const Node* p = store.src_node(0);
  while (p->op == Op::After) p = p->src()[0];
  if (p->op != Op::Param) return false;
  const auto slot = static_cast<size_t>(p->arg()[0]);
  if (slot >= kernel.params.size()) return false;
  const DType stored = stored_as(store.src_node(2)->dtype);
  return store.src(2).lanes() * static_cast<int64_t>(dtype_size(stored)) ==
         kernel.params[slot].stream_bytes;
}

}  // namespace tg

// See ptx_usage.h.
#include "renderer/ptx_usage.h"

namespace tg {
namespace {

bool is_access(const UOp& u) { return u.is(Op::Load) || u.is(Op::Store); }

// Whether source `i` is where an access begins.
bool is_index(const UOp& u, int i) {
  return u.is(Op::AsyncCopy) ? i == 1 || i == 3 : is_access(u) && i == 1;
}

bool is_sum(const UOp& u) {
  if (u.dtype() != DType::Index) return false;
  if (u.is(Op::Ramp)) return u.lanes() > 1;
  if (!u.is(Op::Add)) return false;
  const UOp by = u.src(1);
  return by.is(Op::Const) || (by.is(Op::Splat) && by.src(0).is(Op::Const));
}

}  // namespace

std::unordered_set<const Node*> ptx_address_sums(std::span<const UOp> ops) {
  std::unordered_set<const Node*> sums;
  for (const UOp& u : ops) {
    if (is_sum(u)) sums.insert(u.node());
  }
  for (const UOp& u : ops) {
    for (int i = 0; i < u.n_src(); ++i) {
      if (!is_index(u, i)) sums.erase(u.src_node(i));
    }
  }
  return sums;
}

std::unordered_set<const Node*> ptx_register_arrays(std::span<const UOp> ops) {
  std::unordered_set<const Node*> arrays;
  for (const UOp& u : ops) {
    if (u.is(Op::Alloc) && u.space() == Space::Reg) arrays.insert(u.node());
  }
  for (const UOp& u : ops) {
    if (!is_access(u) || u.src(1).is(Op::Const)) continue;
    const Node* p = u.src_node(0);
    while (p->op == Op::After) p = p->src()[0];
    arrays.erase(p);
  }
  return arrays;
}

}  // namespace tg

// See work_item_flow.h.
#include "rewrite/work_item_flow.h"

#include <algorithm>

namespace tg {

bool is_work_item_range(const Node* n) {
  return n->op == Op::Range && n->n_arg == 2 && n->arg()[1] == 2;
}

bool WorkItemFlow::parts(const Node* opener) const {
  return !is_work_item_range(opener) && varies(opener->src()[0]);
}

bool WorkItemFlow::differs(const Node* n) const {
  const std::span<const Node* const> src = n->src();
  const auto any = [&](std::span<const Node* const> some) {
    return std::ranges::any_of(some, [&](const Node* s) { return varies(s); });
  };
  switch (n->op) {
    case Op::Carry:
    case Op::Mma:
    case Op::MmaAsync:  // each work-item has its part
      return work_items_;
    case Op::After:  // the effects only order
      return varies(src[0]);
    case Op::Load:
    case Op::LoadRows: {
      const Node* ptr = src[0];
      while (ptr->op == Op::After) ptr = ptr->src()[0];
      const bool own = ptr->op == Op::Alloc && ptr->arg()[1] == static_cast<int64_t>(Space::Reg);
      return (own && work_items_) || any(src.subspan(1));
    }
    case Op::Range:
      return is_work_item_range(n) || any(src);
    default:
      return any(src);
  }
}

void WorkItemFlow::add(const Node* n) {
  work_items_ = work_items_ || is_work_item_range(n);
  if (differs(n)) varying_.insert(n);
}

}  // namespace tg

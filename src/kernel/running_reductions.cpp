// See running_reductions.h.
#include "kernel/running_reductions.h"

#include <algorithm>
#include <optional>

#include "kernel/element_sharing.h"
#include "tg/ir/walk.h"

namespace tg {
namespace {

struct Prefix {
  UOp term;  // f(i)
  UOp along;
};

// reduce(where(i < j, identity, f(j)), j), with equal extents and f free of i.
std::optional<Prefix> prefix_of(const Node* n) {
  if (n->op != Op::Reduce || n->n_src != 2 || n->n_arg != 1) return {};
  const UOp masked = UOp::share(n->src()[0]), j = UOp::share(n->src()[1]);
  if (!masked.is(Op::Where) || !masked.src(0).is(Op::CmpLt)) return {};
  const UOp i = masked.src(0).src(0), term = masked.src(2);
  if (!i.is(Op::Range) || masked.src(0).src(1) != j || i.src(0) != j.src(0)) return {};
  const Scalar identity = reduce_identity(static_cast<ReduceOp>(n->arg()[0]), n->dtype);
  if (!masked.src(1).is(Op::Const) || masked.src(1).scalar() != identity) return {};
  const std::vector<UOp> free = free_ranges(term);
  if (std::ranges::find(free, i) != free.end()) return {};
  return Prefix{substitute(term, {{j.node(), i}}), i};
}

// Whether the loop over `r` may run in order, inside all others: it belongs to stores alone, and
// their order decides nothing else.
bool may_run_in_order(const UOp& kernel, const UOp& r) {
  for (const Node* n : toposort(kernel)) {
    const std::span<Node* const> closed = closed_ranges(n);
    if (std::ranges::find(closed, r.node()) == closed.end()) continue;
    if (n->op != Op::End || !ranges_sharing_elements(n).empty()) return false;
  }
  return true;
}

// Whether all other ranges of the term are loops of stores, which may stand around that of the
// prefix; those of a reduction stand inside it.
bool depends_on_stores_alone(const UOp& kernel, const Prefix& p) {
  const std::vector<UOp> free = free_ranges(p.term);
  return std::ranges::none_of(toposort(kernel), [&](const Node* n) {
    return n->op == Op::Reduce && std::ranges::any_of(closed_ranges(n), [&](const Node* r) {
             return std::ranges::find(free, UOp::share(r)) != free.end();
           });
  });
}

}  // namespace

UOp prefix(const UOp& v, ReduceOp op, const UOp& i, const UOp& j) {
  const UOp identity = constant(reduce_identity(op, v.dtype()));
  return reduce_ranges(where(lt(i, j), identity, v), op, {{j}});
}

// One prefix at a time: what is inside another one goes along its range once that runs.
UOp running_reductions(const UOp& kernel) {
  UOp now = kernel;
  UOp along;
  for (bool found = true; found;) {
    found = false;
    const std::vector<const Node*> order = toposort(now);
    for (size_t at = order.size(); at-- > 0 && !found;) {
      const std::optional<Prefix> p = prefix_of(order[at]);
      if (!p || (along ? p->along != along : !may_run_in_order(now, p->along)) ||
          !depends_on_stores_alone(now, *p))
        continue;
      along = p->along;
      const auto op = static_cast<ReduceOp>(order[at]->arg()[0]);
      now = substitute(now, {{order[at], running_reduce(p->term, op, along)}});
      found = true;
    }
  }
  return now;
}

}  // namespace tg

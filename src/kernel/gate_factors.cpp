// See gate_factors.h.
#include "kernel/gate_factors.h"

#include <algorithm>
#include <vector>

#include "tg/ir/walk.h"

namespace tg {
namespace {

bool has(const std::vector<UOp>& ranges, const UOp& r) {
  return std::ranges::find(ranges, r) != ranges.end();
}

bool has_all(const std::vector<UOp>& ranges, const std::vector<UOp>& wanted) {
  return std::ranges::all_of(wanted, [&](const UOp& r) { return has(ranges, r); });
}

bool compares_indices(const UOp& condition) {
  return std::ranges::none_of(toposort(condition), [](const Node* n) { return n->op == Op::Load; });
}

// The term with gated factors; empty if the sum is not one as gate_factors.h says.
UOp gated_product(const Node* sum) {
  const UOp term = UOp::share(sum->src()[0]);
  if (!term.is(Op::Where) || !term.src(2).is_const(0) || !term.src(1).is(Op::Mul)) return {};
  const UOp condition = term.src(0), a = term.src(1).src(0), b = term.src(1).src(1);
  if (a == b || !compares_indices(condition)) return {};
  const std::vector<UOp> of_a = free_ranges(a), of_b = free_ranges(b),
                         named = free_ranges(condition);
  if (!has_all(of_a, named) || !has_all(of_b, named)) return {};
  const auto has_own = [&](const std::vector<UOp>& ranges, const std::vector<UOp>& others) {
    return std::ranges::any_of(ranges, [&](const UOp& r) {
      const bool reduced =
          std::ranges::find(sum->src().subspan(1), r.node()) != sum->src().subspan(1).end();
      return !reduced && !has(others, r);
    });
  };
  if (!has_own(of_a, of_b) || !has_own(of_b, of_a)) return {};
  const UOp zero = const_like(term, int64_t{0});
  return where(condition, a, zero) * where(condition, b, zero);
}

}  // namespace

UOp gate_factors(const UOp& kernel) {
  std::unordered_map<const Node*, UOp> changed;
  for (const Node* n : toposort(kernel)) {
    if (n->op != Op::Reduce || static_cast<ReduceOp>(n->arg()[0]) != ReduceOp::Add) continue;
    if (const UOp product = gated_product(n)) changed.emplace(n->src()[0], product);
  }
  return changed.empty() ? kernel : substitute(kernel, changed);
}

}  // namespace tg

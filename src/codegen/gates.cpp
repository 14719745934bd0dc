// Gates of accesses: their conjuncts, and whether they say no more than "inside the array".
#include <algorithm>

#include "codegen/scheduled_kernel.h"

namespace tg {
namespace {

// Both sides of a comparison brought to one: `difference < 0`, or its negation.
struct Comparison {
  Affine difference;
  bool negated = false;
  bool valid = false;
};

Comparison comparison_of(UOp u) {
  Comparison c;
  while (u.is(Op::Xor) && u.src(1).is_const(1)) {
    c.negated = !c.negated;
    u = u.src(0);
  }
  if (!u.is(Op::CmpLt) || u.src(0).dtype() != DType::Index) return c;
  c.difference = Affine::of(u.src(0));
  c.difference.add(Affine::of(u.src(1)), -1);
  c.valid = true;
  return c;
}

bool same_terms(const Affine& a, const Affine& b, int64_t sign) {
  if (a.terms.size() != b.terms.size()) return false;
  for (const Affine::Term& t : a.terms) {
    if (coef_of(b, t.term) != sign * t.coef) return false;
  }
  return true;
}

// Does 0 ≤ idx < extent imply the comparison?
bool implied_by_bounds(const Comparison& c, const Affine& idx, Dim extent) {
  const int64_t k = c.difference.constant;
  if (same_terms(c.difference, idx, 1)) {  // idx + (k − c0) < 0  ⇔  idx < c0 − k
    const int64_t limit = idx.constant - k;
    return c.negated ? limit <= 0 : limit >= extent;
  }
  if (same_terms(c.difference, idx, -1)) {  // −idx + (k + c0) < 0  ⇔  idx > k + c0
    const int64_t limit = k + idx.constant;
    return c.negated ? limit >= extent - 1 : limit < 0;
  }
  return false;
}

// Does the condition hold wherever the load's indices are inside its array?
bool holds_inside(const UOp& load, const UOp& condition) {
  const UOp ptr = load.src(0);
  const Comparison c = comparison_of(condition);
  for (int d = 0; c.valid && d < ptr.ndim(); ++d) {
    if (implied_by_bounds(c, Affine::of(load.src(1 + d)), ptr.dim(d))) return true;
  }
  return false;
}

}  // namespace

bool gate_is_bounds(const UOp& load) {
  const UOp gate = gate_of(load);
  if (!gate) return true;
  const std::vector<UOp> all = conjuncts(gate);
  return std::ranges::all_of(all, [&](const UOp& c) { return holds_inside(load, c); });
}

UOp border_of(const UOp& operand) {
  const UOp load = staged_load(operand);
  if (!operand.is(Op::Where) || !load.is(Op::Load) || !gate_of(load)) return {};
  const UOp border = operand.src(2);
  std::vector<UOp> chosen;
  for (UOp u = operand; u.is(Op::Where); u = u.src(1)) {
    if (u.src(2) != border) return {};
    for (const UOp& c : conjuncts(u.src(0))) chosen.push_back(c);
  }
  const auto is_chosen = [&](const UOp& c) { return std::ranges::find(chosen, c) != chosen.end(); };
  const auto holds = [&](const UOp& c) { return holds_inside(load, c); };
  const bool same = std::ranges::all_of(conjuncts(gate_of(load)), is_chosen);
  return border.is(Op::Const) && same && std::ranges::all_of(chosen, holds) ? border : UOp{};
}

}  // namespace tg

// Gates of accesses: their conjuncts, and whether they say no more than "inside the array".
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

}  // namespace

bool gate_is_bounds(const UOp& load) {
  const UOp ptr = load.src(0), gate = gate_of(load);
  if (!gate) return true;
  for (const UOp& g : conjuncts(gate)) {
    const Comparison c = comparison_of(g);
    bool implied = false;
    for (int d = 0; c.valid && d < ptr.ndim() && !implied; ++d) {
      implied = implied_by_bounds(c, Affine::of(load.src(1 + d)), ptr.dim(d));
    }
    if (!implied) return false;
  }
  return true;
}

}  // namespace tg

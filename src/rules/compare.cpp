// Comparisons of affine forms with zero, in the normal form `terms < constant` or its negation; see
// index.h.
#include <algorithm>
#include <numeric>

#include "rules/index.h"

namespace tg {
namespace {

int64_t ceil_div(int64_t a, int64_t b) { return floor_div(a, b) + (floor_mod(a, b) != 0 ? 1 : 0); }

}  // namespace

// Σ terms < k: with g·y + r, r in [lo, hi]: if ceil((k−lo)/g) = ceil((k−hi)/g) = m then it holds
// exactly when y < m. Tries every factor that the coefficients offer, largest first; true if one
// applied.
bool IndexSimplifier::drop_rest(Affine& a, int64_t& k) {
  std::vector<int64_t> factors;
  for (const Affine::Term& t : a.terms) factors.push_back(std::abs(t.coef));
  factors.push_back(a.gcd());
  std::sort(factors.rbegin(), factors.rend());
  for (int64_t g : factors) {
    if (g <= 1) continue;
    Affine y, rest;
    for (const Affine::Term& t : a.terms) {
      if (t.coef % g == 0) {
        y.add_term(t.term, t.coef / g);
      } else {
        rest.add_term(t.term, t.coef);
      }
    }
    const Interval r = bounds_of(rest);
    int64_t from_lo = 0, from_hi = 0;
    if (!r.bounded() || __builtin_sub_overflow(k, r.lo, &from_lo) ||
        __builtin_sub_overflow(k, r.hi, &from_hi))
      continue;
    if (ceil_div(from_lo, g) != ceil_div(from_hi, g)) continue;
    a = std::move(y);
    k = ceil_div(from_lo, g);
    return true;
  }
  return false;
}

UOp IndexSimplifier::less_than_zero(Affine a) {
  bool negated = false;
  while (true) {
    recombine(a);
    const Interval i = bounds_of(a);
    if (i.hi < 0) return boolean(!negated);
    if (i.lo >= 0) return boolean(negated);
    if (a.terms[0].coef < 0) {  // x < 0 ⇔ not (−x − 1 < 0)
      a = a.times(-1);
      a.add_constant(-1);
      negated = !negated;
    }
    int64_t k = -a.constant;
    a.constant = 0;
    if (!drop_rest(a, k)) {
      UOp cmp = lt(a.to_uop(), index_const(k));
      return negated ? logical_not(cmp) : cmp;
    }
    a.add_constant(-k);
  }
}

UOp IndexSimplifier::not_zero(Affine a) {
  recombine(a);
  const Interval i = bounds_of(a);
  if (!i.contains(0)) return boolean(true);
  if (a.is_constant()) return boolean(a.constant != 0);
  const int64_t g = a.gcd();
  if (a.constant % g != 0) return boolean(true);
  const int64_t scale = a.terms[0].coef < 0 ? -g : g;
  for (Affine::Term& t : a.terms) t.coef /= scale;
  const int64_t k = -a.constant / scale;
  a.constant = 0;
  const Interval rest = bounds_of(a);
  if (rest.is_point()) return boolean(rest.lo != k);
  return ne(a.to_uop(), index_const(k));
}

}  // namespace tg

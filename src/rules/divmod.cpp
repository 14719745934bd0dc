// Floor division and remainder of affine forms by positive constants, and the sums that undo them.
// Every rule here is exact for all integers that satisfy the bounds it asks for; x/d and x%d are
// reduced by the same steps, so that what was split joins again.
#include <algorithm>
#include <numeric>

#include "rules/index.h"

namespace tg {

// x/d = quotient + inner/divisor and x%d = scale·(inner % divisor) + rest; divisor 1 means that
// nothing is left to divide.
struct IndexSimplifier::Step {
  Affine quotient;
  Affine inner;
  int64_t divisor = 1;
  int64_t scale = 1;
  Affine rest;
};

namespace {

// One d-block holds the whole interval: sets its number.
bool one_block(Interval i, int64_t d, int64_t& block) {
  if (!i.bounded()) return false;
  block = floor_div(i.lo, d);
  return block == floor_div(i.hi, d);
}

// a = d·q + r with |coefficients of r| < d of the sign they had, 0 ≤ constant of r < d.
void extract_multiples(const Affine& a, int64_t d, Affine& q, Affine& r) {
  for (const Affine::Term& t : a.terms) {
    q.add_term(t.term, t.coef / d);
    r.add_term(t.term, t.coef % d);
  }
  q.add_constant(floor_div(a.constant, d));
  r.add_constant(floor_mod(a.constant, d));
}

UOp divided(const UOp& x, int64_t d) { return idiv(x, index_const(d)); }
UOp remainder(const UOp& x, int64_t d) { return mod(x, index_const(d)); }

// The positive constant that an IDIV or MOD divides by, else 0.
int64_t divisor_of(const UOp& u, Op op) {
  if (!u.is(op) || u.src_node(1)->op != Op::Const) return 0;
  return std::max<int64_t>(u.src_node(1)->arg()[0], 0);
}

}  // namespace

// x = g·y + r with r within one block of g, where g divides d: x/d = (y + block)/(d/g). Tries the
// factors that the coefficients offer, largest first.
bool IndexSimplifier::step_by_factor(const Affine& a, int64_t d, Step& out) {
  std::vector<int64_t> factors;
  for (const Affine::Term& t : a.terms) factors.push_back(std::gcd(t.coef, d));
  std::sort(factors.rbegin(), factors.rend());
  factors.erase(std::unique(factors.begin(), factors.end()), factors.end());
  for (int64_t g : factors) {
    if (g <= 1 || g >= d) continue;
    Affine y, rest = Affine::of_constant(floor_mod(a.constant, g));
    for (const Affine::Term& t : a.terms) {
      if (t.coef % g == 0) {
        y.add_term(t.term, t.coef / g);
      } else {
        rest.add_term(t.term, t.coef);
      }
    }
    int64_t block = 0;
    if (!one_block(bounds_of(rest), g, block)) continue;
    y.add_constant(floor_div(a.constant, g) + block);
    rest.add_constant(-block * g);
    out.inner = y;
    out.divisor = d / g;
    out.scale = g;
    out.rest = rest;
    return true;
  }
  return false;
}

IndexSimplifier::Step IndexSimplifier::step(Affine a, int64_t d) {
  recombine(a);
  Step s;
  Affine r;
  extract_multiples(a, d, s.quotient, r);
  recombine(r);
  int64_t block = 0;
  if (one_block(bounds_of(r), d, block)) {
    s.quotient.add_constant(block);
    r.add_constant(-block * d);
    s.rest = r;
    return s;
  }
  if (step_by_factor(r, d, s)) return s;
  s.inner = r;
  s.divisor = d;
  return s;
}

namespace {

// (y/b + z)/d → (y + b·z)/(b·d): one division less. False if there is no inner division, or the
// numbers get too large.
bool absorb_division(Affine& a, int64_t& divisor) {
  for (const Affine::Term& t : a.terms) {
    const int64_t b = t.coef == 1 ? divisor_of(t.term, Op::IDiv) : 0;
    int64_t product = 0;
    if (b <= 0 || __builtin_mul_overflow(b, divisor, &product)) continue;
    Affine z = a;
    z.add_term(t.term, -1);
    Affine y = Affine::of(t.term.src(0));
    y.add(z, b);
    if (!y.ok) continue;
    a = std::move(y);
    divisor = product;
    return true;
  }
  return false;
}

}  // namespace

Affine IndexSimplifier::div(Affine a, int64_t d) {
  Affine q;
  int64_t divisor = d;
  while (true) {
    if (divisor == 1) {
      q.add(a);
      return q;
    }
    Step s = step(std::move(a), divisor);
    q.add(s.quotient);
    if (s.divisor == 1 && s.inner.is_constant() && s.inner.constant == 0) return q;
    a = std::move(s.inner);
    if (s.divisor != divisor || !q.ok) {
      divisor = s.divisor;
      if (!q.ok) return q;
      continue;
    }
    if (absorb_division(a, divisor)) continue;
    // (y % (d·b))/d → (y/d) % b
    const int64_t m = a.is_single() && a.constant == 0 ? divisor_of(a.terms[0].term, Op::Mod) : 0;
    if (m > 0 && m % divisor == 0) {
      q.add(mod(div(Affine::of(a.terms[0].term.src(0)), divisor), m / divisor));
      return q;
    }
    q.add_term(divided(a.to_uop(), divisor), 1);
    recombine(q);
    return q;
  }
}

Affine IndexSimplifier::mod(Affine a, int64_t d) {
  Affine result;
  int64_t divisor = d, scale = 1;
  while (divisor != 1) {
    Step s = step(std::move(a), divisor);
    result.add(s.rest, scale);
    if (s.divisor == 1) break;
    a = std::move(s.inner);
    scale *= s.scale;
    if (s.divisor != divisor) {
      divisor = s.divisor;
      continue;
    }
    // c·(y % m) ≡ c·y modulo d where d divides c·m
    Affine stripped = Affine::of_constant(a.constant);
    for (const Affine::Term& t : a.terms) {
      const int64_t m = divisor_of(t.term, Op::Mod);
      int64_t cm = 0;
      if (m > 0 && !__builtin_mul_overflow(t.coef, m, &cm) && cm % divisor == 0) {
        stripped.add(Affine::of(t.term.src(0)), t.coef);
      } else {
        stripped.add_term(t.term, t.coef);
      }
    }
    if (stripped.ok && stripped != a) {
      a = std::move(stripped);
      continue;
    }
    result.add_term(remainder(a.to_uop(), divisor), scale);
    break;
  }
  recombine(result);
  return result;
}

// k·(u % d) + k·d·(u/d) → k·u, for every remainder whose quotient is present. The quotient is
// looked up in its own normal form, for (y/a)/d stands there as y/(a·d).
void IndexSimplifier::recombine(Affine& a) {
  for (size_t i = 0; i < a.terms.size(); ++i) {
    const Affine::Term t = a.terms[i];
    if (const Interval b = bounds_(t.term); b.is_point()) {
      Affine folded = a;
      folded.add_term(t.term, -t.coef);
      folded.add(Affine::of_constant(b.lo), t.coef);
      if (!folded.ok) continue;
      a = std::move(folded);
      --i;
      continue;
    }
    const int64_t d = divisor_of(t.term, Op::Mod);
    int64_t kd = 0;
    if (d == 0 || __builtin_mul_overflow(t.coef, d, &kd) || kd == Interval::kMin) continue;
    const bool has_partner = std::any_of(a.terms.begin(), a.terms.end(),
                                         [&](const Affine::Term& o) { return o.coef == kd; });
    if (!has_partner) continue;
    const Affine u = Affine::of(t.term.src(0));
    const Affine q = div(u, d);
    // Everything of the quotient that is not a plain leaf must be there: then nothing new appears.
    const bool present = std::all_of(q.terms.begin(), q.terms.end(), [&](const Affine::Term& o) {
      const bool plain = o.term.is(Op::Range) || o.term.is(Op::Var);
      return plain || std::any_of(a.terms.begin(), a.terms.end(), [&](const Affine::Term& x) {
               int64_t coef = 0;
               return x.term == o.term && !__builtin_mul_overflow(kd, o.coef, &coef) &&
                      x.coef == coef;
             });
    });
    if (!present || q.is_constant()) continue;
    Affine joined = a;
    joined.add_term(t.term, -t.coef);
    joined.add(q, -kd);
    joined.add(u, t.coef);
    if (!joined.ok) continue;
    a = std::move(joined);
    i = static_cast<size_t>(-1);  // the new terms may join with others: start again
  }
}

}  // namespace tg

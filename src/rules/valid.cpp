// Gates as assumptions; see valid.h.
#include "rules/valid.h"

#include <algorithm>

namespace tg {
namespace {

constexpr Interval kOpen{};

bool is_bool_const(const UOp& u) { return u.is(Op::Const) && is_bool(u.dtype()); }

// Calls fact(sum, interval) for what one conjunct in normal form says: [not] sum < k, or not (sum
// != k).
void read_conjunct(const UOp& conjunct, auto&& fact) {
  const bool negated = conjunct.is(Op::Xor) && is_bool_const(conjunct.src(1));
  const UOp cmp = negated ? conjunct.src(0) : conjunct;
  const bool less = cmp.is(Op::CmpLt), differ = cmp.is(Op::CmpNe);
  if ((!less && !differ) || cmp.src(0).dtype() != DType::Index || !cmp.src(1).is(Op::Const)) return;
  const int64_t k = cmp.src(1).arg(0);
  if (differ) {
    if (negated) fact(cmp.src(0), Interval{k, k});
  } else if (negated) {
    fact(cmp.src(0), Interval{k, Interval::kMax});
  } else if (k != Interval::kMin) {
    fact(cmp.src(0), Interval{Interval::kMin, k - 1});
  }
}

// sum in i → bounds of each term: c·t ≤ hi − least(others), and likewise from below.
void assume_terms(IndexSimplifier& simplify, const Affine& sum, Interval i,
                  std::vector<std::pair<UOp, Interval>>& out) {
  for (const Affine::Term& t : sum.terms) {
    Affine others = sum;
    others.add_term(t.term, -t.coef);
    const Interval o = simplify.bounds_of(others);
    Interval scaled;  // of coef·term
    if (i.lo != Interval::kMin && o.hi != Interval::kMax)
      scaled.lo = saturating_add(i.lo, saturating_mul(o.hi, -1));
    if (i.hi != Interval::kMax && o.lo != Interval::kMin)
      scaled.hi = saturating_add(i.hi, saturating_mul(o.lo, -1));
    Affine one;
    one.add_term(t.term, t.coef > 0 ? 1 : -1);
    if (t.coef < 0) {
      const Interval turned{scaled.hi == Interval::kMax ? Interval::kMin : -scaled.hi,
                            scaled.lo == Interval::kMin ? Interval::kMax : -scaled.lo};
      scaled = turned;
    }
    const int64_t c = std::abs(t.coef);
    Interval term = kOpen;  // ceil(lo/c) … floor(hi/c)
    if (scaled.lo != Interval::kMin)
      term.lo = floor_div(scaled.lo, c) + (floor_mod(scaled.lo, c) != 0 ? 1 : 0);
    if (scaled.hi != Interval::kMax) term.hi = floor_div(scaled.hi, c);
    if (term != kOpen) out.emplace_back(t.term, term);
  }
}

}  // namespace

bool assume_gate(IndexSimplifier& simplify, const UOp& gate) {
  bool possible = true;
  std::vector<std::pair<UOp, Interval>> facts;
  for (const UOp& conjunct : conjuncts(simplify_index(gate))) {
    possible = possible && !conjunct.is(Op::Const);
    read_conjunct(conjunct, [&](const UOp& sum, Interval i) {
      facts.emplace_back(sum, i);
      assume_terms(simplify, Affine::of(sum), i, facts);
    });
  }
  for (const auto& [sum, i] : facts) simplify.assume(sum, i);
  for (const auto& [sum, i] : facts) {
    const Interval now = simplify.bounds_of(sum);
    possible = possible && now.lo <= now.hi;
  }
  return possible;
}

std::vector<UOp> simplify_under(const UOp& gate, std::span<const UOp> indices) {
  IndexSimplifier plain, under;
  std::vector<UOp> out(indices.begin(), indices.end());
  for (UOp& u : out) u = plain(u);
  if (!assume_gate(under, gate)) return out;
  for (UOp& u : out) {
    // The first round may uncover more; the limit only guards against forms that would alternate.
    for (int round = 0; round < 4; ++round) {
      UOp next = plain(under(u));
      if (next == u) break;
      u = std::move(next);
    }
  }
  return out;
}

UOp simplify_under(const UOp& gate, const UOp& index) {
  return simplify_under(gate, std::span(&index, 1))[0];
}

UOp simplify_gate(const UOp& gate) {
  std::vector<UOp> parts = conjuncts(simplify_index(gate));
  std::sort(parts.begin(), parts.end(),
            [](const UOp& a, const UOp& b) { return structurally_less(a, b); });
  for (size_t i = 0; i < parts.size();) {
    std::vector<UOp> others = parts;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    IndexSimplifier under;
    if (!assume_gate(under, conjunction(others))) return constant(0, DType::Bool);
    const UOp verdict = under(parts[i]);
    if (is_bool_const(verdict)) {
      if (!verdict.scalar().truthy()) return verdict;
      parts = std::move(others);
    } else {
      ++i;
    }
  }
  return conjunction(std::move(parts));
}

}  // namespace tg

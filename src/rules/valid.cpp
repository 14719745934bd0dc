// Gates as assumptions; see valid.h.
#include "rules/valid.h"

#include <algorithm>

namespace tg {
namespace {

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

using Facts = std::vector<std::pair<UOp, Interval>>;

// sum in i → bounds of each term: c·t ≤ hi − least(others), and likewise from below.
void term_facts(IndexSimplifier& plain, const Affine& sum, Interval i, Facts& out) {
  for (const Affine::Term& t : sum.terms) {
    Affine others = sum;
    others.add_term(t.term, -t.coef);
    const Interval o = plain.bounds_of(others);
    Interval scaled;  // of coef·term
    if (i.lo != Interval::kMin && o.hi != Interval::kMax)
      scaled.lo = saturating_add(i.lo, saturating_mul(o.hi, -1));
    if (i.hi != Interval::kMax && o.lo != Interval::kMin)
      scaled.hi = saturating_add(i.hi, saturating_mul(o.lo, -1));
    if (t.coef < 0) {
      scaled = {scaled.hi == Interval::kMax ? Interval::kMin : -scaled.hi,
                scaled.lo == Interval::kMin ? Interval::kMax : -scaled.lo};
    }
    const int64_t c = std::abs(t.coef);
    Interval term;  // ceil(lo/c) … floor(hi/c)
    if (scaled.lo != Interval::kMin)
      term.lo = floor_div(scaled.lo, c) + (floor_mod(scaled.lo, c) != 0 ? 1 : 0);
    if (scaled.hi != Interval::kMax) term.hi = floor_div(scaled.hi, c);
    if (term != Interval{}) out.emplace_back(t.term, term);
  }
}

// What a conjunct in normal form says.
Facts facts_of(IndexSimplifier& plain, const UOp& conjunct) {
  Facts facts;
  read_conjunct(conjunct, [&](const UOp& sum, Interval i) {
    facts.emplace_back(sum, i);
    term_facts(plain, Affine::of(sum), i, facts);
  });
  return facts;
}

// False if the facts contradict each other.
bool assume_facts(IndexSimplifier& simplify, const Facts& facts) {
  for (const auto& [sum, i] : facts) simplify.assume(sum, i);
  return std::all_of(facts.begin(), facts.end(), [&](const auto& fact) {
    const Interval now = simplify.bounds_of(fact.first);
    return now.lo <= now.hi;
  });
}

}  // namespace

bool assume_gate(IndexSimplifier& simplify, const UOp& gate) {
  IndexSimplifier plain;
  Facts facts;
  bool possible = true;
  for (const UOp& conjunct : conjuncts(plain(gate))) {
    possible = possible && !is_bool_const(conjunct);
    const Facts more = facts_of(plain, conjunct);
    facts.insert(facts.end(), more.begin(), more.end());
  }
  return assume_facts(simplify, facts) && possible;
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
  IndexSimplifier plain;
  std::vector<UOp> parts = conjuncts(plain(gate));
  std::sort(parts.begin(), parts.end(),
            [](const UOp& a, const UOp& b) { return structurally_less(a, b); });
  std::vector<Facts> facts;
  for (const UOp& p : parts) facts.push_back(facts_of(plain, p));
  for (size_t i = 0; i < parts.size();) {
    Facts others;
    for (size_t j = 0; j < parts.size(); ++j) {
      if (j != i) others.insert(others.end(), facts[j].begin(), facts[j].end());
    }
    IndexSimplifier under;
    if (!assume_facts(under, others)) return constant(0, DType::Bool);
    const UOp verdict = under(parts[i]);
    if (!is_bool_const(verdict)) {
      ++i;
      continue;
    }
    if (!verdict.scalar().truthy()) return verdict;
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(i));
    facts.erase(facts.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return conjunction(std::move(parts));
}

}  // namespace tg

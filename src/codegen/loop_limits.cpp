// See loop_limits.h. A reduction does nothing where its value is its identity, a store nothing
// where its gate is false.
#include "codegen/loop_limits.h"

#include <algorithm>
#include <cstdlib>
#include <unordered_set>

#include "codegen/scheduled_kernel.h"
#include "rules/bounds.h"
#include "rules/index.h"
#include "tg/ir/walk.h"

namespace tg {
namespace {

constexpr double kWorthwhile = 0.9;     // part of a range that is left
constexpr int64_t kMostSamples = 4096;  // places at which that is counted

UOp not_(const UOp& condition) { return condition ^ constant(1, DType::Bool); }

// The condition without which a choice is this constant; empty if it is none.
template <typename Fn>
UOp condition_but_for(const UOp& choice, Fn&& is_constant) {
  if (!choice.is(Op::Where)) return {};
  if (is_constant(choice.src(2))) return choice.src(0);
  return is_constant(choice.src(1)) ? not_(choice.src(0)) : UOp{};
}

// The condition without which a sum's term is 0: of a product, that of its first factor with one.
UOp nonzero_condition(const UOp& term) {
  std::vector<UOp> factors{term};
  std::unordered_set<const Node*> seen;
  while (!factors.empty()) {
    const UOp v = std::move(factors.back());
    factors.pop_back();
    if (!seen.insert(v.node()).second) continue;
    if (v.is(Op::Mul)) factors.push_back(v.src(1));
    if (v.is(Op::Mul) || v.is(Op::Cast)) factors.push_back(v.src(0));
    const UOp condition = v.is(Op::Load)
                              ? gate_of(v)
                              : condition_but_for(v, [](const UOp& u) { return u.is_const(0); });
    if (condition) return condition;
  }
  return {};
}

// The condition without which an effect or reduction does nothing; empty if there is none.
UOp condition_of(const Node* closing) {
  if (closing->op == Op::Stage) return {};
  if (closing->op == Op::End) {
    const UOp effect = UOp::share(closing->src()[0]);
    return effect.is(Op::Store) ? gate_of(effect) : UOp{};
  }
  const UOp value = UOp::share(closing->src()[0]);
  const auto op = static_cast<ReduceOp>(closing->arg()[0]);
  if (op == ReduceOp::Add) return nonzero_condition(value);
  return condition_but_for(value, [&](const UOp& u) {
    return u.is(Op::Const) && u.scalar() == reduce_identity(op, value.dtype());
  });
}

// Adds k·u to the sum, if u is made of indices, as their own numbers or cast to integers.
bool add_indices(const UOp& u, int64_t k, Affine& sum) {
  std::vector<std::pair<UOp, int64_t>> work{{u, k}};
  while (!work.empty()) {
    const auto [part, times] = std::move(work.back());
    work.pop_back();
    if (part.dtype() == DType::Index) {
      sum.add(Affine::of(part), times);
    } else if (part.is(Op::Const)) {
      sum.add_constant(saturating_mul(times, part.scalar().i64()));
    } else if (part.is(Op::Cast) && part.src(0).dtype() == DType::Index) {
      work.emplace_back(part.src(0), times);
    } else if (part.is(Op::Add)) {
      work.emplace_back(part.src(0), times);
      work.emplace_back(part.src(1), times);
    } else if (part.is(Op::Mul) && part.src(1).is(Op::Const)) {
      work.emplace_back(part.src(0), saturating_mul(times, part.src(1).scalar().i64()));
    } else {
      return false;
    }
  }
  return sum.ok;
}

// Integers may wrap where they are computed; then they are no sum of indices. Those of uint64 may
// be larger than any index.
bool never_wraps(const UOp& u) {
  const DType t = u.dtype();
  return t == DType::Index || (is_int(t) && t != DType::UInt64 && bounds(u) != dtype_interval(t));
}

bool is_range_or_variable(const Affine::Term& t) {
  return t.term.is(Op::Range) || t.term.is(Op::Var);
}

// What one conjunct says, with c·range + rest for its sum.
//   c > 0: range < ⌈−rest/c⌉      range ≥ ⌈−rest/c⌉
//   c < 0: range ≥ ⌊rest/−c⌋ + 1  range < ⌊rest/−c⌋ + 1
void add_conjunct(const UOp& conjunct, const UOp& range, LoopLimits& out) {
  auto said = index_comparison(conjunct);
  if (!said) return;
  Affine& rest = said->sum;
  const auto at = std::ranges::find(rest.terms, range, &Affine::Term::term);
  if (at == rest.terms.end()) return;
  const int64_t c = at->coef;
  rest.terms.erase(at);
  if (!std::ranges::all_of(rest.terms, is_range_or_variable)) return;
  LoopBound bound{c > 0 ? rest.times(-1) : rest, std::abs(c)};
  bound.over.add_constant(c > 0 ? c - 1 : -c);
  const bool is_limit = (c > 0) != said->negated;
  std::optional<LoopBound>& side = is_limit ? out.limit : out.first;
  if (bound.over.ok && !side) side = std::move(bound);
}

LoopLimits limits_of(const UOp& condition, const UOp& range) {
  LoopLimits out;
  if (!condition) return out;
  for (const UOp& c : conjuncts(condition)) add_conjunct(c, range, out);
  return out;
}

int64_t value_at(const LoopBound& b, std::span<const UOp> ranges, std::span<const int64_t> at) {
  int64_t sum = b.over.constant;
  for (const Affine::Term& t : b.over.terms) {
    const auto i = static_cast<size_t>(std::ranges::find(ranges, t.term) - ranges.begin());
    sum += t.coef * at[i];
  }
  return floor_div(sum, b.by);
}

// Which part of the range is left, on average over the places of the other ranges.
bool saves_enough(const LoopLimits& l, int64_t extent) {
  std::vector<UOp> ranges;
  std::vector<int64_t> extents;
  for (const std::optional<LoopBound>& b : {l.first, l.limit}) {
    for (const Affine::Term& t : b ? b->over.terms : std::vector<Affine::Term>{}) {
      if (std::ranges::find(ranges, t.term) != ranges.end()) continue;
      ranges.push_back(t.term);
      extents.push_back(t.term.src_node(0)->arg()[0]);
    }
  }
  std::vector<int64_t> at(ranges.size(), 0);
  int64_t places = 0, left = 0;
  for (bool more = true; more && places < kMostSamples; ++places) {
    const int64_t first = l.first ? std::max<int64_t>(0, value_at(*l.first, ranges, at)) : 0;
    const int64_t limit = l.limit ? std::min(extent, value_at(*l.limit, ranges, at)) : extent;
    left += std::max<int64_t>(0, limit - first);
    more = false;
    for (size_t i = at.size(); i-- > 0 && !more;) {
      more = ++at[i] < extents[i];
      if (!more) at[i] = 0;
    }
  }
  return static_cast<double>(left) <= kWorthwhile * static_cast<double>(places * extent);
}

bool is_worthwhile(const LoopLimits& l, int64_t extent) {
  if (!l) return false;
  if ((l.first && has_variable(*l.first)) || (l.limit && has_variable(*l.limit))) return true;
  return saves_enough(l, extent);
}

}  // namespace

std::optional<IndexComparison> index_comparison(const UOp& conjunct) {
  const bool negated = conjunct.is(Op::Xor) && conjunct.src(1).is_const(1);
  const UOp less = negated ? conjunct.src(0) : conjunct;
  if (!less.is(Op::CmpLt)) return std::nullopt;
  const UOp left = less.src(0), right = less.src(1);
  Affine sum;
  if (!never_wraps(left) || !never_wraps(right) || !add_indices(left, 1, sum) ||
      !add_indices(right, -1, sum))
    return std::nullopt;
  return IndexComparison{std::move(sum), negated};
}

bool has_variable(const LoopBound& bound) {
  return std::ranges::any_of(bound.over.terms, [](const auto& t) { return t.term.is(Op::Var); });
}

bool says_limit(const UOp& conjunct, const UOp& range, const LoopBound& limit) {
  LoopLimits said;
  add_conjunct(conjunct, range, said);
  return said.limit == limit;
}

std::vector<LoopLimits> loop_limits(const UOp& kernel, const KernelSchedule& schedule) {
  std::vector<LoopLimits> out(schedule.bases.size());
  std::vector<bool> seen(out.size(), false);
  for (const Node* n : toposort(kernel)) {
    if (n->op != Op::Reduce && n->op != Op::End && n->op != Op::Stage) continue;
    const UOp condition = condition_of(n);
    for (const Node* r : closed_ranges(n)) {
      const int base = schedule.find_base(UOp::share(r));
      if (base < 0) continue;
      const auto b = static_cast<size_t>(base);
      const LoopLimits here = limits_of(condition, UOp::share(r));
      if (!seen[b]) {
        out[b] = here;
      } else if (out[b] != here) {
        out[b] = {};
      }
      seen[b] = true;
    }
  }
  const std::vector<const Node*> along = running_ranges(kernel);
  for (size_t b = 0; b < out.size(); ++b) {
    // A running reduction needs all points before one.
    const bool runs = std::ranges::find(along, schedule.bases[b].range.node()) != along.end();
    if (runs || !is_worthwhile(out[b], schedule.bases[b].extent)) out[b] = {};
  }
  return out;
}

}  // namespace tg

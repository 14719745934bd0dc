// Gates: what must hold for an access or a value at a point. Conditions on lanes that count up are
// comparisons of lane numbers with one limit; an index that conditions keep inside its array is not
// asked again.
#include <algorithm>
#include <optional>

#include "codegen/emitter.h"

namespace tg {
namespace {

// Whether 32 bits hold all of the values, and sums of two.
bool is_small(const Interval& values) {
  constexpr int64_t kMost = 1 << 30;
  return values.lo > -kMost && values.hi < kMost;
}

}  // namespace

UOp Emitter::both(const UOp& a, const UOp& b) {
  if (!a || !b || a == b) return a ? a : b;
  const int lanes = std::max(a.lanes(), b.lanes());
  return scopes_.put(Op::And, {widen(a, lanes), widen(b, lanes)});
}

bool Emitter::holds_here(const UOp& condition) const {
  const auto known = k_.limit_conditions.find(condition.node());
  return known != k_.limit_conditions.end() && inside_.contains(known->second);
}

// True in the first `count` of the lanes, of which there may be none and must be less than 2³¹.
UOp Emitter::first_lanes(const UOp& count, int lanes) {
  const UOp first = scopes_.put(index_const(0));
  const UOp lane = scopes_.put(cast(scopes_.put(Op::Ramp, {first}, {{lanes, 1}}), DType::Int32));
  const UOp limit =
      count.is(Op::Const) ? constant(count.arg(0), DType::Int32) : cast(count, DType::Int32);
  return scopes_.put(Op::CmpLt, {lane, widen(scopes_.put(limit), lanes)});
}

// How many lanes such a mask keeps, −1 if that is not known.
int64_t Emitter::kept_lanes(const UOp& mask) {
  if (!mask || !mask.is(Op::CmpLt) || !mask.src(1).is(Op::Splat)) return -1;
  const UOp lane = mask.src(0), count = mask.src(1).src(0);
  const bool counts = lane.is(Op::Cast) && lane.src(0).is(Op::Ramp) && lane.src(0).arg(1) == 1 &&
                      lane.src(0).src(0) == index_const(0);
  return counts && count.is(Op::Const) ? count.arg(0) : -1;
}

// The lanes in which a sum is negative that grows or falls by k from lane to lane, whatever it is
// made of; empty if it is another sum. In small numbers where they hold it: what is asked is a
// sign. Else lanes are compared with one limit:
//   s + k·lane < 0 ⇔ lane < (k − 1 − s) div k        s − k·lane < 0 ⇔ ¬(lane < (s + k) div k)
// Limits below 0 are 0, so they are divided afterwards.
UOp Emitter::lanes_below_zero(const Affine& sum, const Point& point, int lanes) {
  Affine scalar{.constant = sum.constant};
  int64_t step = 0;
  for (const Affine::Term& t : sum.terms) {
    if ((deps(t.term) & vector_) == 0) {
      scalar.terms.push_back(t);
    } else if (t.term.is(Op::Range)) {
      step += t.coef;
    } else {
      return {};
    }
  }
  constexpr int64_t kLongestStep = 1 << 16;
  const int64_t k = std::abs(step);
  if (!sum.ok || lanes < 2 || k == 0 || k > kLongestStep) return {};
  if (is_small(bounds_of(sum))) {
    const UOp first = emit_scalar_sum(scalar, point);
    if (first.lanes() == 1 && !first.is(Op::Const))
      return scopes_.put(Op::CmpLt, {small_lanes(first, step, lanes),
                                     widen(scopes_.put(constant(0, DType::Int32)), lanes)});
  }
  Affine limit = step > 0 ? scalar.times(-1) : scalar;
  limit.add_constant(step > 0 ? k - 1 : k);
  const UOp end = emit_scalar_sum(limit, point);
  if (end.lanes() != 1) return {};
  UOp count;
  if (end.is(Op::Const)) {
    count = index_const(std::clamp<int64_t>(end.arg(0), 0, k * lanes) / k);
  } else {
    const UOp zero = scopes_.put(index_const(0)), all = scopes_.put(index_const(k * lanes));
    count = lesser(greater(end, zero), all);
    if (k > 1) count = scopes_.put(Op::IDiv, {count, scopes_.put(index_const(k))});
  }
  const UOp below = first_lanes(count, lanes);
  if (step > 0) return below;
  return scopes_.put(Op::Xor, {below, widen(scopes_.put(constant(1, DType::Bool)), lanes)});
}

// first + step·lane, in 32 bits.
UOp Emitter::small_lanes(const UOp& first, int64_t step, int lanes) {
  const UOp zero = scopes_.put(index_const(0));
  const UOp steps = scopes_.put(cast(scopes_.put(Op::Ramp, {zero}, {{lanes, step}}), DType::Int32));
  return scopes_.put(Op::Add, {widen(scopes_.put(cast(first, DType::Int32)), lanes), steps});
}

UOp Emitter::is_below(const Affine& index, int64_t limit, const Point& point, int lanes) {
  Affine sum = index;
  sum.add_constant(-limit);
  if (const UOp mask = lanes_below_zero(sum, point, lanes)) return mask;
  const UOp at = emit_index(index, point, lanes);
  return scopes_.put(Op::CmpLt, {at, widen(scopes_.put(index_const(limit)), at.lanes())});
}

UOp Emitter::is_not_negative(const Affine& index, const Point& point, int lanes) {
  Affine sum = index.times(-1);
  sum.add_constant(-1);
  if (const UOp mask = lanes_below_zero(sum, point, lanes)) return mask;
  const UOp at = emit_index(index, point, lanes);
  return scopes_.put(Op::CmpLt, {widen(scopes_.put(index_const(-1)), at.lanes()), at});
}

namespace {

// That a sum without a constant lies within bounds.
struct KnownSum {
  std::vector<Affine::Term> terms;
  Interval bounds;
};

std::optional<KnownSum> said_by(const UOp& condition) {
  auto said = index_comparison(condition);
  if (!said || said->sum.terms.empty()) return std::nullopt;
  auto& [sum, negated] = *said;
  Interval bounds;
  (negated ? bounds.lo : bounds.hi) = -sum.constant - (negated ? 0 : 1);
  if (sum.terms[0].coef < 0) {
    for (Affine::Term& t : sum.terms) t.coef = -t.coef;
    bounds = {negated ? Interval{}.lo : -bounds.hi, negated ? -bounds.lo : Interval{}.hi};
  }
  return KnownSum{std::move(sum.terms), bounds};
}

// How often `part` is contained in the sum, with all its terms: 0 if it is not.
int64_t times_in(const Affine& sum, std::span<const Affine::Term> part) {
  int64_t times = 0;
  for (const Affine::Term& t : part) {
    const auto at = std::ranges::find(sum.terms, t.term, &Affine::Term::term);
    if (at == sum.terms.end() || at->coef % t.coef != 0) return 0;
    const int64_t k = at->coef / t.coef;
    if (times != 0 && k != times) return 0;
    times = k;
  }
  return times;
}

}  // namespace

// Where the conditions hold, parts of the sum that they compare lie within what they say: the rows
// and columns of a padded image that was merged into one axis.
Interval Emitter::bounds_under(const Affine& index, std::span<const UOp> conditions) const {
  std::vector<KnownSum> known;
  for (const UOp& c : conditions) {
    const auto said = said_by(c);
    if (!said) continue;
    const auto same = std::ranges::find(known, said->terms, &KnownSum::terms);
    if (same == known.end()) {
      known.push_back(*said);
    } else {
      same->bounds = {std::max(same->bounds.lo, said->bounds.lo),
                      std::min(same->bounds.hi, said->bounds.hi)};
    }
  }
  Affine rest = index;
  Interval sum{0, 0};
  for (const KnownSum& part : known) {
    const int64_t k = times_in(rest, part.terms);
    if (k == 0 || !part.bounds.bounded()) continue;
    for (const Affine::Term& t : part.terms) rest.add_term(t.term, -k * t.coef);
    const int64_t x = saturating_mul(part.bounds.lo, k), y = saturating_mul(part.bounds.hi, k);
    sum = {saturating_add(sum.lo, std::min(x, y)), saturating_add(sum.hi, std::max(x, y))};
  }
  const Interval others = bounds_of(rest);
  return {saturating_add(sum.lo, others.lo), saturating_add(sum.hi, others.hi)};
}

// What must hold for the access: its own conditions, and that each index is inside the array where
// that is not certain.
bool Emitter::is_asked(const UOp& condition) {
  return !holds_here(condition) && bounds_of(condition) != Interval{1, 1};
}

Interval Emitter::reach_of(const AccessForm& form, size_t d) {
  const Interval always = bounds_of(form.dims[d]);
  if (always.lo >= 0 && always.hi < form.access.src_node(0)->shape()[d]) return always;
  const Interval gated = bounds_under(form.dims[d], form.conditions);
  return {std::max(always.lo, gated.lo), std::min(always.hi, gated.hi)};
}

bool Emitter::has_gate(const AccessForm& form) {
  if (std::ranges::any_of(form.conditions, [this](const UOp& c) { return is_asked(c); }))
    return true;
  for (size_t d = 0; d < form.dims.size() && !form.access.src(0).is(Op::Stage); ++d) {
    const Interval reach = reach_of(form, d);
    if (reach.lo < 0 || reach.hi >= form.access.src_node(0)->shape()[d]) return true;
  }
  return false;
}

UOp Emitter::access_gate(const AccessForm& form, const Point& point, int lanes) {
  UOp gate;
  for (const UOp& c : form.conditions) {
    if (is_asked(c)) gate = both(gate, value(c));
  }
  if (form.access.src(0).is(Op::Stage)) return gate;
  for (size_t d = 0; d < form.dims.size(); ++d) {
    const Dim extent = form.access.src_node(0)->shape()[d];
    const Interval reach = reach_of(form, d);
    if (reach.hi >= extent) gate = both(gate, is_below(form.dims[d], extent, point, lanes));
    if (reach.lo < 0) gate = both(gate, is_not_negative(form.dims[d], point, lanes));
  }
  return gate;
}

}  // namespace tg

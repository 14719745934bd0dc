// See gated_term.h.
#include "schedule/gated_term.h"

#include <algorithm>

#include "rules/valid.h"
#include "tg/ir/walk.h"

namespace tg {
namespace {

void gate_by(GatedTerm& t, const UOp& condition) {
  for (const UOp& c : conjuncts(condition)) t.conditions.push_back(c);
}

bool is_zero_outside(const UOp& u) {
  return u.is(Op::Where) && (u.src(1).is_const(0) || u.src(2).is_const(0));
}

// The comparison under casts that make it 0 or 1; empty if `u` is no such thing.
UOp flag_of(UOp u) {
  while (u.is(Op::Cast) && u.src(0).dtype() != DType::Bool) u = u.src(0);
  return u.is(Op::Cast) ? u.src(0) : UOp{};
}

// where(c, a, 0) and cast(c) as a and 1 under c; anything else as it is.
UOp open_gate(const UOp& u, GatedTerm& t) {
  if (const UOp flag = flag_of(u)) {
    gate_by(t, flag);
    return const_like(u, int64_t{1});
  }
  if (!is_zero_outside(u)) return u;
  const bool inside = u.src(2).is_const(0);
  gate_by(t, inside ? u.src(0) : logical_not(u.src(0)));
  return u.src(inside ? 1 : 2);
}

std::optional<UOp> fits(const UOp& index, DType dtype, IndexSimplifier& simplify) {
  const Interval b = simplify.bounds_of(index);
  const bool wide = dtype_size(dtype) >= 8;
  const int bits = static_cast<int>(8 * dtype_size(dtype)) - (is_unsigned(dtype) ? 0 : 1);
  const int64_t hi = wide ? Interval::kMax : (int64_t{1} << bits) - 1;
  const int64_t lo = is_unsigned(dtype) ? 0 : wide ? Interval::kMin : -hi - 1;
  if (b.bounded() && b.lo >= lo && b.hi <= hi) return index;
  return {};
}

// The value of an integer expression as an index, if it cannot wrap.
std::optional<UOp> as_index(const UOp& u, IndexSimplifier& simplify) {
  if (u.dtype() == DType::Index) return u;
  if (!is_int(u.dtype())) return {};
  if (u.is(Op::Const)) return index_const(u.arg(0));
  if (u.is(Op::Cast) && u.src(0).dtype() == DType::Index)
    return fits(u.src(0), u.dtype(), simplify);
  if (u.is(Op::Add) || u.is(Op::Mul)) {
    const auto a = as_index(u.src(0), simplify), b = as_index(u.src(1), simplify);
    if (!a || !b) return {};
    return fits(u.is(Op::Add) ? *a + *b : *a * *b, u.dtype(), simplify);
  }
  return cast(u, DType::Index);
}

}  // namespace

GatedTerm open_gates(const UOp& v) {
  GatedTerm t{v, {}};
  while (true) {
    const UOp before = t.value;
    if (t.value.is(Op::Mul)) {
      const UOp a = open_gate(t.value.src(0), t), b = open_gate(t.value.src(1), t);
      if (a != before.src(0) || b != before.src(1))
        t.value = a.is_const(1) ? b : b.is_const(1) ? a : a * b;
    } else if (t.value.is(Op::Cast) && is_zero_outside(t.value.src(0))) {
      t.value = cast(open_gate(t.value.src(0), t), t.value.dtype());
    } else {
      t.value = open_gate(t.value, t);
    }
    if (t.value == before) return t;
  }
}

UOp close_gates(const GatedTerm& t) {
  if (t.conditions.empty()) return t.value;
  return where(conjunction(t.conditions), t.value, const_like(t.value, int64_t{0}));
}

bool depends_on(const UOp& u, const UOp& range) {
  const std::vector<UOp> free = free_ranges(u);
  return std::ranges::find(free, range) != free.end();
}

std::optional<RangeDifference> range_difference(const UOp& a, const UOp& b, const UOp& r,
                                                IndexSimplifier& simplify) {
  const auto ia = as_index(a, simplify), ib = as_index(b, simplify);
  if (!ia || !ib) return {};
  Affine d = Affine::of(*ia);
  d.add(Affine::of(*ib), -1);
  if (!d.ok) return {};
  RangeDifference out{0, {}};
  out.rest.constant = d.constant;
  for (const Affine::Term& t : d.terms) {
    if (t.term == r) {
      out.sign = t.coef;
    } else if (depends_on(t.term, r)) {
      return {};
    } else {
      out.rest.add_term(t.term, t.coef);
    }
  }
  if (out.sign != 1 && out.sign != -1) return {};
  return out;
}

std::optional<RangeLimit> range_limit(UOp condition, const UOp& r, IndexSimplifier& simplify) {
  bool holds = true;
  while (condition.is(Op::Xor) && condition.src(1).is_const(1)) {
    holds = !holds;
    condition = condition.src(0);
  }
  if (!condition.is(Op::CmpLt)) return {};
  const auto d = range_difference(condition.src(0), condition.src(1), r, simplify);
  if (!d || !simplify.bounds_of(d->rest).bounded())
    return {};  // 64-bit data: rest + 1 and −rest could wrap
  // sign·r + rest < 0, or its opposite sign·r + rest ≥ 0.
  RangeLimit out{d->sign == 1 ? holds : !holds, d->sign == 1 ? d->rest.times(-1) : d->rest};
  if (d->sign == -1) out.at.add_constant(1);
  if (!out.at.ok) return {};
  return out;
}

}  // namespace tg

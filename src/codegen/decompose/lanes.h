// Arithmetic on nodes of any number of lanes, for writing decompositions: constants are spread over
// the lanes of the operand that they meet, and everything else is an ordinary builder.
#pragma once

#include "tg/ir/uop.h"

namespace tg::lanes {

/// The constant in every lane of `x`, in dtype `t`.
inline UOp fill(const UOp& x, const Scalar& v) {
  const UOp c = constant(v);
  return x.lanes() == 1 ? c : make(Op::Splat, {c}, {{x.lanes()}});
}
inline UOp num(const UOp& x, double v) { return fill(x, Scalar::of_double(v, x.dtype())); }
inline UOp whole(const UOp& x, int64_t v) { return fill(x, Scalar::of_int(v, x.dtype())); }

inline UOp neg(const UOp& a) { return a * whole(a, -1); }
inline UOp sub(const UOp& a, const UOp& b) { return a + neg(b); }
inline UOp both(const UOp& a, const UOp& b) { return make(Op::And, {a, b}); }
inline UOp either(const UOp& a, const UOp& b) { return make(Op::Or, {a, b}); }
inline UOp inverted(const UOp& a) { return make(Op::Xor, {a, whole(a, 1)}); }
inline UOp masked(const UOp& a, uint64_t bits) {
  return make(Op::And, {a, fill(a, Scalar::of_uint(bits, a.dtype()))});
}
inline UOp up(const UOp& a, int by) { return shl(a, whole(a, by)); }
inline UOp down(const UOp& a, int by) { return shr(a, whole(a, by)); }
inline UOp is_nan(const UOp& a) { return ne(a, a); }

}  // namespace tg::lanes

// The helper functions of generated C that all dialects share: what C lacks (maximum with NaN,
// floor division, shifts by the width, saturating casts, gathers). Each function here returns the
// helper's name and makes sure that the unit defines it. Names carry the type, so one helper serves
// all kernels of a unit. What a dialect does in its own way is in c_dialect.h.
#pragma once

#include <string>

#include "renderer/c_unit.h"
#include "tg/ir/op.h"

namespace tg::helpers {

/// max(a, b): NaN if either is NaN. With `b_is_number` b cannot be NaN, and one comparison does.
std::string max(CUnit& u, DType t, int lanes, bool b_is_number);
/// Floor division or remainder; 0 for a zero divisor. Op::IDiv or Op::Mod.
std::string divide(CUnit& u, Op op, DType t, int lanes);
/// Shift by any amount. Op::Shl or Op::Shr.
std::string shift(CUnit& u, Op op, DType t, int lanes);
/// Sum or product of integers that wraps where the dialect's own does not. Op::Add or Op::Mul.
std::string wrapping(CUnit& u, Op op, DType t, int lanes);
/// Float to integer as Scalar::cast: truncates, NaN is 0, saturates at 64 bits before it wraps.
std::string float_to_int(CUnit& u, DType from, DType to, int lanes);
/// Lanes [n] → scalar, halving. Bool vectors give their mask dtype: sum is or, product is and.
std::string vreduce(CUnit& u, ReduceOp op, DType t, int lanes, bool is_mask);
/// f32x8 gather_f32x8(const f32* p, i64x8 i); with a mask of elements' width as third argument if
/// `masked`.
std::string gather(CUnit& u, Space space, DType t, DType index, int lanes, bool masked);

}  // namespace tg::helpers

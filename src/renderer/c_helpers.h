// The helper functions of generated C: what C or one of the compilers lacks (select on vectors,
// floor division, shifts by the width, saturating casts, masked memory). Each function here returns
// the helper's name and makes sure that the unit defines it. Names carry the type, so one helper
// serves all kernels of a unit.
#pragma once

#include <string>

#include "renderer/c_unit.h"
#include "uop/op.h"

namespace tg::helpers {

/// f32x8 splat_f32x8(f32 x)
std::string splat(CUnit& u, DType t, int lanes);
/// f32x8 select_f32x8(i32x8 m, f32x8 a, f32x8 b): a where m is set. The mask has the width of the
/// elements.
std::string select(CUnit& u, DType t, int lanes);
/// max(a, b): NaN if either is NaN. With `b_is_number` b cannot be NaN, and one comparison does.
std::string max(CUnit& u, DType t, int lanes, bool b_is_number);
/// Floor division or remainder; 0 for a zero divisor. Op::IDiv or Op::Mod.
std::string divide(CUnit& u, Op op, DType t, int lanes);
/// Shift by any amount. Op::Shl or Op::Shr.
std::string shift(CUnit& u, Op op, DType t, int lanes);
std::string trunc(CUnit& u, DType t, int lanes);
std::string sqrt(CUnit& u, DType t, int lanes);
/// Float to integer as Scalar::cast: truncates, NaN is 0, saturates at 64 bits before it wraps.
std::string float_to_int(CUnit& u, DType from, DType to, int lanes);
/// Between half, as bits, and float32.
std::string half_to_float(CUnit& u, int lanes);
std::string float_to_half(CUnit& u, int lanes);
/// The same bits as another type, for scalars.
std::string bitcast(CUnit& u, DType from, DType to);
/// Lanes [n] → scalar, halving. Bool vectors give their mask dtype: sum is or, product is and.
std::string vreduce(CUnit& u, ReduceOp op, DType t, int lanes, bool is_mask);
/// f32x8 load_mask_f32x8(const f32* p, i32x8 m): lanes whose mask is clear are 0 and not touched.
std::string load_mask(CUnit& u, DType t, int lanes);
/// void store_mask_f32x8(f32* p, i32x8 m, f32x8 v)
std::string store_mask(CUnit& u, DType t, int lanes);
/// void stream_f32x16(f32* p, f32x16 v): a whole cache line past the caches if p is aligned to it
/// and the compiler has a way to say so; else a plain store.
std::string stream(CUnit& u, DType t, int lanes);
/// void streams_end(void): what was streamed is seen by other threads before what comes after.
std::string streams_end(CUnit& u);
/// f32x8 gather_f32x8(const f32* p, i64x8 i); with a mask of elements' width as third argument if
/// `masked`.
std::string gather(CUnit& u, DType t, DType index, int lanes, bool masked);

}  // namespace tg::helpers

// bfloat16, half and the fp8 formats on machines that have float32: between the stored bits and a
// float32 of the same value, and rounding of a float32 to what the format holds, to nearest even. A
// "wide" value below is a float32 that the format can represent. The formats: src/dtype/convert.h.
#pragma once

#include "tg/ir/uop.h"

namespace tg {

/// A stored value (node of dtype `t`) as wide float32.
UOp widen_small_float(const UOp& stored);
/// A wide float32 as the stored dtype `t`; exact.
UOp narrow_small_float(const UOp& wide, DType t);
/// Any float32 rounded to `t`, as wide float32: overflow and NaN as the format has them.
UOp round_small_float(const UOp& x, DType t);
/// A value of float64 or of an integer dtype as float32 that rounds to every small format as the
/// value itself would (rounded to odd). Of integers it needs no float64.
UOp to_odd_float32(const UOp& x);

}  // namespace tg

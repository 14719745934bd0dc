// Conversions between float32/float64 and the small floats, bit exact with round to nearest even.
// Used by constant folding, the interpreter, host copies and printing; generated kernels do their
// own.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tg/dtype.h"

namespace tg {

/// `value` rounded (nearest even) to what `t` can hold, as a double. fp8e4m3 has no infinity:
/// overflow gives NaN there; the fnuz types have neither infinity nor negative zero. Identity for
/// Float64; integers are not accepted here.
double round_to_float(double value, DType t);
/// Bits of `value` rounded to `t`, in the low bytes.
uint64_t float_to_bits(double value, DType t);
/// Value of the low bytes of `bits` read as `t`.
double float_from_bits(uint64_t bits, DType t);

/// Whether every finite value of `from`, any dtype but Index, is a value of the float `t`.
///
///     holds_values_of(DType::BFloat16, DType::UInt8) is true, of UInt16 it is false
bool holds_values_of(DType t, DType from);

}  // namespace tg

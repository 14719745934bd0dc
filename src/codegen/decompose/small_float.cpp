// See small_float.h. The integer tricks follow encode and decode of src/dtype/convert.cpp, whose
// results they equal bit for bit.
#include "codegen/decompose/small_float.h"

#include <cmath>
#include <limits>

#include "codegen/decompose/lanes.h"
#include "support/check.h"

namespace tg {
namespace {

using namespace lanes;

// An 8-bit format. Codes without sign: above `max_code` there is infinity, if at all, and NaN.
struct SmallFormat {
  int mantissa;
  int bias;
  uint32_t max_code;
  uint32_t overflow_code;  // infinity, or NaN in formats without one
  uint32_t nan_code;
  bool fnuz;  // NaN is the code of −0, and the only one
};

constexpr SmallFormat kE4M3 = {3, 7, 0x7e, 0x7f, 0x7f, false};
constexpr SmallFormat kE5M2 = {2, 15, 0x7b, 0x7c, 0x7e, false};
constexpr SmallFormat kE4M3Fnuz = {3, 8, 0x7f, 0x80, 0x80, true};
constexpr SmallFormat kE5M2Fnuz = {2, 16, 0x7f, 0x80, 0x80, true};

const SmallFormat& small_format(DType t) {
  switch (t) {
    case DType::Fp8E4M3:
      return kE4M3;
    case DType::Fp8E5M2:
      return kE5M2;
    case DType::Fp8E4M3Fnuz:
      return kE4M3Fnuz;
    case DType::Fp8E5M2Fnuz:
      return kE5M2Fnuz;
    default:
      break;
  }
  TG_CHECK(false, "{} is no 8-bit float", dtype_name(t));
  return kE4M3;
}

UOp bits_of(const UOp& x) { return bitcast(x, DType::UInt32); }
UOp float_of(const UOp& bits) { return bitcast(bits, DType::Float32); }
UOp nan_like(const UOp& x) { return num(x, std::numeric_limits<double>::quiet_NaN()); }

// The exponent field lands in that of float32, off by the difference of the biases, which an exact
// product corrects; it also makes normal numbers of subnormal ones.
UOp decode_fp8(const UOp& code, const SmallFormat& f) {
  const UOp size = masked(code, 0x7f), sign = up(masked(code, 0x80), 24);
  const UOp raw = float_of(up(size, 23 - f.mantissa));
  const UOp magnitude = raw * num(raw, std::ldexp(1.0, 127 - f.bias));
  const UOp signed_value = float_of(either(bits_of(magnitude), sign));
  if (f.fnuz) return where(ne(code, whole(code, 0x80)), signed_value, nan_like(raw));
  const UOp finite = lt(size, whole(size, f.max_code + 1));
  UOp special = nan_like(raw);
  if (f.overflow_code != f.nan_code) {
    const UOp infinity = float_of(either(whole(code, 0x7f800000), sign));
    special = where(ne(size, whole(size, f.overflow_code)), special, infinity);
  }
  return where(finite, signed_value, special);
}

UOp encode_fp8(const UOp& x, const SmallFormat& f) {
  const UOp bits = bits_of(x);
  const UOp size = masked(bits, 0x7fffffff);
  const int cut = 23 - f.mantissa;
  const UOp odd = masked(down(size, cut), 1);
  const UOp rounded = down(size + odd + whole(size, (1 << (cut - 1)) - 1), cut);
  const UOp normal = rounded + whole(size, -(static_cast<int64_t>(127 - f.bias) << f.mantissa));
  // The adder rounds what is below the normal numbers: one unit of the sum is one subnormal step.
  const double step = std::ldexp(1.0, 1 - f.bias - f.mantissa + 23);
  const UOp sum = bits_of(float_of(size) + num(x, step));
  const UOp subnormal =
      sub(sum, fill(sum, Scalar::of_double(step, DType::Float32).bitcast(DType::UInt32)));
  const int64_t smallest_normal = static_cast<int64_t>(128 - f.bias) << 23;
  const UOp finite = where(lt(size, whole(size, smallest_normal)), subnormal, normal);
  const UOp fits = lt(finite, whole(finite, f.max_code + 1));
  const UOp limited =
      where(both(fits, lt(size, whole(size, 0x7f800000))), finite, whole(finite, f.overflow_code));
  const UOp code = where(lt(whole(size, 0x7f800000), size), whole(size, f.nan_code), limited);
  const UOp with_sign = either(code, down(masked(bits, 0x80000000), 24));
  const UOp unsigned_code = ne(code, whole(code, f.nan_code));
  const UOp has_sign = f.fnuz ? both(unsigned_code, ne(code, whole(code, 0))) : unsigned_code;
  return where(has_sign, with_sign, code);
}

UOp round_bfloat16(const UOp& x) {
  const UOp bits = bits_of(x);
  const UOp rounded = bits + masked(down(bits, 16), 1) + whole(bits, 0x7fff);
  return where(is_nan(x), nan_like(x), float_of(masked(rounded, 0xffff0000)));
}

// Float64 to float32 so that an inexact result ends in a one: towards zero, then the last bit set.
UOp odd_from_double(const UOp& x) {
  const UOp y = cast(x, DType::Float32), back = cast(y, DType::Float64), bits = bits_of(y);
  const UOp zero = num(x, 0);
  const UOp grew = where(lt(x, zero), lt(back, x), lt(x, back));
  const UOp cut = where(grew, bits + whole(bits, -1), bits);
  return float_of(where(ne(back, x), either(cut, whole(cut, 1)), bits));
}

// Integers lose bits ten at a time, those lost leaving a one behind, until they fit the significand
// of float32: of 15 bits or more, which is more than any small format has.
UOp odd_from_integer(const UOp& x) {
  constexpr int kStep = 10, kFits = 24;
  const bool is_wide = x.dtype() == DType::Index || dtype_size(x.dtype()) == 8;
  const DType as_unsigned = is_wide ? DType::UInt64 : DType::UInt32;
  UOp size = is_unsigned(x.dtype()) ? x : cast(x, as_unsigned);
  UOp negative;
  if (!is_unsigned(x.dtype())) {
    negative = lt(x, whole(x, 0));
    size = where(negative, neg(size), size);
  }
  UOp scale;
  for (int bits = is_wide ? 64 : 32; bits > kFits; bits -= kStep) {
    const UOp large = lt(whole(size, (int64_t{1} << kFits) - 1), size);
    const UOp lost = ne(masked(size, (1u << kStep) - 1), whole(size, 0));
    const UOp shorter = either(down(size, kStep), cast(lost, as_unsigned));
    if (!scale) scale = num(cast(size, DType::Float32), 1);
    scale = where(large, scale * num(scale, 1 << kStep), scale);
    size = where(large, shorter, size);
  }
  const UOp y = cast(size, DType::Float32) * scale;
  return negative ? where(negative, neg(y), y) : y;
}

}  // namespace

UOp widen_small_float(const UOp& stored) {
  const DType t = stored.dtype();
  if (t == DType::Float16) return cast(stored, DType::Float32);
  if (t == DType::BFloat16) {
    return float_of(up(cast(bitcast(stored, DType::UInt16), DType::UInt32), 16));
  }
  return decode_fp8(cast(bitcast(stored, DType::UInt8), DType::UInt32), small_format(t));
}

UOp narrow_small_float(const UOp& wide, DType t) {
  if (t == DType::Float16) {
    const bool widened = wide.is(Op::Cast) && wide.src(0).dtype() == t;
    return widened ? wide.src(0) : cast(wide, t);
  }
  if (t == DType::BFloat16) return bitcast(cast(down(bits_of(wide), 16), DType::UInt16), t);
  return bitcast(cast(encode_fp8(wide, small_format(t)), DType::UInt8), t);
}

UOp round_small_float(const UOp& x, DType t) {
  if (t == DType::Float16) return cast(cast(x, t), DType::Float32);
  if (t == DType::BFloat16) return round_bfloat16(x);
  return decode_fp8(encode_fp8(x, small_format(t)), small_format(t));
}

UOp to_odd_float32(const UOp& x) {
  const DType t = x.dtype();
  if (t == DType::Float64) return odd_from_double(x);
  const int64_t size = t == DType::Index ? 8 : dtype_size(t);
  if (is_bool(t) || size <= 2) return cast(x, DType::Float32);
  return odd_from_integer(x);
}

}  // namespace tg

// Construction and conversion of scalars. Everything funnels into three normalising functions
// (integer, float, memory), so that equal values have equal bits. Text is in scalar_text.cpp.
#include "tg/ir/scalar.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "dtype/convert.h"
#include "support/check.h"

namespace tg {

namespace {

int width_of(DType t) { return t == DType::Index ? 64 : static_cast<int>(8 * dtype_size(t)); }

// Low bits of `raw` extended to 64: the normal form of an integer dtype.
uint64_t wrap(uint64_t raw, DType t) {
  int unused = 64 - width_of(t);
  if (is_unsigned(t)) return raw << unused >> unused;
  return static_cast<uint64_t>(static_cast<int64_t>(raw << unused) >> unused);
}

// A double that rounds to any format of at most 51 significant bits as the integer itself would:
// the low bits that do not fit are kept as one sticky bit (round to odd), which avoids rounding
// twice.
double to_odd_double(uint64_t magnitude) {
  int excess = 64 - std::countl_zero(magnitude) - 53;
  if (excess <= 0) return static_cast<double>(magnitude);
  uint64_t sticky = (magnitude & ((uint64_t{1} << excess) - 1)) != 0 ? 1 : 0;
  return std::ldexp(static_cast<double>((magnitude >> excess) | sticky), excess);
}

double float_of_integer(uint64_t magnitude, bool negative, DType t) {
  double d = t == DType::Float64 ? static_cast<double>(magnitude) : to_odd_double(magnitude);
  return round_to_float(negative ? -d : d, t);
}

// Truncation towards zero, saturated at the 64-bit range; NaN is 0. For unsigned targets the range
// is that of uint64 above zero and of int64 below, so that -1.0 becomes the all-ones pattern, as on
// every common machine.
uint64_t truncate(double v, DType t) {
  constexpr double kTwo63 = 9223372036854775808.0;
  if (std::isnan(v)) return 0;
  if (v < -kTwo63) return uint64_t{1} << 63;
  if (v < 0) return static_cast<uint64_t>(static_cast<int64_t>(v));
  if (!is_unsigned(t))
    return static_cast<uint64_t>(v >= kTwo63 ? std::numeric_limits<int64_t>::max()
                                             : static_cast<int64_t>(v));
  return v >= 2 * kTwo63 ? std::numeric_limits<uint64_t>::max() : static_cast<uint64_t>(v);
}

void require_value_type(DType t) {
  TG_CHECK(t != DType::Void, "a scalar of dtype void has no value");
}

}  // namespace

Scalar Scalar::of_int(int64_t v, DType t) {
  if (!is_float(t)) return of_uint(static_cast<uint64_t>(v), t);
  uint64_t magnitude = v < 0 ? -static_cast<uint64_t>(v) : static_cast<uint64_t>(v);
  return of_bits(std::bit_cast<uint64_t>(float_of_integer(magnitude, v < 0, t)), t);
}

Scalar Scalar::of_uint(uint64_t v, DType t) {
  if (is_float(t)) return of_bits(std::bit_cast<uint64_t>(float_of_integer(v, false, t)), t);
  return of_bits(is_bool(t) ? v != 0 : v, t);
}

Scalar Scalar::of_double(double v, DType t) {
  if (is_float(t)) return of_bits(std::bit_cast<uint64_t>(v), t);
  return of_bits(is_bool(t) ? v != 0 : truncate(v, t), t);
}

Scalar Scalar::of_bits(uint64_t bits, DType t) {
  require_value_type(t);
  Scalar s;
  s.dtype_ = t;
  if (is_float(t))
    s.bits_ = std::bit_cast<uint64_t>(round_to_float(std::bit_cast<double>(bits), t));
  else
    s.bits_ = is_bool(t) ? bits != 0 : wrap(bits, t);
  return s;
}

double Scalar::as_double() const {
  if (is_float(dtype_)) return f64();
  return is_unsigned(dtype_) ? static_cast<double>(bits_) : static_cast<double>(i64());
}

Scalar Scalar::cast(DType t) const {
  if (t == dtype_) return *this;
  if (is_float(dtype_)) return of_double(f64(), t);
  return is_unsigned(dtype_) ? of_uint(bits_, t) : of_int(i64(), t);
}

Scalar Scalar::bitcast(DType t) const {
  if (t == dtype_) return *this;
  int64_t from_size = dtype_size(dtype_);
  int64_t to_size = dtype_size(t);
  if (from_size == 0 || to_size == 0)
    user_error<DTypeError>("bitcast", fmt::format("void and index have no bits in memory: {} to {}",
                                                  dtype_name(dtype_), dtype_name(t)));
  if (from_size != to_size)
    user_error<DTypeError>("bitcast",
                           fmt::format("element sizes differ: {} has {} bytes, {} has {}",
                                       dtype_name(dtype_), from_size, dtype_name(t), to_size),
                           "Hint: use cast to convert values.");
  return from_memory(to_memory(), t);
}

uint64_t Scalar::to_memory() const {
  if (is_float(dtype_)) return float_to_bits(f64(), dtype_);
  int unused = 64 - width_of(dtype_);
  return unused >= 64 ? 0 : bits_ << unused >> unused;
}

Scalar Scalar::from_memory(uint64_t raw, DType t) {
  if (is_float(t)) return of_bits(std::bit_cast<uint64_t>(float_from_bits(raw, t)), t);
  return of_bits(is_bool(t) ? raw & 0xff : raw, t);
}

}  // namespace tg

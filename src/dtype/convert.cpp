// Small floats by one integer algorithm for every format: cut the double's significand at the
// target's last place, round to nearest even, and let the carry run into the exponent field.
// Float32 takes the processor's own conversion. The formats are those of IEEE 754 and of the OCP
// 8-bit specification; "fnuz" means finite, NaN at 0x80, no negative zero.
#include "dtype/convert.h"

#include <bit>
#include <cmath>
#include <limits>

#include "support/check.h"

namespace tg {

namespace {

struct Format {
  int exponent_bits;
  int mantissa_bits;
  int bias;
  uint64_t max_code;  // largest finite value, without sign
  uint64_t inf_code;  // what an overflow becomes: infinity, or the NaN of a format without one
  uint64_t nan_code;
  bool has_inf;
  bool has_negative_zero;
};

constexpr Format ieee(int exponent_bits, int mantissa_bits) {
  uint64_t inf = ((uint64_t{1} << exponent_bits) - 1) << mantissa_bits;
  uint64_t quiet = uint64_t{1} << (mantissa_bits - 1);
  int bias = (1 << (exponent_bits - 1)) - 1;
  return {exponent_bits, mantissa_bits, bias, inf - 1, inf, inf | quiet, true, true};
}

constexpr Format fnuz(int exponent_bits, int mantissa_bits) {
  int bias = 1 << (exponent_bits - 1);
  return {exponent_bits, mantissa_bits, bias, 0x7f, 0x80, 0x80, false, false};
}

constexpr Format kFp8E4M3 = {4, 3, 7, 0x7e, 0x7f, 0x7f, false, true};
constexpr Format kFp8E5M2 = ieee(5, 2);
constexpr Format kFp8E4M3Fnuz = fnuz(4, 3);
constexpr Format kFp8E5M2Fnuz = fnuz(5, 2);
constexpr Format kFloat16 = ieee(5, 10);
constexpr Format kBFloat16 = ieee(8, 7);

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

const Format& format_of(DType t) {
  switch (t) {
    case DType::Fp8E4M3:
      return kFp8E4M3;
    case DType::Fp8E5M2:
      return kFp8E5M2;
    case DType::Fp8E4M3Fnuz:
      return kFp8E4M3Fnuz;
    case DType::Fp8E5M2Fnuz:
      return kFp8E5M2Fnuz;
    case DType::Float16:
      return kFloat16;
    case DType::BFloat16:
      return kBFloat16;
    default:
      break;
  }
  TG_CHECK(is_float(t), "{} is no float", dtype_name(t));
  TG_CHECK(false, "{} has no small format", dtype_name(t));
  return kFloat16;
}

// `significand` / 2^`shift`, to nearest even. 1 <= shift; the significand has at most 53 bits.
uint64_t shift_right_to_even(uint64_t significand, int shift) {
  if (shift > 54) return 0;
  uint64_t kept = significand >> shift;
  uint64_t rest = significand & ((uint64_t{1} << shift) - 1);
  uint64_t half = uint64_t{1} << (shift - 1);
  return kept + (rest > half || (rest == half && (kept & 1)) ? 1 : 0);
}

// Code of a finite, non-negative double given by its bits; may exceed max_code.
uint64_t encode_magnitude(uint64_t bits, const Format& f) {
  int field = static_cast<int>(bits >> 52);
  uint64_t fraction = bits & ((uint64_t{1} << 52) - 1);
  uint64_t significand = field == 0 ? fraction : fraction | (uint64_t{1} << 52);
  int exponent = (field == 0 ? 1 : field) - 1023;  // of the significand's bit 52
  int lowest = 1 - f.bias;                         // exponent of the subnormals
  int target = exponent < lowest ? lowest : exponent;
  uint64_t kept = shift_right_to_even(significand, 52 - f.mantissa_bits + (target - exponent));
  return (static_cast<uint64_t>(target - lowest) << f.mantissa_bits) + kept;
}

uint64_t encode(double value, const Format& f) {
  if (std::isnan(value)) return f.nan_code;
  uint64_t bits = std::bit_cast<uint64_t>(value);
  uint64_t magnitude = bits & ~(uint64_t{1} << 63);
  uint64_t code = std::isinf(value) ? f.inf_code : encode_magnitude(magnitude, f);
  if (code > f.max_code) code = f.inf_code;
  if (code == f.nan_code || (code == 0 && !f.has_negative_zero)) return code;
  return code | ((bits >> 63) << (f.exponent_bits + f.mantissa_bits));
}

double decode(uint64_t code, const Format& f) {
  int width = f.exponent_bits + f.mantissa_bits;
  code &= (uint64_t{2} << width) - 1;
  if (!f.has_negative_zero && code == f.nan_code) return kNaN;
  uint64_t magnitude = code & ((uint64_t{1} << width) - 1);
  double sign = (code >> width) != 0 ? -1.0 : 1.0;
  if (magnitude > f.max_code) {
    bool infinite = f.has_inf && magnitude == f.inf_code;
    return infinite ? sign * std::numeric_limits<double>::infinity() : kNaN;
  }
  int field = static_cast<int>(magnitude >> f.mantissa_bits);
  uint64_t significand = magnitude & ((uint64_t{1} << f.mantissa_bits) - 1);
  if (field != 0) significand |= uint64_t{1} << f.mantissa_bits;
  int exponent = (field == 0 ? 1 : field) - f.bias - f.mantissa_bits;
  return sign * std::ldexp(static_cast<double>(significand), exponent);
}

}  // namespace

double round_to_float(double value, DType t) {
  if (std::isnan(value)) {
    TG_CHECK(is_float(t), "{} is no float", dtype_name(t));
    return kNaN;
  }
  if (t == DType::Float64) return value;
  if (t == DType::Float32) return static_cast<double>(static_cast<float>(value));
  const Format& f = format_of(t);
  return decode(encode(value, f), f);
}

uint64_t float_to_bits(double value, DType t) {
  if (t == DType::Float64) return std::bit_cast<uint64_t>(std::isnan(value) ? kNaN : value);
  if (t == DType::Float32)
    return std::bit_cast<uint32_t>(std::isnan(value) ? std::numeric_limits<float>::quiet_NaN()
                                                     : static_cast<float>(value));
  return encode(value, format_of(t));
}

double float_from_bits(uint64_t bits, DType t) {
  double value = 0;
  if (t == DType::Float64)
    value = std::bit_cast<double>(bits);
  else if (t == DType::Float32)
    value = std::bit_cast<float>(static_cast<uint32_t>(bits));
  else
    return decode(bits, format_of(t));
  return std::isnan(value) ? kNaN : value;
}

namespace {

// Values are whole multiples, of at most `digits` binary digits, of powers of two from 2^lowest on;
// the greatest is below 2^(highest + 1).
struct BinaryValues {
  int digits, lowest, highest;
};

BinaryValues values_of(DType t) {
  if (t == DType::Float64) return {53, -1074, 1023};
  if (t == DType::Float32) return {24, -149, 127};
  if (is_float(t)) {
    const Format& f = format_of(t);
    const double greatest = decode(f.max_code, f);
    return {f.mantissa_bits + 1, 1 - f.bias - f.mantissa_bits, std::ilogb(greatest)};
  }
  const int digits =
      t == DType::Bool ? 1 : static_cast<int>(8 * dtype_size(t)) - (is_unsigned(t) ? 0 : 1);
  return {digits, 0, digits - 1};
}

}  // namespace

bool holds_values_of(DType t, DType from) {
  TG_CHECK(is_float(t) && from != DType::Index, "{} of {}", dtype_name(t), dtype_name(from));
  const BinaryValues a = values_of(t), b = values_of(from);
  // The least integer with a sign is a power of two, one above the digits.
  const bool least = is_int(from) && !is_unsigned(from);
  return a.digits >= b.digits && a.lowest <= b.lowest && a.highest >= b.highest + (least ? 1 : 0);
}

}  // namespace tg

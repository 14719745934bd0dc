// Sine and cosine. Most arguments are reduced by taking multiples of π/2 off, large ones by Payne
// and Hanek's method (Radian reduction for trigonometric functions, SIGNUM 1983): the product of
// the significand with those bits of 2/π that matter for the quadrant and the fraction, in
// integers, so that arguments of any size lose nothing. On [−π/4, π/4] minimax polynomials of sine
// and cosine (Remez).
#include <array>
#include <limits>
#include <numbers>

#include "codegen/decompose/math.h"
#include "codegen/decompose/polynomial.h"

namespace tg {
namespace {

using namespace lanes;

// 2/π in words of 32 bits, from the binary point on.
constexpr std::array<uint32_t, 37> kTwoOverPi = {
    0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561,
    0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484,
    0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f,
    0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b,
    0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046};

struct SineFormat {
  DType bits;    // unsigned integer of the same size
  int mantissa;  // stored bits
  int bias;
  int zero_words;  // that stand before 2/π in the stream, for exponents near 0
  int words;       // of the window
  int max_word;    // highest index at which a window starts
};

constexpr SineFormat kSineSingle = {DType::UInt32, 23, 127, 1, 3, 4};
constexpr SineFormat kSineDouble = {DType::UInt64, 52, 1023, 2, 6, 32};

// sin(x) = x + x³·S(x²), cos(x) = 1 − x²/2 + x⁴·C(x²).
constexpr std::array<double, 4> kSin32 = {-0.166666672, 0.00833332911, -0.000198393391,
                                          2.71834074e-06};
constexpr std::array<double, 3> kCos32 = {0.0416666456, -0.00138873677, 2.44384719e-05};
constexpr std::array<double, 7> kSin64 = {-0.16666666666666666,    0.0083333333333333228,
                                          -0.00019841269841255291, 2.7557319214292464e-06,
                                          -2.5052104935650168e-08, 1.6058369460529257e-10,
                                          -7.5788296009197403e-13};
constexpr std::array<double, 7> kCos64 = {
    0.041666666666666664,  -0.0013888888888888874,  2.4801587301571672e-05, -2.7557319215442592e-07,
    2.087675437965495e-09, -1.1470294661979106e-11, 4.7381670949904219e-14};

// words[at] … words[at + count − 1] of the stream for a variable `at`: halving steps, as a barrel
// shifter.
std::vector<UOp> window(const UOp& at, const SineFormat& f, int count) {
  std::vector<UOp> words;
  for (int i = 0; i < f.max_word + count; ++i) {
    const uint32_t w = i < f.zero_words ? 0 : kTwoOverPi.at(static_cast<size_t>(i - f.zero_words));
    words.push_back(whole(at, w));
  }
  int step = 1;
  while (2 * step <= f.max_word) step *= 2;
  for (; step >= 1; step /= 2) {
    const UOp stays = ne(masked(at, static_cast<uint64_t>(step)), whole(at, step));
    const size_t kept = static_cast<size_t>(count + step - 1);
    std::vector<UOp> next;
    for (size_t i = 0; i < kept && i < words.size(); ++i) {
      const size_t shifted = i + static_cast<size_t>(step);
      next.push_back(shifted < words.size() ? where(stays, words[i], words[shifted]) : words[i]);
    }
    words = std::move(next);
  }
  return words;
}

struct Reduced {
  UOp quadrant;  // uint64, modulo 4
  UOp angle;     // in [−π/4, π/4], dtype of the argument
};

// Columns of 32 bits of the product of the significand with the window, modulo 2^(32·words); the
// lowest first.
std::vector<UOp> product_columns(const std::vector<UOp>& limbs,
                                 const std::vector<UOp>& window_words) {
  const size_t n = window_words.size();
  std::vector<UOp> columns(n);
  auto add_to = [&](size_t column, const UOp& v) {
    if (column < n) columns[column] = columns[column] ? columns[column] + v : v;
  };
  for (size_t i = 0; i < limbs.size(); ++i) {
    for (size_t j = 0; j < n; ++j) {
      const size_t column = i + (n - 1 - j);
      if (column >= n) continue;
      const UOp p = limbs[i] * window_words[j];
      add_to(column, masked(p, 0xffffffff));
      if (column + 1 < n) add_to(column + 1, down(p, 32));
    }
  }
  for (size_t c = 0; c + 1 < n; ++c) add_to(c + 1, down(columns[c], 32));
  for (UOp& c : columns) c = masked(c, 0xffffffff);
  return columns;
}

// π/2 in 63 bits, 2^62 being one, in words of 32 bits.
constexpr int64_t kHalfPiHigh = 0x6487ed51, kHalfPiLow = 0x10b4611a;

// The angle of float32 of a signed fraction, a quarter turn being 2^64, in integers: the upper 64
// bits of the product with π/2, less than 2^−31 off, then one rounding.
UOp angle_of_fraction(const UOp& fraction) {
  const UOp negative = ne(down(fraction, 63), whole(fraction, 0));
  const UOp size = where(negative, neg(fraction), fraction);
  const UOp high = down(size, 32), low = masked(size, 0xffffffff);
  const UOp half_pi_high = whole(size, kHalfPiHigh);
  const UOp product =
      high * half_pi_high + down(high * whole(size, kHalfPiLow), 32) + down(low * half_pi_high, 32);
  const UOp angle = cast(bitcast(product, DType::Int64), DType::Float32);
  const UOp scaled = angle * num(angle, 0x1p-62);
  return where(negative, neg(scaled), scaled);
}

// x = m·2^(e−mantissa) ≥ ½. In the stream, bit e − mantissa − 2 + 32·zero_words has weight 2 in
// x·2/π: from there on, the quadrant's two bits and the fraction.
Reduced reduce_argument(const UOp& x, const SineFormat& f, bool has_float64) {
  const UOp bits = cast(bitcast(x, f.bits), DType::UInt64);
  const UOp fraction = masked(bits, (uint64_t{1} << f.mantissa) - 1);
  const UOp m = either(fraction, whole(bits, int64_t{1} << f.mantissa));
  const UOp start =
      down(bits, f.mantissa) + whole(bits, 32 * f.zero_words - f.bias - f.mantissa - 2);
  const UOp shift = masked(start, 31);
  const std::vector<UOp> raw = window(down(start, 5), f, f.words + 1);
  std::vector<UOp> words;
  for (int i = 0; i < f.words; ++i) {
    const UOp pair = either(up(raw[static_cast<size_t>(i)], 32), raw[static_cast<size_t>(i) + 1]);
    words.push_back(down(shl(pair, shift), 32));
  }
  std::vector<UOp> limbs = {masked(m, 0xffffffff)};
  if (f.mantissa > 31) limbs.push_back(down(m, 32));
  const std::vector<UOp> c = product_columns(limbs, words);
  const size_t top = c.size() - 1;
  const UOp high = either(up(c[top], 32), c[top - 1]);
  // The fraction, a quarter turn being 2^64, read as signed: the nearest quadrant is the one above
  // from one half on.
  const UOp turn = up(high, 2);
  const UOp quadrant = down(high + whole(high, int64_t{1} << 61), 62);
  UOp angle;
  if (f.words == 3) {
    const UOp part = either(turn, down(c[top - 2], 30));
    if (!has_float64) return {quadrant, angle_of_fraction(part)};
    const UOp a = cast(bitcast(part, DType::Int64), DType::Float64);
    angle = cast(a * num(a, 0x1p-64 * 1.5707963267948966), x.dtype());
  } else {
    const UOp low = either(up(c[top - 2], 32), c[top - 3]);
    const UOp a = cast(bitcast(either(turn, down(low, 62)), DType::Int64), DType::Float64);
    const UOp b = cast(up(low, 2), DType::Float64);
    const UOp r = a * num(a, 0x1p-64) + b * num(b, 0x1p-128);
    angle = r * num(r, 1.5707963267948966) + r * num(r, 6.123233995736766e-17);
  }
  return {quadrant, angle};
}

// On [−π/4, π/4].
UOp near_zero(const UOp& a, bool is_cosine) {
  const bool single = a.dtype() == DType::Float32;
  const UOp z = a * a;
  if (!is_cosine) return a * (z * (single ? polynomial(z, kSin32) : polynomial(z, kSin64))) + a;
  return z * z * (single ? polynomial(z, kCos32) : polynomial(z, kCos64)) +
         (z * num(z, -0.5) + num(z, 1));
}

// Sine or cosine of an angle in [−π/4, π/4] that a whole number of quadrants has been taken from.
UOp of_quadrant(const UOp& a, const UOp& quadrant, bool is_cosine) {
  const SineFormat& f = a.dtype() == DType::Float32 ? kSineSingle : kSineDouble;
  const UOp q = is_cosine ? quadrant + whole(quadrant, 1) : quadrant;
  const UOp odd = ne(masked(q, 1), whole(q, 0));
  const UOp value = where(odd, near_zero(a, true), near_zero(a, false));
  const UOp sign = up(masked(q, 2), 8 * static_cast<int>(dtype_size(a.dtype())) - 2);
  return bitcast(make(Op::Xor, {bitcast(value, f.bits), sign}), a.dtype());
}

// Of any argument above π/4 in size, by Payne and Hanek. An infinity is reduced as 1, and made NaN
// by its product with 0.
UOp of_large(const UOp& x, bool is_cosine, bool has_float64) {
  const SineFormat& f = x.dtype() == DType::Float32 ? kSineSingle : kSineDouble;
  const UOp negative = lt(x, num(x, 0));
  const UOp size = where(negative, neg(x), x);
  const UOp finite = lt(size, num(x, std::numeric_limits<double>::infinity()));
  const Reduced reduced = reduce_argument(where(finite, size, num(x, 1)), f, has_float64);
  const UOp value = of_quadrant(reduced.angle, cast(reduced.quadrant, f.bits), is_cosine);
  const UOp odd = is_cosine ? value : where(negative, neg(value), value);
  return odd + x * num(x, 0);
}

// π/2 in three parts, each what the ones before leave, rounded: k·part is exact in a fused product,
// and so is the first difference, of an argument and the multiple of π/2 next to it.
struct Reduction {
  double limit;  ///< of arguments that it is for
  double shift;  ///< 1.5·2^(stored bits): the lowest bits of a sum with it are the nearest whole
  std::array<double, 3> half_pi;
};
constexpr Reduction kReduceSingle = {
    0x1p17, 0x1.8p23, {1.5707963705062866, -4.371138828673793e-08, -1.7151245100058819e-15}};
constexpr Reduction kReduceDouble = {
    0x1p30, 0x1.8p52, {1.5707963267948966, 6.123233995736766e-17, -1.4973849048591698e-33}};

// Of arguments up to the limit, by Cody and Waite (Software manual for the elementary functions,
// 1980). NaN stays NaN.
UOp of_moderate(const UOp& x, const Reduction& by, bool is_cosine) {
  const SineFormat& f = x.dtype() == DType::Float32 ? kSineSingle : kSineDouble;
  const UOp shifted = fma(x, num(x, 2 / std::numbers::pi), num(x, by.shift));
  const UOp quadrants = shifted + num(x, -by.shift);
  UOp a = x;
  for (const double part : by.half_pi) a = fma(quadrants, num(x, -part), a);
  return of_quadrant(a, bitcast(shifted, f.bits), is_cosine);
}

// Sine, or cosine: which is even, and a quadrant ahead. With products that are not rounded few
// arguments are large; a select's long value is made where it is wanted (codegen/long_arms.h).
UOp circular(const UOp& x, bool is_cosine, const Target& target) {
  const Reduction& by = x.dtype() == DType::Float32 ? kReduceSingle : kReduceDouble;
  const bool fused = target.has_fma && target.supports(Op::Fma);
  const UOp size = where(lt(x, num(x, 0)), neg(x), x);
  const UOp is_large = lt(num(x, fused ? by.limit : std::numbers::pi / 4), size);
  const UOp quick = fused ? of_moderate(x, by, is_cosine) : near_zero(x, is_cosine);
  // −0 as a sine stays −0.
  return where(is_large, of_large(x, is_cosine, target.supports(DType::Float64)),
               is_cosine ? quick : where(ne(x, num(x, 0)), quick, x));
}

}  // namespace

UOp sin_polynomial(const UOp& x, const Target& target) { return circular(x, false, target); }
UOp cos_polynomial(const UOp& x, const Target& target) { return circular(x, true, target); }

}  // namespace tg

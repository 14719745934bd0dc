// exp2, exp and log2. exp2(x) = 2^k · 2^r with k the nearest integer: adding 1.5·2^(mantissa bits)
// rounds, and leaves k in the low bits of the sum. log2(x) = e + log2(m) with m in [√½, √2). The
// coefficients are minimax fits by Remez' algorithm over these intervals; the errors of the fits
// lie below 2^-27 (float32) and 2^-64 (float64) relative to the result.
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "codegen/decompose/math.h"
#include "codegen/decompose/polynomial.h"
#include "codegen/decompose/sign.h"

namespace tg {
namespace {

using namespace lanes;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// What differs between the two formats.
struct ExpFormat {
  DType bits;    // integer of the same size
  int mantissa;  // stored bits
  int bias;
  double round;   // 1.5·2^mantissa
  double lowest;  // exponents clamp to [lowest, highest]: at both, the result is 0 or infinity
  double highest;
  int64_t root_half;  // bits of √½
  double smallest;    // normal number
};

constexpr ExpFormat kExpSingle = {DType::Int32, 23, 127, 0x1.8p23, -151, 129, 0x3f3504f3, 0x1p-126};
constexpr ExpFormat kExpDouble = {DType::Int64,       52,       1023, 0x1.8p52, -1076, 1030,
                                  0x3fe6a09e667f3bcd, 0x1p-1022};

const ExpFormat& exp_format(DType t) { return t == DType::Float32 ? kExpSingle : kExpDouble; }

// (2^r − 1)/r on [−½, ½].
constexpr std::array<double, 6> kExp32 = {0.693147182,   0.240226477,  0.0555033199,
                                          0.00961843878, 0.0013399109, 0.000153533954};
constexpr std::array<double, 12> kExp64 = {
    0.69314718055994529,    0.24022650695910072,    0.055504108664821687,   0.0096181291076283277,
    0.0013333558146392201,  0.00015403530393643793, 1.525273385485281e-05,  1.3215486593277153e-06,
    1.0178051695291934e-07, 7.054974762273296e-09,  4.4566110206190833e-10, 2.5625465397466943e-11};

// (log2(1 + f) − f)/f on [√½ − 1, √2 − 1].
constexpr std::array<double, 10> kLog32 = {0.442695051, -0.721347332, 0.480897874, -0.360696882,
                                           0.288587004, -0.239625752, 0.204256073, -0.190670729,
                                           0.188110724, -0.113169625};
// (log2((1 + s)/(1 − s))/s − 2/ln 2)/z with z = s².
constexpr std::array<double, 8> kLog64 = {
    0.96179669392597555, 0.57707801635567824, 0.4121985830760842,  0.3205989043230506,
    0.2623075561874938,  0.2219897164312675,  0.19113698706176249, 0.19138203379590088};
constexpr double kTwoOverLn2 = 2.8853900817779268;

// What rounds x to the nearest integer n: adding `by` leaves n + offset in the low bits of the sum.
// The offset makes them an exponent field, or two of them added. Results of 0 come of products with
// a 0, not of numbers too small to store: a processor that meets such a number interrupts itself,
// which makes a vector of masked scores (−∞) ten times as expensive as one of scores.
struct Rounding {
  const ExpFormat& f;
  double unit;  // of x: 1 for exp2, ln 2 for exp
  bool falls;   // n ≤ 0 is certain
  double by() const { return f.round + (falls ? f.bias + lift() : 2 * f.bias); }

  // p · 2^n. Nothing overflows on the way, and a denormal result is rounded once.
  UOp scaled(const UOp& p, const UOp& shifted, const UOp& x) const {
    const UOp bits = bitcast(shifted, f.bits);
    auto power = [&](const UOp& field) { return bitcast(up(field, f.mantissa), p.dtype()); };
    if (falls) return p * power(bits) * num(p, std::ldexp(1.0, -lift()));
    const UOp half = down(bits, 1);
    return where(lt(x, lowest(x)), num(p, 0), p) * power(half) * power(sub(bits, half));
  }

  UOp clamped(const UOp& x) const {
    const UOp above = where(lt(x, lowest(x)), lowest(x), x);
    if (falls) return above;
    const UOp highest = num(x, f.highest * unit);
    return where(lt(highest, above), highest, above);
  }

 private:
  // Where n ≤ 0, this is added to it, and one constant takes it back: 2^(n + lift) is a normal
  // number for every n above the lowest, whose exponent field of 0 means 0.
  int lift() const { return -static_cast<int>(f.lowest) - f.bias; }
  UOp lowest(const UOp& x) const { return num(x, f.lowest * unit); }
};

}  // namespace

UOp exp2_polynomial(const UOp& x) {
  const Rounding rounding{exp_format(x.dtype()), 1, is_never_positive(x)};
  const UOp inside = rounding.clamped(x);
  const UOp shifted = inside + num(x, rounding.by());
  const UOp r = sub(inside, shifted + num(x, -rounding.by()));
  const UOp p =
      r * (x.dtype() == DType::Float32 ? polynomial(r, kExp32) : polynomial(r, kExp64)) + num(x, 1);
  return rounding.scaled(p, shifted, x);
}

// As exp2, but that r = x − n·ln 2 comes in two steps, of which the first is exact: ln 2 is split
// into a part with so few bits that n times it is a float, and the rest. Coefficients of
// (e^r − 1 − r)/r²: float32, Cephes (Moshier), expf.c; float64, Taylor's, cut where 2^-57 is left.
UOp exp_polynomial(const UOp& x) {
  constexpr std::array<double, 6> kTail32 = {0.50000001201,   0.16666665459,   0.041665795894,
                                             0.0083334519073, 0.0013981999507, 0.00019875691500};
  constexpr std::array<double, 12> kTail64 = {
      1.0 / 2,     1.0 / 6,      1.0 / 24,      1.0 / 120,      1.0 / 720,       1.0 / 5040,
      1.0 / 40320, 1.0 / 362880, 1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800};
  const bool single = x.dtype() == DType::Float32;
  const Rounding rounding{exp_format(x.dtype()), std::numbers::ln2, is_never_positive(x)};
  const UOp inside = rounding.clamped(x);
  const UOp shifted = inside * num(x, std::numbers::log2e) + num(x, rounding.by());
  const UOp count = shifted + num(x, -rounding.by());
  const double high = single ? 0.693359375 : 6.93145751953125e-1;
  const double low = single ? -2.12194440054690583e-4 : 1.42860682030941723212e-6;
  const UOp r = sub(sub(inside, count * num(x, high)), count * num(x, low));
  const UOp tail = single ? polynomial(r, kTail32) : polynomial(r, kTail64);
  return rounding.scaled(r * r * tail + r + num(x, 1), shifted, x);
}

UOp log2_polynomial(const UOp& x) {
  const ExpFormat& f = exp_format(x.dtype());
  const UOp tiny = lt(x, num(x, f.smallest));
  const UOp normal = where(tiny, x * num(x, std::ldexp(1.0, f.mantissa + 1)), x);
  const UOp bits = bitcast(normal, f.bits);
  const UOp e = down(bits + whole(bits, -f.root_half), f.mantissa);
  const UOp m = bitcast(sub(bits, up(e, f.mantissa)), x.dtype());
  const UOp rest = m + num(x, -1);
  UOp y;
  if (x.dtype() == DType::Float32) {
    y = rest * polynomial(rest, kLog32) + rest;
  } else {
    const UOp s = rest / (rest + num(x, 2)), z = s * s;
    y = s * (z * polynomial(z, kLog64) + num(x, kTwoOverLn2));
  }
  const UOp exponent = cast(e, x.dtype()) + where(tiny, num(x, -(f.mantissa + 1)), num(x, 0));
  const UOp finite = exponent + y;
  // Infinity and NaN answer for themselves; zero of either sign has the pole, what is below it
  // nothing.
  const UOp large = where(lt(x, num(x, kInf)), finite, x);
  const UOp low = where(lt(x, num(x, 0)), num(x, kNaN), num(x, -kInf));
  return where(lt(num(x, 0), x), large, where(is_nan(x), x, low));
}

}  // namespace tg

// See math.h. Where a function is pieced together, the branch that is not taken computes with a
// harmless argument, so that no infinity of its slope reaches the gradient.
#include "tensor/math.h"

#include <array>
#include <cmath>
#include <limits>
#include <numbers>

namespace tg::ops_detail {
namespace {

using std::numbers::ln2;
using std::numbers::pi;

constexpr double kInf = std::numeric_limits<double>::infinity();

UOp num(const UOp& x, double v) { return const_like(x, v); }
UOp below(const UOp& x, double v) { return lt(x, num(x, v)); }
UOp above(const UOp& x, double v) { return lt(num(x, v), x); }

// c[0]·zⁿ + … + c[n], by Horner's rule.
template <size_t N>
UOp polynomial(const UOp& z, const std::array<double, N>& c) {
  UOp y = num(z, c[0]);
  for (size_t i = 1; i < N; ++i) y = y * z + num(z, c[i]);
  return y;
}

// y(|x|) with the sign of x; for functions of slope 1 at 0, which keep −0.
template <typename F>
UOp odd(const UOp& x, F y) {
  UOp value = y(magnitude(x));
  return where(ne(x, num(x, 0)), where(below(x, 0), -value, value), x);
}

// tanh near 0, where (1 − e)/(1 + e) cancels: x + x·z·P(z) or x + x·z·P(z)/Q(z), z = x².
// Coefficients: Cephes (Moshier), tanhf.c and tanh.c, |x| < 0.625.
UOp tanh_near_zero(const UOp& x) {
  UOp z = x * x;
  if (x.dtype() != DType::Float64) {
    constexpr std::array<double, 5> kP = {-5.70498872745e-3, 2.06390887954e-2, -5.37397155531e-2,
                                          1.33314422036e-1, -3.33332819422e-1};
    return x + x * (z * polynomial(z, kP));
  }
  constexpr std::array<double, 3> kP = {-9.64399179425052238628e-1, -9.92877231001918586564e1,
                                        -1.61468768441708447952e3};
  constexpr std::array<double, 4> kQ = {1.0, 1.12811678491632931402e2, 2.23548839060100448583e3,
                                        4.84406305325125486048e3};
  return x + x * (z * (polynomial(z, kP) / polynomial(z, kQ)));
}

// erf(x) on [−1, 1] as x + x·Q(x²) or x·T(x²)/U(x²). Coefficients: float32, weighted least squares
// iterated to the minimax fit, 2^-29.6 relative to erf; float64, Cephes (Moshier), ndtr.c.
UOp erf_near_zero(const UOp& x) {
  UOp z = x * x;
  if (x.dtype() != DType::Float64) {
    constexpr std::array<double, 7> kQ = {7.85386122e-05, -0.000801019358, 0.00518832768,
                                          -0.0268538119,  0.112835851,     -0.376126258,
                                          0.128379166};
    return x + x * polynomial(z, kQ);
  }
  constexpr std::array<double, 5> kT = {9.60497373987051638749e0, 9.00260197203842689217e1,
                                        2.23200534594684319226e3, 7.00332514112805075473e3,
                                        5.55923013010394962768e4};
  constexpr std::array<double, 6> kU = {1.0,
                                        3.35617141647503099647e1,
                                        5.21357949780152679795e2,
                                        4.59432382970980127987e3,
                                        2.26290000613890934246e4,
                                        4.92673942608635921086e4};
  return x * (polynomial(z, kT) / polynomial(z, kU));
}

// 1 − erf(x) for 1 ≤ x: 2^P(x) (float32, fitted as above), or e^(−x²)·P(x)/Q(x) (Cephes).
UOp erfc_far(const UOp& x) {
  if (x.dtype() != DType::Float64) {
    constexpr std::array<double, 7> kP = {0.000268888338, -0.00425257204, 0.0315056667,
                                          -0.148751604,   -0.920648386,   -1.62604599,
                                          -0.000492713582};
    return exp2(polynomial(x, kP));
  }
  constexpr std::array<double, 9> kP = {
      2.46196981473530512524e-10, 5.64189564831068821977e-1, 7.46321056442269912687e0,
      4.86371970985681366614e1,   1.96520832956077098242e2,  5.26445194995477358631e2,
      9.34528527171957607540e2,   1.02755188689515710272e3,  5.57535335369399327526e2};
  constexpr std::array<double, 9> kQ = {1.0,
                                        1.32281951154744992508e1,
                                        8.67072140885989742329e1,
                                        3.54937778887819891062e2,
                                        9.75708501743205489753e2,
                                        1.82390916687909736289e3,
                                        2.24633760818710981792e3,
                                        1.65666309194161350182e3,
                                        5.57535340817727675546e2};
  return exp(-(x * x)) * (polynomial(x, kP) / polynomial(x, kQ));
}

// (asin(s) − s)/s³ at z = s² ≤ ¼. Coefficients: fdlibm (Sun Microsystems), e_asin.c.
UOp asin_ratio(const UOp& z) {
  constexpr std::array<double, 6> kP = {3.47933107596021167570e-05,  7.91534994289814532176e-04,
                                        -4.00555345006794114027e-02, 2.01212532134862925881e-01,
                                        -3.25565818622400915405e-01, 1.66666666666666657415e-01};
  constexpr std::array<double, 5> kQ = {7.70381505559019352791e-02, -6.88283971605453293030e-01,
                                        2.02094576023350569471e+00, -2.40339491173441421878e+00,
                                        1.0};
  return polynomial(z, kP) / polynomial(z, kQ);
}

// asin(a) for a ≤ ½; above, half of acos(a) = asin(√((1 − a)/2)).
struct Arc {
  UOp high;  // a > ½
  UOp value;
};
Arc arc(const UOp& a) {
  UOp high = above(a, 0.5);
  UOp z = where(high, (num(a, 1) - a) * num(a, 0.5), a * a);
  UOp s = where(high, sqrt(where(high, z, num(z, 1))), a);
  return {high, s + s * z * asin_ratio(z)};
}

constexpr double kHuge = 0x1p28;  // from here on 1 + x² is x² in every dtype

}  // namespace

// The decompositions know sin(π/2 − x) as the cosine.
UOp cos(const UOp& x) { return sin(num(x, pi / 2) - x); }

UOp is_inf(const UOp& x) { return eq(x, num(x, kInf)) | eq(x, num(x, -kInf)); }

// What rounding 1 + x lost is put back: it is too small to need a slope.
UOp log1p(const UOp& x) {
  UOp w = num(x, 1) + x;
  UOp usable = above(w, 0) & below(w, kHuge);
  UOp rest = (x - (w - num(w, 1))) / where(usable, w, num(w, 1));
  return log(w) + detach(where(usable, rest, num(w, 0)));
}

namespace {

// A function's slope by its formula: what its value is made of would be differentiated part by
// part.
template <UOp (*kSlope)(const UOp&)>
class SlopeGradient final : public CustomGradient {
 public:
  std::vector<UOp> backward(const UOp& y, const UOp& dy) override {
    return {dy * kSlope(y.src(1))};
  }
};

template <UOp (*kSlope)(const UOp&)>
UOp with_slope(const UOp& value, const UOp& x) {
  static const auto gradient = make_ref<SlopeGradient<kSlope>>();
  return value.is(Op::Const) ? value : with_gradient(value, std::span(&x, 1), *gradient.get());
}

UOp slope_of_expm1(const UOp& x) { return exp(x); }
UOp slope_of_erf(const UOp& x) { return num(x, 2 / std::sqrt(pi)) * exp(-(x * x)); }

}  // namespace

// (1 + tanh(x/2))/(1 − tanh(x/2)) = eˣ.
UOp expm1_below_zero(const UOp& x) {
  UOp t = tanh(x * num(x, 0.5));
  return with_slope<slope_of_expm1>((t + t) / (num(t, 1) - t), x);
}

UOp tanh(const UOp& x) {
  UOp size = magnitude(x);
  UOp near = below(size, 0.625);
  UOp e = exp(size * num(x, -2));
  UOp far = (num(x, 1) - e) / (num(x, 1) + e);
  UOp outside = where(below(x, 0), -far, far);
  UOp inside = tanh_near_zero(where(near, x, num(x, 0)));
  return where(ne(x, num(x, 0)), where(near, inside, outside), x);
}

UOp erf(const UOp& x) {
  UOp size = magnitude(x);
  UOp near = below(size, 1);
  const double one_from = x.dtype() == DType::Float64 ? 6.0 : 4.0;
  UOp limited = where(above(size, one_from), num(x, one_from), size);
  UOp far = num(x, 1) - erfc_far(where(near, num(x, 1), limited));
  UOp outside = where(below(x, 0), -far, far);
  return with_slope<slope_of_erf>(where(near, erf_near_zero(where(near, x, num(x, 0))), outside),
                                  x);
}

namespace {

UOp slope_of_atan(const UOp& x) { return num(x, 1) / (num(x, 1) + x * x); }

}  // namespace

// Below 1 the Taylor series; above, (e^a − e^−a)/2 with e^a as a square, which overflows no earlier
// than the result.
UOp sinh(const UOp& x) {
  const UOp value = odd(x, [](const UOp& a) {
    UOp small = below(a, 1);
    UOp z = where(small, a * a, num(a, 0));
    UOp series = num(z, 1);
    for (int k = 8; k >= 1; --k)
      series = num(z, 1) + z * num(z, 1.0 / (2 * k * (2 * k + 1))) * series;
    UOp t = exp(where(small, num(a, 1), a) * num(a, 0.5));
    UOp half = t * num(t, 0.5);
    return where(small, a * series, half * t - num(t, 0.5) / t / t);
  });
  return with_slope<cosh>(value, x);
}

UOp cosh(const UOp& x) {
  UOp t = exp(magnitude(x) * num(x, 0.5));
  return with_slope<sinh>(t * num(t, 0.5) * t + num(t, 0.5) / t / t, x);
}

UOp asin(const UOp& x) {
  return odd(x, [](const UOp& a) {
    const Arc r = arc(a);
    return where(r.high, num(a, pi / 2) - (r.value + r.value), r.value);
  });
}

UOp acos(const UOp& x) {
  const Arc r = arc(magnitude(x));
  UOp twice = r.value + r.value;
  UOp negative = below(x, 0);
  UOp outer = where(negative, num(x, pi) - twice, twice);
  UOp inner = num(x, pi / 2) - where(negative, -r.value, r.value);
  return where(r.high, outer, inner);
}

// Angles about π/2 and π/4 are turned towards 0. Coefficients: fdlibm (Sun Microsystems), s_atan.c.
UOp atan(const UOp& x) {
  constexpr std::array<double, 11> kP = {
      1.62858201153657823623e-02,  -3.65315727442169155270e-02, 4.97687799461593236017e-02,
      -5.83357013379057348645e-02, 6.66107313738753120669e-02,  -7.69187620504482999495e-02,
      9.09088713343650656196e-02,  -1.11111104054623557880e-01, 1.42857142725034663711e-01,
      -1.99999999998764832476e-01, 3.33333333333329318027e-01};
  const UOp value = odd(x, [&](const UOp& a) {
    UOp steep = above(a, 2.414213562373095), mid = above(a, 0.41421356237309503);
    UOp one = num(a, 1), zero = num(a, 0);
    UOp top = where(steep, -one, where(mid, a - one, a));
    UOp t = top / where(steep, a, where(mid, a + one, one));
    UOp z = t * t;
    UOp turn = where(steep, num(a, pi / 2), where(mid, num(a, pi / 4), zero));
    return turn + (t - t * z * polynomial(z, kP));
  });
  return with_slope<slope_of_atan>(value, x);
}

UOp asinh(const UOp& x) {
  return odd(x, [](const UOp& a) {
    UOp huge = above(a, kHuge);
    UOp s = where(huge, num(a, 0), a);
    UOp z = s * s;
    UOp value = log1p(s + z / (num(z, 1) + sqrt(num(z, 1) + z)));
    return where(huge, log(where(huge, a, num(a, 1))) + num(a, ln2), value);
  });
}

// Below 1 it is NaN, but its slope 1 ÷ √(x² − 1) is a number again below −1, as PyTorch has it:
// there −acosh(−x) has that slope.
UOp acosh(const UOp& x) {
  UOp size = magnitude(x), huge = above(size, kHuge);
  UOp t = where(huge, num(x, 1), size - num(x, 1));
  UOp near = log1p(t + sqrt(t * (t + num(t, 2))));
  UOp far = log(where(huge, size, num(x, 1))) + num(x, ln2);
  UOp value = where(huge, far, near);
  UOp none = num(x, std::numeric_limits<double>::quiet_NaN());
  return where(below(x, 1), none - value, value);
}

UOp atanh(const UOp& x) {
  return odd(x, [](const UOp& a) { return log1p((a + a) / (num(a, 1) - a)) * num(a, 0.5); });
}

// max(x, 0) + log(1 + exp(−|x|)).
UOp softplus(const UOp& x) {
  UOp zero = num(x, 0), negative = below(x, 0);
  return where(negative, zero, x) + log1p(exp(where(negative, x, -x)));
}

UOp logaddexp(const UOp& a, const UOp& b) {
  UOp less = lt(a, b) | ne(b, b);
  UOp high = where(less, b, a), low = where(less, a, b);
  UOp infinite = is_inf(high);
  UOp tail = log1p(exp(where(infinite, num(a, 0), low - high)));
  return where(infinite, high, high + tail);
}

}  // namespace tg::ops_detail

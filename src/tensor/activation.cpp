// Activations. Values and slopes stay finite and exact at both ends; at the kink of relu the slope
// is 0, as in PyTorch.
#include <array>
#include <cmath>
#include <numbers>

#include "tensor/ops.h"

namespace tg {
namespace {

using namespace ops_detail;

template <typename F>
Tensor in_float(std::string_view fn, const Tensor& t, F f) {
  UOp x = float_node(t, fn);
  return wrap(cast(f(cast(x, compute_float(x.dtype()))), x.dtype()));
}

// The smallest positive number of a float dtype.
double smallest(DType t) {
  switch (t) {
    case DType::Float64:
      return 0x1p-1074;
    case DType::Float16:
      return 0x1p-24;
    case DType::Fp8E4M3:
      return 0x1p-9;
    case DType::Fp8E5M2:
      return 0x1p-16;
    case DType::Fp8E4M3Fnuz:
      return 0x1p-10;
    case DType::Fp8E5M2Fnuz:
      return 0x1p-17;
    case DType::BFloat16:
      return 0x1p-133;
    default:
      return 0x1p-149;
  }
}

// Σ c[i]·z^(n−1−i), by Horner's rule.
template <size_t N>
UOp polynomial(const UOp& z, const std::array<double, N>& c) {
  UOp y = const_like(z, c[0]);
  for (size_t i = 1; i < N; ++i) y = y * z + const_like(z, c[i]);
  return y;
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

UOp tanh_of(const UOp& x) {
  UOp zero = const_like(x, 0.0), one = const_like(x, 1.0);
  UOp size = magnitude(x);
  UOp near = lt(size, const_like(x, 0.625));
  UOp e = ops_detail::exp(size * const_like(x, -2.0));
  UOp far = (one - e) / (one + e);
  UOp outside = where(lt(x, zero), -far, far);
  return where(near, tanh_near_zero(where(near, x, zero)), outside);
}

}  // namespace

// "Below the smallest positive number" is "at most 0" and false for NaN, so one selection gives
// value, slope 0 at 0 and NaN.
Tensor Tensor::relu() const {
  UOp x = node_of(*this, "relu");
  if (is_bool(x.dtype()) || is_unsigned(x.dtype())) return *this;
  UOp zero = const_like(x, int64_t{0});
  if (!is_float(x.dtype())) return wrap(tg::maximum(x, zero));
  return wrap(tg::where(tg::lt(x, const_like(x, smallest(x.dtype()))), zero, x));
}

Tensor Tensor::relu6() const { return relu().minimum(6); }

Tensor Tensor::leaky_relu(double slope) const {
  UOp x = float_node(*this, "leaky_relu");
  return wrap(tg::where(tg::lt(x, const_like(x, 0.0)), x * const_like(x, slope), x));
}

Tensor Tensor::sigmoid() const {
  return in_float("sigmoid", *this, [](const UOp& x) { return ops_detail::sigmoid(x); });
}

Tensor Tensor::tanh() const { return in_float("tanh", *this, tanh_of); }

Tensor Tensor::silu() const {
  return in_float("silu", *this, [](const UOp& x) { return x * ops_detail::sigmoid(x); });
}

// 0.5·(1 + tanh u) = sigmoid(2u), which does not cancel in the lower tail.
Tensor Tensor::gelu() const {
  return in_float("gelu", *this, [](const UOp& x) {
    const double scale = 2 * std::sqrt(2 / std::numbers::pi);
    UOp cubic = const_like(x, scale * 0.044715) * x * x + const_like(x, scale);
    return x * ops_detail::sigmoid(x * cubic);
  });
}

Tensor Tensor::quick_gelu() const {
  return in_float("quick_gelu", *this,
                  [](const UOp& x) { return x * ops_detail::sigmoid(x * const_like(x, 1.702)); });
}

// max(x, 0) + log(1 + exp(−|x|)).
Tensor Tensor::softplus() const {
  return in_float("softplus", *this, [](const UOp& x) {
    UOp zero = const_like(x, 0.0);
    UOp negative = tg::lt(x, zero);
    UOp tail = ops_detail::log(const_like(x, 1.0) + ops_detail::exp(tg::where(negative, x, -x)));
    return tg::where(negative, zero, x) + tail;
  });
}

}  // namespace tg

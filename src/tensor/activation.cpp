// Activations. Values and slopes stay finite and exact at both ends; at the kink of relu the slope
// is 0, as in PyTorch.
#include <cmath>
#include <numbers>

#include "tensor/math.h"

namespace tg {
namespace {

using namespace ops_detail;

// [low, high], with slope 0 outside and on the ends, as in PyTorch; NaN stays.
UOp limited(const UOp& x, double low, double high) {
  UOp lo = const_like(x, low), hi = const_like(x, high);
  return where(lt(lo, x), where(lt(x, hi), x, hi), where(ne(x, x), x, lo));
}

// x, or alpha·(e^(x/scale) − 1) from 0 down.
UOp elu_of(const UOp& x, double alpha, double scale) {
  UOp zero = const_like(x, 0.0);
  UOp positive = lt(zero, x);
  UOp s = scale == 1 ? x : x / const_like(x, scale);
  UOp tail = expm1_below_zero(where(positive, zero, s)) * const_like(x, alpha);
  return where(positive, x, tail);
}

}  // namespace

// "Above 0 or NaN" is one comparison of every processor, and one selection gives value, slope 0 at
// 0 and NaN. It compares with 0, not with the smallest number: whether such numbers count as 0 is
// up to the device.
Tensor Tensor::relu() const {
  UOp x = node_of(*this, "relu");
  if (is_bool(x.dtype()) || is_unsigned(x.dtype())) return *this;
  UOp zero = const_like(x, int64_t{0});
  if (!is_float(x.dtype())) return wrap(tg::maximum(x, zero));
  return wrap(tg::where(tg::lt(zero, x) | tg::ne(x, x), x, zero));
}

Tensor Tensor::relu6() const {
  UOp x = node_of(*this, "relu6");
  return is_float(x.dtype()) ? wrap(limited(x, 0, 6)) : relu().minimum(6);
}

Tensor Tensor::leaky_relu(double slope) const {
  UOp x = float_node(*this, "leaky_relu");
  return wrap(tg::where(tg::lt(x, const_like(x, 0.0)), x * const_like(x, slope), x));
}

Tensor Tensor::elu(double alpha) const {
  return in_float("elu", *this, [&](const UOp& x) { return elu_of(x, alpha, 1); });
}
Tensor Tensor::celu(double alpha) const {
  if (alpha == 0) user_error<ArgumentError>("celu", "alpha must not be 0");
  return in_float("celu", *this, [&](const UOp& x) { return elu_of(x, alpha, alpha); });
}
Tensor Tensor::selu(double alpha, double gamma) const {
  return in_float("selu", *this,
                  [&](const UOp& x) { return elu_of(x, alpha, 1) * const_like(x, gamma); });
}

Tensor Tensor::sigmoid() const {
  return in_float("sigmoid", *this, [](const UOp& x) { return ops_detail::sigmoid(x); });
}

Tensor Tensor::tanh() const { return in_float("tanh", *this, ops_detail::tanh); }

Tensor Tensor::silu() const {
  return in_float("silu", *this, [](const UOp& x) { return x * ops_detail::sigmoid(x); });
}

// tanh form: 0.5·(1 + tanh u) = sigmoid(2u), which does not cancel in the lower tail.
Tensor Tensor::gelu(GeluForm form) const {
  if (form == GeluForm::Erf) {
    return in_float("gelu", *this, [](const UOp& x) {
      UOp half = x * const_like(x, 0.5);
      return half + half * ops_detail::erf(x * const_like(x, std::numbers::sqrt2 / 2));
    });
  }
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

Tensor Tensor::mish() const {
  return in_float("mish", *this,
                  [](const UOp& x) { return x * ops_detail::tanh(ops_detail::softplus(x)); });
}

Tensor Tensor::softplus(double beta) const {
  if (beta == 0) user_error<ArgumentError>("softplus", "beta must not be 0");
  return in_float("softplus", *this, [&](const UOp& x) {
    if (beta == 1) return ops_detail::softplus(x);
    return ops_detail::softplus(x * const_like(x, beta)) / const_like(x, beta);
  });
}

Tensor Tensor::logsigmoid() const {
  return in_float("logsigmoid", *this, [](const UOp& x) { return -ops_detail::softplus(-x); });
}

Tensor Tensor::softsign() const {
  return in_float("softsign", *this,
                  [](const UOp& x) { return x / (const_like(x, 1.0) + magnitude(x)); });
}

Tensor Tensor::hardsigmoid(double alpha, double beta) const {
  return in_float("hardsigmoid", *this, [&](const UOp& x) {
    return limited(x * const_like(x, alpha) + const_like(x, beta), 0, 1);
  });
}

Tensor Tensor::hardswish() const {
  return in_float("hardswish", *this, [](const UOp& x) {
    return x * limited(x + const_like(x, 3.0), 0, 6) / const_like(x, 6.0);
  });
}

Tensor Tensor::hardtanh(double low, double high) const {
  return in_float("hardtanh", *this, [&](const UOp& x) { return limited(x, low, high); });
}

}  // namespace tg

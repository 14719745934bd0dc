// Elementary functions as compositions on nodes of float32 or float64: what unary.cpp and
// activation.cpp put behind Tensor's functions. Values are good to a few units of the last place of
// the node's dtype; each is differentiable as written, to any order, with slopes that stay finite
// where the function's is. Internal.
#pragma once

#include <string_view>

#include "tensor/ops.h"

namespace tg::ops_detail {

/// Applies `f` to `t` in a float of at least 32 bits and rounds once.
template <typename F>
Tensor in_float(std::string_view fn, const Tensor& t, F f) {
  UOp x = float_node(t, fn);
  return wrap(cast(f(cast(x, compute_float(x.dtype()))), x.dtype()));
}

UOp cos(const UOp& x);
/// log(1 + x), exact for tiny x.
UOp log1p(const UOp& x);
/// eˣ − 1 for x ≤ 0, exact for tiny x.
UOp expm1_below_zero(const UOp& x);
UOp tanh(const UOp& x);
UOp erf(const UOp& x);
UOp sinh(const UOp& x);
UOp cosh(const UOp& x);
UOp asin(const UOp& x);
UOp acos(const UOp& x);
UOp atan(const UOp& x);
UOp asinh(const UOp& x);
UOp acosh(const UOp& x);
UOp atanh(const UOp& x);
/// log(1 + eˣ) without overflow.
UOp softplus(const UOp& x);
/// log(eᵃ + eᵇ) without overflow; an infinite larger one is the answer.
UOp logaddexp(const UOp& a, const UOp& b);
/// x is +∞ or −∞, bool.
UOp is_inf(const UOp& x);

}  // namespace tg::ops_detail

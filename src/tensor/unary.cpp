// Functions of one operand: rounding, roots, exponentials, circular functions, conversions.
// Activations: activation.cpp.
#include <cmath>
#include <limits>
#include <numbers>

#include "tensor/math.h"
#include "uop/devices.h"

namespace tg {
namespace {

using namespace ops_detail;

// Rounding functions leave whole dtypes alone. The steps of small floats need not be rounded: the
// result is a number of their dtype.
template <typename F>
Tensor rounding(std::string_view fn, const Tensor& t, F f) {
  return is_float(node_of(t, fn).dtype()) ? in_float(fn, t, f) : t;
}

UOp ceil_of(const UOp& x) {
  UOp t = trunc(x);
  return where(lt(t, x), t + const_like(t, 1.0), t);
}

// x − trunc(x) is exact, so halves are seen exactly; an odd number goes away from zero at a half.
// What goes towards zero is trunc(x), which keeps the sign where it is zero.
UOp round_of(const UOp& x) {
  UOp t = trunc(x), half = const_like(x, 0.5), one = const_like(x, 1.0);
  UOp rest = x - t, pair = t * half;
  UOp odd = ne(trunc(pair), pair);
  UOp up = lt(half, rest) | (eq(rest, half) & odd);
  UOp down = lt(rest, -half) | (eq(rest, -half) & odd);
  return where(up, t + one, where(down, t - one, t));
}

Tensor always(const UOp& like, bool value) {
  return wrap(placed(full(like.shape_vec(), Scalar::of_int(value, DType::Bool)), like.device()));
}

}  // namespace

Tensor Tensor::neg() const {
  UOp x = node_of(*this, "neg");
  return wrap(is_bool(x.dtype()) ? tg::logical_not(x) : -x);
}

// max(x, −x): at 0 the tie of max halves both slopes, which cancel. Of zeros max may give either;
// −0 + 0 is 0.
Tensor Tensor::abs() const {
  UOp x = node_of(*this, "abs");
  if (is_bool(x.dtype()) || is_unsigned(x.dtype())) return *this;
  UOp size = tg::maximum(x, -x);
  return wrap(is_float(x.dtype()) ? size + tg::const_like(x, 0.0) : size);
}

Tensor Tensor::sign() const {
  UOp x = node_of(*this, "sign");
  if (is_bool(x.dtype())) return *this;
  UOp zero = const_like(x, int64_t{0}), one = const_like(x, int64_t{1});
  UOp rest = is_float(x.dtype()) ? tg::detach(x) : x;
  return wrap(tg::where(tg::lt(zero, x), one, tg::where(tg::lt(x, zero), -one, rest)));
}

Tensor Tensor::square() const {
  UOp x = node_of(*this, "square");
  return wrap(x * x);
}

Tensor Tensor::sqrt() const { return wrap(tg::sqrt(float_node(*this, "sqrt"))); }

Tensor Tensor::rsqrt() const {
  return in_float("rsqrt", *this, [](const UOp& x) { return const_like(x, 1.0) / tg::sqrt(x); });
}

Tensor Tensor::reciprocal() const {
  UOp x = float_node(*this, "reciprocal");
  return wrap(const_like(x, 1.0) / x);
}

Tensor Tensor::exp() const {
  return in_float("exp", *this, [](const UOp& x) { return ops_detail::exp(x); });
}
Tensor Tensor::exp2() const { return wrap(tg::exp2(float_node(*this, "exp2"))); }
Tensor Tensor::log() const {
  return in_float("log", *this, [](const UOp& x) { return ops_detail::log(x); });
}
Tensor Tensor::log2() const { return wrap(tg::log2(float_node(*this, "log2"))); }
Tensor Tensor::log10() const {
  return in_float("log10", *this, [](const UOp& x) {
    return tg::log2(x) * const_like(x, std::numbers::ln2 / std::numbers::ln10);
  });
}

Tensor Tensor::sin() const { return wrap(tg::sin(float_node(*this, "sin"))); }
Tensor Tensor::cos() const { return in_float("cos", *this, ops_detail::cos); }
Tensor Tensor::tan() const {
  return in_float("tan", *this, [](const UOp& x) { return tg::sin(x) / ops_detail::cos(x); });
}
Tensor Tensor::asin() const { return in_float("asin", *this, ops_detail::asin); }
Tensor Tensor::acos() const { return in_float("acos", *this, ops_detail::acos); }
Tensor Tensor::atan() const { return in_float("atan", *this, ops_detail::atan); }
Tensor Tensor::sinh() const { return in_float("sinh", *this, ops_detail::sinh); }
Tensor Tensor::cosh() const { return in_float("cosh", *this, ops_detail::cosh); }
Tensor Tensor::asinh() const { return in_float("asinh", *this, ops_detail::asinh); }
Tensor Tensor::acosh() const { return in_float("acosh", *this, ops_detail::acosh); }
Tensor Tensor::atanh() const { return in_float("atanh", *this, ops_detail::atanh); }
Tensor Tensor::erf() const { return in_float("erf", *this, ops_detail::erf); }

Tensor Tensor::trunc() const {
  return rounding("trunc", *this, [](const UOp& x) { return tg::trunc(x); });
}
Tensor Tensor::floor() const { return rounding("floor", *this, floor_of); }
Tensor Tensor::ceil() const { return rounding("ceil", *this, ceil_of); }
Tensor Tensor::round() const { return rounding("round", *this, round_of); }

Tensor Tensor::isnan() const {
  UOp x = node_of(*this, "isnan");
  return is_float(x.dtype()) ? wrap(tg::ne(x, x)) : always(x, false);
}

Tensor Tensor::isinf(bool positive, bool negative) const {
  UOp x = node_of(*this, "isinf");
  if (!is_float(x.dtype()) || (!positive && !negative)) return always(x, false);
  if (positive && negative) return wrap(is_inf(x));
  const double inf = std::numeric_limits<double>::infinity();
  return wrap(tg::eq(x, const_like(x, positive ? inf : -inf)));
}

Tensor Tensor::isfinite() const {
  UOp x = node_of(*this, "isfinite");
  if (!is_float(x.dtype())) return always(x, true);
  return wrap(tg::logical_not(is_inf(x) | tg::ne(x, x)));
}

Tensor Tensor::cast(DType t) const {
  if (t == DType::Void || t == DType::Index) {
    user_error<DTypeError>("cast", fmt::format("{} cannot be stored", dtype_name(t)));
  }
  if (t == dtype() && !state()->is_number()) return *this;
  return wrap(node_as(*this, t, "cast"));
}

}  // namespace tg

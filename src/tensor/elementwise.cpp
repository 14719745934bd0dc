// Arithmetic, comparisons, logic and selection: two or three operands, broadcast and promoted.
// Powers: power.cpp.
#include <cmath>
#include <limits>

#include "tensor/ops.h"

namespace tg {
namespace {

using namespace ops_detail;

// The whole quotient towards 0: one more than the floor where that is below an inexact quotient.
UOp truncated(const UOp& x, const UOp& y) {
  UOp q = idiv(x, y);
  if (is_unsigned(x.dtype())) return q;
  UOp zero = const_like(x, int64_t{0});
  UOp below = tg::lt(x ^ y, zero) & tg::ne(tg::mod(x, y), zero);
  return tg::where(below, q + 1, q);
}

Tensor truncated_quotient(const Tensor& a, const Tensor& b) {
  auto [x, y] = operands("div", a, b);
  if (is_float(x.dtype())) return wrap(tg::trunc(x / y));
  if (is_bool(x.dtype())) return truncated_quotient(a.cast(DType::Int32), b.cast(DType::Int32));
  return wrap(truncated(x, y));
}

void need_bits(std::string_view fn, DType t) {
  if (is_int(t) || is_bool(t)) return;
  user_error<DTypeError>(fn, fmt::format("needs integers or bool, got {}", dtype_name(t)),
                         "Hint: cast to an integer first.");
}

using Binary = UOp (*)(const UOp&, const UOp&);

Tensor combine(std::string_view fn, Binary op, const Tensor& a, const Tensor& b) {
  auto [x, y] = operands(fn, a, b);
  return wrap(op(x, y));
}

Tensor combine_bits(std::string_view fn, Binary op, const Tensor& a, const Tensor& b) {
  need_bits(fn, common_dtype(a, b));
  return combine(fn, op, a, b);
}

UOp truth(const Tensor& t, std::string_view fn) {
  UOp u = node_of(t, fn);
  return is_bool(u.dtype()) ? u : tg::ne(u, const_like(u, int64_t{0}));
}

Tensor combine_truth(std::string_view fn, Binary op, const Tensor& a, const Tensor& b) {
  UOp x = truth(a, fn), y = truth(b, fn);
  meet_extents(x, y);
  const Shape shape = broadcast_shape(fn, x.shape(), y.shape());
  return wrap(op(broadcast_to(x, shape), broadcast_to(y, shape)));
}

}  // namespace

Tensor Tensor::add(const Tensor& b) const { return combine("add", tg::operator+, *this, b); }
Tensor Tensor::sub(const Tensor& b) const { return combine("sub", tg::operator-, *this, b); }
Tensor Tensor::mul(const Tensor& b) const { return combine("mul", tg::operator*, *this, b); }

Tensor Tensor::div(const Tensor& b, Rounding rounding) const {
  if (rounding == Rounding::Floor) return floordiv(b);
  if (rounding == Rounding::Trunc) return truncated_quotient(*this, b);
  auto [x, y] = operands_as("div", *this, b, least_float(common_dtype(*this, b)));
  return wrap(x / y);
}

Tensor Tensor::floordiv(const Tensor& b) const {
  auto [x, y] = operands("floordiv", *this, b);
  if (is_float(x.dtype())) return wrap(floor_of(x / y));
  if (is_bool(x.dtype())) return cast(DType::Int32).floordiv(b.cast(DType::Int32));
  return wrap(idiv(x, y));
}

Tensor Tensor::mod(const Tensor& b) const {
  auto [x, y] = operands("mod", *this, b);
  if (is_float(x.dtype())) return wrap(x - floor_of(x / y) * y);
  if (is_bool(x.dtype())) return cast(DType::Int32).mod(b.cast(DType::Int32));
  return wrap(tg::mod(x, y));
}

// A finite number is its own remainder of an infinite one.
Tensor Tensor::fmod(const Tensor& b) const {
  auto [x, y] = operands("fmod", *this, b);
  if (is_bool(x.dtype())) return cast(DType::Int32).fmod(b.cast(DType::Int32));
  if (!is_float(x.dtype())) {
    UOp rest = x - truncated(x, y) * y, zero = const_like(x, int64_t{0});
    return wrap(tg::where(tg::eq(y, zero), zero, rest));
  }
  UOp inf = const_like(x, std::numeric_limits<double>::infinity());
  UOp rest = x - tg::trunc(x / y) * y;
  return wrap(tg::where(tg::eq(magnitude(y), inf) & tg::lt(magnitude(x), inf), x, rest));
}

Tensor Tensor::maximum(const Tensor& b) const { return combine("maximum", tg::maximum, *this, b); }
Tensor Tensor::minimum(const Tensor& b) const { return combine("minimum", tg::minimum, *this, b); }

// Selections instead of max and min: at a bound the slope is 1, as in PyTorch.
Tensor Tensor::clip(const Tensor& low, const Tensor& high) const {
  auto [x, lo] = operands("clip", *this, low);
  auto [y, hi] = operands("clip", wrap(tg::where(tg::lt(x, lo), lo, x)), high);
  return wrap(tg::where(tg::lt(hi, y), hi, y));
}

Tensor Tensor::clamp(const Tensor& low, const Tensor& high) const { return clip(low, high); }
Tensor Tensor::clamp_min(const Tensor& low) const {
  auto [x, lo] = operands("clamp_min", *this, low);
  return wrap(tg::where(tg::lt(x, lo), lo, x));
}
Tensor Tensor::clamp_max(const Tensor& high) const {
  auto [x, hi] = operands("clamp_max", *this, high);
  return wrap(tg::where(tg::lt(hi, x), hi, x));
}

Tensor Tensor::bitwise_and(const Tensor& b) const {
  return combine_bits("bitwise_and", tg::operator&, *this, b);
}
Tensor Tensor::bitwise_or(const Tensor& b) const {
  return combine_bits("bitwise_or", tg::operator|, *this, b);
}
Tensor Tensor::bitwise_xor(const Tensor& b) const {
  return combine_bits("bitwise_xor", tg::operator^, *this, b);
}
Tensor Tensor::bitwise_not() const {
  need_bits("bitwise_not", dtype());
  UOp x = node_of(*this, "bitwise_not");
  return wrap(x ^ const_like(x, int64_t{is_bool(x.dtype()) ? 1 : -1}));
}

Tensor Tensor::lshift(const Tensor& count) const {
  need_bits("lshift", dtype());
  need_bits("lshift", count.dtype());
  auto [x, n] = operands_as("lshift", *this, count, dtype());
  return wrap(shl(x, n));
}
Tensor Tensor::rshift(const Tensor& count) const {
  need_bits("rshift", dtype());
  need_bits("rshift", count.dtype());
  auto [x, n] = operands_as("rshift", *this, count, dtype());
  return wrap(shr(x, n));
}

// ---- comparisons: built from less and not-equal, so that NaN compares false except in ne
Tensor Tensor::eq(const Tensor& b) const { return combine("eq", tg::eq, *this, b); }
Tensor Tensor::ne(const Tensor& b) const { return combine("ne", tg::ne, *this, b); }
Tensor Tensor::lt(const Tensor& b) const { return combine("lt", tg::lt, *this, b); }
Tensor Tensor::gt(const Tensor& b) const {
  auto [x, y] = operands("gt", *this, b);
  return wrap(tg::lt(y, x));
}
Tensor Tensor::le(const Tensor& b) const {
  auto [x, y] = operands("le", *this, b);
  return wrap(is_float(x.dtype()) ? tg::lt(x, y) | tg::eq(x, y) : tg::ge(y, x));
}
Tensor Tensor::ge(const Tensor& b) const {
  auto [x, y] = operands("ge", *this, b);
  return wrap(is_float(x.dtype()) ? tg::lt(y, x) | tg::eq(x, y) : tg::ge(x, y));
}

Tensor Tensor::logical_and(const Tensor& b) const {
  return combine_truth("logical_and", tg::operator&, *this, b);
}
Tensor Tensor::logical_or(const Tensor& b) const {
  return combine_truth("logical_or", tg::operator|, *this, b);
}
Tensor Tensor::logical_not() const { return wrap(tg::logical_not(truth(*this, "logical_not"))); }

Tensor Tensor::where(const Tensor& a, const Tensor& b) const {
  UOp c = node_of(*this, "where");
  if (!is_bool(c.dtype())) {
    user_error<DTypeError>("where",
                           fmt::format("the condition must be bool, got {}", dtype_name(c.dtype())),
                           "Hint: compare it with something.");
  }
  auto [x, y] = operands("where", a, b);
  common_device("where", {c, x, y});
  meet_extents(c, x);
  meet_extents(c, y);
  const Shape shape = broadcast_shape("where", c.shape(), x.shape());
  return wrap(tg::where(broadcast_to(c, shape), broadcast_to(x, shape), broadcast_to(y, shape)));
}

Tensor Tensor::masked_fill(const Tensor& mask, const Tensor& value) const {
  return mask.where(value, *this);
}

}  // namespace tg

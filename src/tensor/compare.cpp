// Operands beside each other: closeness, signs, interpolation, sums and products of many, the raw
// random function. Arithmetic and comparisons: elementwise.cpp.
#include "tensor/math.h"

namespace tg {
namespace {

using namespace ops_detail;

// The sign bit of a float: true also for −0 and for a NaN that carries it.
UOp sign_bit(const UOp& x) {
  constexpr DType kBits[] = {DType::Int8, DType::Int16, DType::Int32, DType::Int64};
  int log = 0;
  while (1 << log < dtype_size(x.dtype())) ++log;
  UOp bits = bitcast(x, kBits[log]);
  return lt(bits, const_like(bits, int64_t{0}));
}

Tensor folded(std::string_view fn, const std::vector<Tensor>& tensors,
              Tensor (Tensor::*combine)(const Tensor&) const) {
  if (tensors.empty()) user_error<ArgumentError>(fn, "needs at least one tensor");
  Tensor result = tensors[0];
  for (size_t i = 1; i < tensors.size(); ++i) result = (result.*combine)(tensors[i]);
  return result;
}

UOp need_words(const Tensor& t) {
  UOp u = node_as(t, DType::UInt64, "threefry");
  if (t.dtype() == DType::UInt64 || t.state()->is_number()) return u;
  user_error<DTypeError>("threefry", fmt::format("needs uint64, got {}", dtype_name(t.dtype())),
                         "Hint: cast counter and seed to uint64.");
}

}  // namespace

Tensor Tensor::copysign(const Tensor& other) const {
  auto [x, y] = operands_as("copysign", *this, other, least_float(common_dtype(*this, other)));
  const UOp differ = tg::ne(sign_bit(x), sign_bit(y));
  // The size of x has no slope at 0: 0 is taken for it, as PyTorch does.
  const UOp sloped = tg::where(tg::eq(x, const_like(x, 0.0)), tg::detach(x), x);
  return wrap(tg::where(differ, -sloped, sloped));
}

Tensor Tensor::logaddexp(const Tensor& other) const {
  const DType t = least_float(common_dtype(*this, other));
  auto [x, y] = operands_as("logaddexp", *this, other, compute_float(t));
  return wrap(tg::cast(ops_detail::logaddexp(x, y), t));
}

Tensor Tensor::lerp(const Tensor& end, const Tensor& weight) const {
  const DType t = least_float(common_dtype(*this, end));
  auto [x, y] = operands_as("lerp", *this, end, compute_float(t));
  UOp w = node_as(weight, x.dtype(), "lerp");
  common_device("lerp", {x, y, w});
  const Shape shape = broadcast_shape("lerp", x.shape(), w.shape());
  x = broadcast_to(x, shape);
  return wrap(tg::cast(x + (broadcast_to(y, shape) - x) * broadcast_to(w, shape), t));
}

Tensor Tensor::usum(const std::vector<Tensor>& tensors) {
  return folded("usum", tensors, &Tensor::add);
}
Tensor Tensor::uprod(const std::vector<Tensor>& tensors) {
  return folded("uprod", tensors, &Tensor::mul);
}

// An infinite tolerance would make everything close to an infinity: infinities are close to
// themselves only.
Tensor Tensor::isclose(const Tensor& other, const CloseOptions& o) const {
  const DType t = compute_float(least_float(common_dtype(*this, other)));
  auto [x, y] = operands_as("isclose", *this, other, t);
  UOp limit = magnitude(y) * const_like(y, o.rtol) + const_like(y, o.atol);
  UOp gap = magnitude(x - y);
  UOp near = (tg::lt(gap, limit) | tg::eq(gap, limit)) & tg::logical_not(is_inf(y));
  UOp close = near | tg::eq(x, y);
  if (o.equal_nan) close = close | (tg::ne(x, x) & tg::ne(y, y));
  return wrap(close);
}

Tensor Tensor::allclose(const Tensor& other, const CloseOptions& o) const {
  return isclose(other, o).all();
}

Tensor Tensor::threefry(const Tensor& seed) const {
  UOp x = need_words(*this), key = need_words(seed);
  const Shape shape = broadcast_shape("threefry", x.shape(), key.shape());
  x = broadcast_to(x, shape), key = broadcast_to(key, shape);
  const auto low = [](const UOp& u) { return tg::cast(u, DType::UInt32); };
  const auto high = [&](const UOp& u) { return low(shr(u, const_like(u, int64_t{32}))); };
  const auto word = [&](int w) {
    return tg::cast(tg::threefry(low(key), high(key), low(x), high(x), w), DType::UInt64);
  };
  UOp second = word(1);
  return wrap(shl(second, const_like(second, int64_t{32})) | word(0));
}

}  // namespace tg

// Operators that make values: constants, ranges, random numbers.
#include <cmath>

#include "frontend/onnx/ops/common.h"
#include "frontend/onnx/table.h"

namespace tg::onnx {
namespace {

Values constant(const Node& n) {
  if (const Value* v = n.array("value")) return {*v};
  if (n.has_attribute("value_float"))
    return {HostArray{DType::Float32, {}, {}, {n.real("value_float", 0)}}};
  if (n.has_attribute("value_int"))
    return {HostArray{DType::Int64, {}, {n.integer("value_int", 0)}, {}}};
  if (const auto ints = n.integers("value_ints")) return {host_vector(*ints)};
  if (const auto reals = n.reals("value_floats"))
    return {HostArray{DType::Float32, {static_cast<int64_t>(reals->size())}, {}, *reals}};
  n.wrong("no value");
}

Values constant_of_shape(const Node& n) {
  const std::vector<int64_t> shape = n.integers(0);
  for (const int64_t size : shape) n.require(size >= 0, "a negative size");
  n.require(elements_of(shape) < (int64_t{1} << 48), "the sizes are too large");
  const Value* v = n.array("value");
  if (v == nullptr) return {Tensor::full(shape, 0.0, {.dtype = DType::Float32, .buffer = false})};
  const Tensor value = v->tensor(n.device()).reshape(Shape(shape.size(), 1));
  return {value.expand(shape)};
}

Values eye_like(const Node& n) {
  const Shape shape = n.shape(0);
  n.require(shape.size() == 2, "the input is no matrix");
  const DType dtype = type_attribute(n, "dtype", n.dtype(0));
  const int64_t k = n.integer("k", 0);
  const auto line = [&](int64_t size) {
    return Tensor::arange(static_cast<double>(size), {.dtype = DType::Int64, .device = n.device()});
  };
  return {(line(shape[0]).unsqueeze(1) + k == line(shape[1])).cast(dtype)};
}

Values range_op(const Node& n) {
  // Computed in float64, which is as exact as any stash_type asks for.
  const double start = n.real(0), limit = n.real(1), step = n.real(2);
  n.require(step != 0, "a step of 0");
  const double count = std::max(0.0, std::ceil((limit - start) / step));
  n.require(count < 1e9, "a range that is too long");
  const Tensor at = Tensor::arange(count, {.dtype = DType::Int64, .device = n.device()});
  const DType dtype = n.dtype(0);
  if (is_float(dtype)) return {(at.cast(DType::Float64) * step + start).cast(dtype)};
  return {(at * n.integer(2) + n.integer(0)).cast(dtype)};
}

Shape shape_attribute(const Node& n) {
  const auto shape = n.integers("shape");
  n.require(shape.has_value(), "no shape");
  for (const int64_t size : *shape) n.require(size >= 0, "a negative size");
  return *shape;
}

template <bool kNormal, bool kLike>
Values random(const Node& n) {
  const Shape shape = kLike ? n.shape(0) : shape_attribute(n);
  const DType dtype = type_attribute(n, "dtype", kLike ? n.dtype(0) : DType::Float32);
  const TensorOptions options{.device = n.device()};
  if (kNormal)
    return {(Tensor::randn(shape, options) * n.real("scale", 1) + n.real("mean", 0)).cast(dtype)};
  const double low = n.real("low", 0), high = n.real("high", 1);
  return {(Tensor::rand(shape, options) * (high - low) + low).cast(dtype)};
}

Values bernoulli(const Node& n) {
  const Tensor x = n.tensor(0);
  const DType dtype = type_attribute(n, "dtype", x.dtype());
  return {(Tensor::rand(x.shape(), {.device = n.device()}) < x).cast(dtype)};
}

Values multinomial(const Node& n) {
  const Tensor weights = n.tensor(0).exp();
  return {weights.multinomial(n.integer("sample_size", 1), true)
              .cast(type_attribute(n, "dtype", DType::Int32))};
}

}  // namespace

std::span<const Operator> creation_operators() {
  static const std::vector<Operator> rows = {
      {"Bernoulli", {15, 22}, "dtype seed", bernoulli},
      {"Constant",
       {1, 9, 11, 12, 13, 19, 21, 23, 24, 25},
       "value value_float value_floats value_int value_ints",
       constant},
      {"ConstantOfShape", {9, 20, 21, 23, 24, 25}, "value", constant_of_shape},
      {"EyeLike", {9, 22}, "dtype k", eye_like},
      {"Multinomial", {7, 22}, "dtype sample_size seed", multinomial},
      {"RandomNormal", {1, 22}, "dtype mean scale seed shape", random<true, false>},
      {"RandomNormalLike", {1, 22}, "dtype mean scale seed", random<true, true>},
      {"RandomUniform", {1, 22}, "dtype low high seed shape", random<false, false>},
      {"RandomUniformLike", {1, 22}, "dtype low high seed", random<false, true>},
      {"Range", {11, 27}, "stash_type", range_op},
  };
  return rows;
}

}  // namespace tg::onnx

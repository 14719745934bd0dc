// Operators of com.microsoft on quantised numbers: 8 bits with one scale and one zero point a
// tensor. They are computed in floats; the result is rounded to the nearest integer, halves to
// even, and limited to its range. Those of the standard: quantised.cpp.
#include <numeric>

#include "frontend/onnx/ops/common.h"
#include "frontend/onnx/table.h"

namespace tg::onnx {
namespace {

// The only number of an input.
Tensor qlinear_number(const Node& n, size_t i) {
  if (elements_of(n.shape(i)) != 1) n.unsupported("a scale or zero point for each channel");
  return n.tensor(i).reshape(Shape{});
}

// Input `x` without its zero point, which is two inputs behind it, int32.
Tensor qlinear_centred(const Node& n, size_t x) {
  if (is_float(n.dtype(x)) || dtype_size(n.dtype(x)) != 1) n.unsupported("other than 8 bits");
  const Tensor wide = n.tensor(x).cast(DType::Int32);
  return n.has(x + 2) ? wide - qlinear_number(n, x + 2).cast(DType::Int32) : wide;
}

// The same as floats, with the scale that stands between them.
Tensor qlinear_read(const Node& n, size_t x) {
  const Tensor scale = qlinear_number(n, x + 1);
  return qlinear_centred(n, x).cast(scale.dtype()) * scale;
}

// Multiples of the result's scale as 8 bits, with the zero point of input `zero`.
Tensor qlinear_rounded(const Node& n, const Tensor& y, size_t zero, DType to) {
  return saturated(n, y, n.has(zero) ? qlinear_number(n, zero) : Tensor(0).cast(to), to);
}

// Floats as 8 bits, with the scale of input `scale` and the zero point of the one behind it.
Tensor qlinear_write(const Node& n, const Tensor& y, size_t scale, DType to) {
  return qlinear_rounded(n, y / qlinear_number(n, scale), scale + 1, to);
}

// Of one operand: the result has its dtype.
Values qlinear_result(const Node& n, const Tensor& y) {
  return {qlinear_write(n, y, 3, n.dtype(0))};
}

template <Tensor (Tensor::*F)(const Tensor&) const>
Values qlinear_binary(const Node& n) {
  return {qlinear_write(n, (qlinear_read(n, 0).*F)(qlinear_read(n, 3)), 6, n.dtype(0))};
}

Values qlinear_sigmoid(const Node& n) { return qlinear_result(n, qlinear_read(n, 0).sigmoid()); }

Values qlinear_leaky_relu(const Node& n) {
  return qlinear_result(n, qlinear_read(n, 0).leaky_relu(n.real("alpha", 0.01)));
}

// Before version 13 of Softmax the axes from `axis` on are one.
Values qlinear_softmax(const Node& n) {
  const Tensor x = qlinear_read(n, 0);
  const bool one_axis = n.required_integer("opset") >= 13;
  const int64_t axis = n.axis(n.integer("axis", -1), x.ndim());
  return qlinear_result(
      n, one_axis ? x.softmax(axis) : x.flatten(axis).softmax(-1).reshape(x.shape()));
}

// The channels moved to the place where the functions of the tensors have them, and back.
Tensor channels_second(const Node& n, const Tensor& x) {
  n.require(x.ndim() >= 3, "fewer than three axes");
  if (!n.flag("channels_last")) return x;
  std::vector<int64_t> order{0, x.ndim() - 1};
  for (int64_t i = 1; i + 1 < x.ndim(); ++i) order.push_back(i);
  return x.permute(order);
}

Tensor channels_back(const Node& n, const Tensor& x) {
  return n.flag("channels_last") ? axis_to_end(x, 1) : x;
}

// The sum is exact, in int32, and its division the only rounding before that to an integer.
Values qlinear_global_average(const Node& n) {
  const Tensor x = channels_second(n, qlinear_centred(n, 0));
  std::vector<int64_t> axes(static_cast<size_t>(x.ndim()) - 2);
  std::iota(axes.begin(), axes.end(), 2);
  const Shape shape = x.shape();
  const int64_t count = elements_of({shape.begin() + 2, shape.end()});
  const Tensor scale = qlinear_number(n, 3) * count / qlinear_number(n, 1);
  const Tensor sum = x.sum({.axis = axes, .keepdim = true}).cast(scale.dtype());
  return {qlinear_rounded(n, channels_back(n, sum / scale), 4, n.dtype(0))};
}

Values qlinear_average_pool(const Node& n) {
  const Tensor x = channels_second(n, qlinear_read(n, 0));
  const auto kernel = n.integers("kernel_shape");
  n.require(kernel.has_value() && static_cast<int64_t>(kernel->size()) == x.ndim() - 2,
            "kernel_shape does not name all spatial axes");
  for (const int64_t k : *kernel) n.require(k > 0, "kernel_shape is not positive");
  const Shape shape = x.shape();
  const Window w = window_of(n, *kernel, {shape.begin() + 2, shape.end()});
  const Tensor y = x.avg_pool2d({.kernel_size = w.kernel,
                                 .stride = w.strides,
                                 .padding = padding_pairs(w),
                                 .ceil_mode = n.flag("ceil_mode"),
                                 .count_include_pad = n.flag("count_include_pad")});
  return qlinear_result(n, channels_back(n, y));
}

// The result's scale and zero point, then a tensor, a scale and a zero point for each operand.
Values qlinear_concat(const Node& n) {
  n.require(n.inputs() >= 5 && n.inputs() % 3 == 2, "operands without a scale and a zero point");
  std::vector<Tensor> parts;
  for (size_t i = 2; i < n.inputs(); i += 3) parts.push_back(qlinear_read(n, i));
  const int64_t axis = n.axis(n.required_integer("axis"), parts[0].ndim());
  return {qlinear_write(n, Tensor::cat(parts, axis), 0, n.dtype(1))};
}

Values qlinear_where(const Node& n) {
  const Tensor y = n.tensor(0).where(qlinear_read(n, 1), qlinear_read(n, 4));
  return {qlinear_write(n, y, 7, n.dtype(1))};
}

}  // namespace

std::span<const Operator> microsoft_quantised_operators() {
  static const std::vector<Operator> rows = {
      {"com.microsoft.QLinearAdd", {1}, "", qlinear_binary<&Tensor::add>},
      {"com.microsoft.QLinearAveragePool",
       {1},
       "auto_pad ceil_mode channels_last count_include_pad kernel_shape pads strides",
       qlinear_average_pool},
      {"com.microsoft.QLinearConcat", {1}, "axis", qlinear_concat},
      {"com.microsoft.QLinearGlobalAveragePool", {1}, "channels_last", qlinear_global_average},
      {"com.microsoft.QLinearLeakyRelu", {1}, "alpha", qlinear_leaky_relu},
      {"com.microsoft.QLinearMul", {1}, "", qlinear_binary<&Tensor::mul>},
      {"com.microsoft.QLinearSigmoid", {1}, "", qlinear_sigmoid},
      {"com.microsoft.QLinearSoftmax", {1}, "axis opset", qlinear_softmax},
      {"com.microsoft.QLinearWhere", {1}, "", qlinear_where},
  };
  return rows;
}

}  // namespace tg::onnx

// Quantised numbers: products and convolutions are computed in int32, exactly; only the change of
// scale is in floats, as the standard says.
#include <algorithm>

#include "frontend/onnx/ops/common.h"
#include "frontend/onnx/table.h"

namespace tg::onnx {
namespace {

// A scale or zero point of one number, or of one for each element along an axis.
Tensor on_axis(const Node& n, const Tensor& v, const Tensor& x, int64_t axis) {
  if (v.numel() == 1) return v.reshape(Shape{});
  if (v.ndim() != 1) n.unsupported("a scale for each block");
  Shape shape(static_cast<size_t>(x.ndim()), 1);
  shape[static_cast<size_t>(n.axis(axis, x.ndim()))] = v.numel();
  return v.reshape(shape);
}

// A scale or zero point of QuantizeLinear and its inverse, which may also have one number for each
// block along the axis; the last block may be cut off.
Tensor on_blocks(const Node& n, const Tensor& v, const Tensor& x) {
  const int64_t wanted = n.integer("block_size", 0), given = n.integer("axis", 1);
  if (wanted == 0) return on_axis(n, v, x, given);
  n.require(wanted > 0, "a negative block_size");
  const int64_t axis = n.axis(given, x.ndim()), size = x.size(axis);
  const int64_t block = std::min(wanted, std::max<int64_t>(1, size));
  Shape blocks = x.shape();
  blocks[static_cast<size_t>(axis)] = (size + block - 1) / block;
  n.require(v.shape() == blocks, "not one scale for each block");
  Shape kept(static_cast<size_t>(x.ndim()), -1);
  kept[static_cast<size_t>(axis)] = size;
  return v.repeat_interleave(block, axis).shrink_to(kept);
}

Tensor int32_of(const Tensor& x) { return x.cast(DType::Int32); }

Tensor zero_point(const Node& n, size_t i, DType dtype) {
  if (n.has(i)) return n.tensor(i);
  return Tensor(0).cast(dtype);
}

Values quantize_linear(const Node& n) {
  const Tensor x = n.tensor(0);
  const DType to = type_attribute(n, "output_dtype", n.has(2) ? n.dtype(2) : DType::UInt8);
  const DType precision = type_attribute(n, "precision", n.dtype(1));
  n.require(is_float(precision), "the precision is no float");
  const Tensor scale = on_blocks(n, n.tensor(1), x).cast(precision);
  const Tensor zero = n.has(2) ? on_blocks(n, n.tensor(2), x) : Tensor(0).cast(to);
  return {saturated(n, x.cast(precision) / scale, zero, to)};
}

// (q − zero) · scale, in the precision of the result.
Values dequantize_linear(const Node& n) {
  const auto exact = [](const Tensor& v) {
    return v.is_floating_point() ? wide_floats(v) : int32_of(v);
  };
  const Tensor q = n.tensor(0), scale = on_blocks(n, n.tensor(1), q);
  Tensor wide = exact(q);
  if (n.has(2)) wide = wide - exact(on_blocks(n, n.tensor(2), q));
  const DType to = type_attribute(n, "output_dtype", scale.dtype());
  return {wide.cast(to) * scale.cast(to)};
}

Values dynamic_quantize(const Node& n) {
  const Tensor x = n.tensor(0);
  const Tensor low = x.min().minimum(0), high = x.max().maximum(0);
  const Tensor scale = (high - low) / 255;
  const Tensor zero = (-low / scale).clip(0, 255).round();
  return {saturated(n, x / scale, zero, DType::UInt8), scale, zero.cast(DType::UInt8)};
}

// Without its zero point, int32: one number, or one for each row of the left operand (axis −2) or
// each column of the right one (axis −1).
Tensor centred(const Node& n, size_t x, size_t zero, int64_t axis) {
  const Tensor q = int32_of(n.tensor(x));
  if (!n.has(zero)) return q;
  const Tensor z = n.tensor(zero);
  return q - int32_of(z.ndim() <= 1 ? on_axis(n, z, q, q.ndim() == 1 ? 0 : axis) : z);
}

Values matmul_integer(const Node& n) {
  return {centred(n, 0, 2, -2).matmul(centred(n, 1, 3, -1)).cast(DType::Int32)};
}

Values conv_integer(const Node& n) {
  return {convolution(n, centred(n, 0, 2, 1), centred(n, 1, 3, 0), nullptr).cast(DType::Int32)};
}

Values qlinear_matmul(const Node& n) {
  const Tensor sum = centred(n, 0, 2, -2).matmul(centred(n, 3, 5, -1));
  const Tensor a = n.tensor(1), b = n.tensor(4);
  const Tensor scale =
      on_axis(n, a, sum, -2) * on_axis(n, b, sum, -1) / n.tensor(6).reshape(Shape{});
  return {saturated(n, sum.cast(scale.dtype()) * scale, zero_point(n, 7, n.dtype(0)), n.dtype(7))};
}

Values qlinear_conv(const Node& n) {
  Tensor sum = convolution(n, centred(n, 0, 2, 1), centred(n, 3, 5, 0), nullptr).cast(DType::Int32);
  if (n.has(8)) sum = sum + on_axis(n, n.tensor(8), sum, 1);
  const Tensor scale =
      n.tensor(1).reshape(Shape{}) * on_axis(n, n.tensor(4), sum, 1) / n.tensor(6).reshape(Shape{});
  return {saturated(n, sum.cast(scale.dtype()) * scale, n.tensor(7), n.dtype(7))};
}

}  // namespace

std::span<const Operator> quantised_operators() {
  constexpr std::string_view kConv = "auto_pad dilations group kernel_shape pads strides";
  static const std::vector<Operator> rows = {
      {"ConvInteger", {10}, kConv, conv_integer},
      {"DequantizeLinear",
       {10, 13, 19, 21, 23, 24, 25, 28},
       "axis block_size output_dtype",
       dequantize_linear},
      {"DynamicQuantizeLinear", {11}, "", dynamic_quantize},
      {"MatMulInteger", {10}, "", matmul_integer},
      {"QLinearConv", {10}, kConv, qlinear_conv},
      {"QLinearMatMul", {10, 21}, "", qlinear_matmul},
      {"QuantizeLinear",
       {10, 13, 19, 21, 23, 24, 25, 28},
       "axis block_size output_dtype precision saturate",
       quantize_linear},
  };
  return rows;
}

}  // namespace tg::onnx

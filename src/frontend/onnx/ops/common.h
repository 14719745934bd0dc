// What several files of operators share. The node itself: node.h.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/onnx/node.h"

namespace tg::onnx {

/// The second operand of an arithmetic operator, with the axes that versions before 7 gave it.
Tensor second_operand(const Node& n);
/// Axes from input `i`, which newer versions have, or from the attribute; none: not given.
std::optional<std::vector<int64_t>> axes_of(const Node& n, size_t i);
/// A tensor with `axis` moved to the end, and back.
Tensor axis_to_end(const Tensor& x, int64_t axis);
Tensor axis_from_end(const Tensor& x, int64_t axis);
/// The dtype that an attribute of ONNX's enumeration names; 0, its default, names none.
DType type_attribute(const Node& n, std::string_view name, DType otherwise);
/// A cast by the attribute "saturate": numbers that an 8-bit float does not reach become its
/// largest ones, or what its rounding says, infinite or NaN.
Tensor cast_by_node(const Node& n, const Tensor& x, DType to);
/// Floats of less than 32 bits as float32, others as they are.
Tensor wide_floats(const Tensor& x);
/// Rounded to the nearest integer (halves to even), shifted by `zero`, limited to the range of
/// `to`, of at most 16 bits; an 8-bit float is rounded by its cast.
Tensor saturated(const Node& n, const Tensor& x, const Tensor& zero, DType to);
/// Integers as a tensor on the device of the node.
Tensor int_tensor(const Node& n, const std::vector<int64_t>& values, const Shape& shape);
/// 0, 1, … below `count` as int64, on the device of the node.
Tensor counted(const Node& n, int64_t count);
/// Constant floats of a dtype, on the device of the node.
Tensor float_tensor(const Node& n, const std::vector<double>& values, const Shape& shape,
                    DType dtype);

/// What a window of a convolution or a pool does along each spatial axis.
struct Window {
  std::vector<int64_t> kernel, strides, dilations, before, after;
};
/// Of the attributes strides, dilations, pads and auto_pad, for spatial axes of these sizes.
Window window_of(const Node& n, const std::vector<int64_t>& kernel,
                 const std::vector<int64_t>& sizes);
/// (before, after) of each axis, as options of the tensor functions take them.
std::vector<int64_t> padding_pairs(const Window& w);

/// Elements moved: indices into an axis with negative ones counted from the end.
Tensor wrapped_indices(const Tensor& indices, int64_t size);
/// As Gather: x with `axis` replaced by the axes of the indices.
Tensor gather_along(const Tensor& x, const Tensor& indices, int64_t axis);

/// Conv of these operands by the attributes of the node.
Tensor convolution(const Node& n, const Tensor& x, const Tensor& weight, const Tensor* bias);

}  // namespace tg::onnx

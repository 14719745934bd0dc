// What the families of Tensor functions share: from tensors to nodes and back, promotion,
// broadcasting, axes. Internal.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "support/check.h"
#include "tensor/state.h"
#include "tg/error.h"
#include "tg/ir/uop.h"
#include "tg/tensor.h"
#include "uop/shape.h"

namespace tg::ops_detail {

/// The node of a tensor for use in `fn`; raises if its value was lost (TensorState::poison).
UOp node_of(const Tensor& t, std::string_view fn);
/// A new tensor naming `u`; detached in a NoGradScope.
Tensor wrap(UOp u);

/// A new tensor naming `u`, a chain of movement ops over the node of `base`: the two are aliases,
/// an assignment to one is seen by the other.
Tensor view_of(const Tensor& base, UOp u);

/// The node converted to `dtype`; a number is made again in that dtype, from its full precision.
UOp node_as(const Tensor& t, DType dtype, std::string_view fn);
/// The dtype in which two tensors meet; numbers give way.
DType common_dtype(const Tensor& a, const Tensor& b);

/// The device on which all that live somewhere do, 0 if none does; DeviceError names `fn` and two
/// devices.
DeviceId common_device(std::string_view fn, std::span<const UOp> values);
DeviceId common_device(std::string_view fn, std::initializer_list<UOp> values);
/// The device of this name, or of these with commas between them, which must exist (DeviceError); 0
/// if it is empty.
DeviceId asked_device(const std::string& name);
/// Such a name as Tensor::device() gives it. DeviceError if a device is named twice.
std::string known_devices(std::string_view names);
/// `x`, which lives where `like` does or nowhere, split between devices as that is.
UOp lying_like(const UOp& x, const UOp& like);
/// `value` on the device called `asked`, if it lives nowhere and that is not empty: what it was
/// made of keeps its gradient. DeviceError if it lives on another one.
UOp on_device(std::string_view fn, const UOp& value, const std::string& asked);

/// NumPy's rule; `fn` and both shapes are named when it fails.
Shape broadcast_shape(std::string_view fn, std::span<const Dim> a, std::span<const Dim> b);
/// `u` with axes of size 1 in front and stretched to `shape`.
UOp broadcast_to(const UOp& u, const Shape& shape);
/// Both operands promoted and broadcast.
std::pair<UOp, UOp> operands(std::string_view fn, const Tensor& a, const Tensor& b);
/// The same in a given dtype.
std::pair<UOp, UOp> operands_as(std::string_view fn, const Tensor& a, const Tensor& b, DType dtype);

/// 0 ≤ axis < ndim, counted from the end if negative; IndexError names the shape.
int axis_of(std::string_view fn, int64_t axis, std::span<const Dim> shape);
/// The same where a scalar counts as a row of one element, its axis 0.
int scanned_axis_of(std::string_view fn, int64_t axis, std::span<const Dim> shape);
/// Sorted, each once (ArgumentError); none named: all. Of a scalar none, 0 and −1 being its names.
std::vector<int64_t> axes_of(std::string_view fn, const Axes& axes, std::span<const Dim> shape);
/// ArgumentError if the number of elements along the axis is an expression of variables.
void need_plain_axis(std::string_view fn, const UOp& x, int axis);
/// The same of all axes.
void need_plain_axes(std::string_view fn, const UOp& x);
/// `shape` without `axes`.
Shape without_axes(std::span<const Dim> shape, std::span<const int64_t> axes);

/// The node as a float: itself, or float32.
UOp float_node(const Tensor& t, std::string_view fn);
/// Float dtype in which compositions are computed: half, bfloat16 and fp8 in float32.
DType compute_float(DType t);
/// Reduces, in compute_float for the small floats; axes stay with size 1.
UOp sum_axes(const UOp& u, std::span<const int64_t> axes);
/// exp, log, sigmoid on floats of 32 or 64 bits.
UOp exp(const UOp& u);
UOp log(const UOp& u);
UOp sigmoid(const UOp& u);
/// x < 0 ? −x : x, without care for the slope at 0.
UOp magnitude(const UOp& u);
/// The largest whole number up to x.
UOp floor_of(const UOp& x);
/// The largest of each row, without gradient; axes stay with size 1.
UOp detached_max(const UOp& u, std::span<const int64_t> axes);
/// Keys in the opposite order: negated floats, complements of integers, which cannot overflow.
UOp order_reversed(const UOp& x);
/// Windows of the last `kernel.size()` axes: [lead…, spatial…] → [lead…, out…, kernel…]. `pad`
/// holds (before, after) of each axis; reads outside give `fill`.
struct WindowSpec {
  std::vector<int64_t> kernel, stride, dilation, pad;
  bool ceil_mode = false;
  std::vector<Dim> count = {};  ///< number of windows on each axis; empty: as many as fit
};
UOp windows(std::string_view fn, const UOp& x, const WindowSpec& spec, const Scalar& fill);
/// `given` for `n` axes: one number for all, or one for each (ArgumentError names the parameter).
std::vector<int64_t> per_axis(std::string_view fn, std::string_view parameter, const PerAxis& given,
                              size_t n, int64_t least);
/// Padding for `n` axes as (before, after) pairs: one number, one an axis, or a pair for each.
std::vector<int64_t> per_axis_pairs(std::string_view fn, const PerAxis& given, size_t n);
/// DTypeError unless the elements are integers.
void need_integers(std::string_view fn, const UOp& index);
/// Where axis `a` of `x` and `b` of `y` have the same variable size and differ in extent (one is
/// the slice of an array that ends before the size can), the smaller extent serves both.
void meet_on_axis(UOp& x, int a, UOp& y, int b);
/// The same of all axes, counted from the last.
void meet_extents(UOp& x, UOp& y);
/// Integer indices that count from the end where negative, as int32 or int64; looked at under
/// CHECK_INDEX.
UOp normalized_index(std::string_view fn, const UOp& index, Dim size);
/// That of places among `count` elements: int32, or int64 if they are more than it holds.
DType place_dtype(Dim count);
/// Where x equals its maximum, of the same shape. NaN is the largest.
UOp is_largest(const UOp& x, const UOp& largest);
/// 0, 1, … n − 1, on the device of `like` (decompose.cpp).
Tensor counted(int64_t n, const Tensor& like);
/// ShapeError unless x is [..., n, n], of numbers and not variables (decompose.cpp).
void check_square(std::string_view fn, const UOp& x);
/// x[…] taken at flat `index` [m] along `axis`.
UOp take(const UOp& x, const UOp& index, int axis);

inline std::string text(std::span<const Dim> shape) { return format_shape(shape); }

}  // namespace tg::ops_detail

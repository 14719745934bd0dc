// See ops.h.
#include "tensor/ops.h"

#include <algorithm>
#include <limits>
#include <numbers>

#include "runtime/device.h"
#include "support/symbol.h"
#include "tensor/check_index.h"
#include "tg/autograd.h"
#include "uop/device_groups.h"
#include "uop/devices.h"
#include "uop/limits.h"

namespace tg::ops_detail {

UOp node_of(const Tensor& t, std::string_view fn) {
  if (t.state()->poisoned() && t.state()->is_gradient()) {
    user_error<ArgumentError>(
        fn, "the gradient of an earlier step was overwritten in place before it was computed",
        "Hint: call zero_grad() before backward().");
  }
  if (t.state()->poisoned()) {
    user_error<ArgumentError>(
        fn,
        fmt::format(
            "a value of shape {} was overwritten in place by an assignment before it was computed",
            text(t.state()->node().shape())),
        "Hint: realize() it before the assignment runs.");
  }
  return t.state()->node();
}

Tensor wrap(UOp u) {
  if (!is_grad_enabled() && is_float(u.dtype()) && !u.is(Op::Detach) && !u.is(Op::Buffer) &&
      !u.is(Op::After) && !u.is(Op::Const)) {
    u = detach(u);
  }
  return Tensor(make_state(std::move(u)));
}

Tensor view_of(const Tensor& base, UOp u) {
  Tensor out = wrap(std::move(u));
  out.state()->join_aliases(*base.state());
  return out;
}

UOp node_as(const Tensor& t, DType dtype, std::string_view fn) {
  UOp u = node_of(t, fn);
  const auto number = t.state()->number();
  return number && u.is(Op::Const) ? constant(number->cast(dtype)) : cast(u, dtype);
}

DType common_dtype(const Tensor& a, const Tensor& b) {
  const DType da = a.dtype(), db = b.dtype();
  const bool wa = a.state()->is_number(), wb = b.state()->is_number();
  if (wa == wb) return promote(da, db);
  return wa ? promote_weak(db, is_float(da)) : promote_weak(da, is_float(db));
}

DeviceId common_device(std::string_view fn, std::span<const UOp> values) {
  DeviceId common = 0;
  for (const UOp& v : values) {
    if (v.device() == 0 || v.device() == common) continue;
    if (common != 0) {
      user_error<DeviceError>(
          fn,
          fmt::format("operands live on different devices: {} and {}", symbol_name(common),
                      symbol_name(v.device())),
          is_group(common) || is_group(v.device())
              ? "Hint: bring the others to all of the devices with to() or shard()."
              : "Hint: move one of them with to().");
    }
    common = v.device();
  }
  return common;
}
DeviceId common_device(std::string_view fn, std::initializer_list<UOp> values) {
  return common_device(fn, std::span<const UOp>(values.begin(), values.size()));
}

std::string known_devices(std::string_view names) {
  std::vector<std::string> known;
  for (const std::string& name : split_devices(names)) {
    if (name.empty())
      user_error<DeviceError>("device", fmt::format("a name is missing in '{}'", names));
    known.push_back(device(name).name());
    if (std::ranges::count(known, known.back()) == 1) continue;
    user_error<DeviceError>("device", fmt::format("{} is named twice in {}", known.back(), names));
  }
  return fmt::format("{}", fmt::join(known, std::string_view(&kDeviceSeparator, 1)));
}

DeviceId asked_device(const std::string& name) {
  return name.empty() ? DeviceId{0} : device_id(known_devices(name));
}

UOp on_device(std::string_view fn, const UOp& value, const std::string& asked) {
  const DeviceId id = asked_device(asked);
  if (id == 0) return value;
  if (value.device() == 0) return value.n_src() == 0 ? placed(value, id) : copy_to(value, id);
  if (value.device() == id) return value;
  user_error<DeviceError>(fn,
                          fmt::format("the value lives on {}, but {} was asked for",
                                      symbol_name(value.device()), symbol_name(id)),
                          "Hint: move it with to().");
}

Shape broadcast_shape(std::string_view fn, std::span<const Dim> a, std::span<const Dim> b) {
  Shape out(std::max(a.size(), b.size()));
  for (size_t i = 1; i <= out.size(); ++i) {
    const Dim x = i <= a.size() ? a[a.size() - i] : 1, y = i <= b.size() ? b[b.size() - i] : 1;
    if (x != y && x != 1 && y != 1) {
      user_error<ShapeError>(
          fn,
          fmt::format("shapes cannot be broadcast: {} and {} ({} vs {} on axis -{})", text(a),
                      text(b), x, y, i),
          "Hint: sizes must be equal or 1, counted from the last axis.");
    }
    out[out.size() - i] = x == 1 ? y : x;
  }
  return out;
}

void meet_on_axis(UOp& x, int a, UOp& y, int b) {
  const UOp size = size_of(x, a);
  if (x.dim(a) == y.dim(b) || size.is(Op::Const) || size != size_of(y, b)) return;
  const Dim extent = std::min(x.dim(a), y.dim(b));
  UOp& longer = x.dim(a) > extent ? x : y;
  const int axis = x.dim(a) > extent ? a : b;
  const UOp all = limited(longer, axis, index_const(longer.dim(axis)));
  longer = limited(shrink_axis(all, axis, 0, extent), axis, size);
}

void meet_extents(UOp& x, UOp& y) {
  for (int i = 1; i <= std::min(x.ndim(), y.ndim()); ++i)
    meet_on_axis(x, x.ndim() - i, y, y.ndim() - i);
}

UOp broadcast_to(const UOp& u, const Shape& shape) {
  Shape ones(shape.size() - u.shape().size(), 1);
  ones.insert(ones.end(), u.shape().begin(), u.shape().end());
  return expand(reshape(u, ones), shape);
}

std::pair<UOp, UOp> operands_as(std::string_view fn, const Tensor& a, const Tensor& b,
                                DType dtype) {
  UOp x = node_as(a, dtype, fn), y = node_as(b, dtype, fn);
  common_device(fn, {x, y});
  meet_extents(x, y);
  const Shape shape = broadcast_shape(fn, x.shape(), y.shape());
  return {broadcast_to(x, shape), broadcast_to(y, shape)};
}

std::pair<UOp, UOp> operands(std::string_view fn, const Tensor& a, const Tensor& b) {
  return operands_as(fn, a, b, common_dtype(a, b));
}

int axis_of(std::string_view fn, int64_t axis, std::span<const Dim> shape) {
  const auto n = static_cast<int64_t>(shape.size());
  if (axis < -n || axis >= n) {
    user_error<IndexError>(fn, fmt::format("axis {} is outside shape {}", axis, text(shape)));
  }
  return static_cast<int>(axis < 0 ? axis + n : axis);
}

int scanned_axis_of(std::string_view fn, int64_t axis, std::span<const Dim> shape) {
  return shape.empty() && (axis == 0 || axis == -1) ? 0 : axis_of(fn, axis, shape);
}

std::vector<int64_t> axes_of(std::string_view fn, const Axes& axes, std::span<const Dim> shape) {
  std::vector<int64_t> out;
  for (int64_t a : axes.list) out.push_back(scanned_axis_of(fn, a, shape));
  std::ranges::sort(out);
  if (const auto twice = std::ranges::adjacent_find(out); twice != out.end()) {
    user_error<ArgumentError>(fn, fmt::format("axis {} is named twice: {} of shape {}", *twice,
                                              text(axes.list), text(shape)));
  }
  if (shape.empty()) return {};
  if (axes.list.empty()) {
    for (size_t i = 0; i < shape.size(); ++i) out.push_back(static_cast<int64_t>(i));
  }
  return out;
}

void need_plain_axis(std::string_view fn, const UOp& x, int axis) {
  if (size_of(x, axis).is(Op::Const)) return;
  user_error<ArgumentError>(
      fn, fmt::format("axis {} of shape {} has a variable size", axis, format_sizes(x.node())));
}

void need_plain_axes(std::string_view fn, const UOp& x) {
  for (int axis = 0; axis < x.ndim(); ++axis) need_plain_axis(fn, x, axis);
}

Shape without_axes(std::span<const Dim> shape, std::span<const int64_t> axes) {
  Shape out;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (std::ranges::find(axes, static_cast<int64_t>(i)) == axes.end()) out.push_back(shape[i]);
  }
  return out;
}

UOp float_node(const Tensor& t, std::string_view fn) {
  return node_as(t, least_float(t.dtype()), fn);
}

DType compute_float(DType t) { return is_float(t) && dtype_size(t) < 4 ? DType::Float32 : t; }

UOp sum_axes(const UOp& u, std::span<const int64_t> axes) {
  return cast(reduce(cast(u, compute_float(u.dtype())), ReduceOp::Add, axes), u.dtype());
}

UOp exp(const UOp& u) { return exp2(u * const_like(u, std::numbers::log2e)); }
UOp log(const UOp& u) { return log2(u) * const_like(u, std::numbers::ln2); }
UOp magnitude(const UOp& u) { return where(lt(u, const_like(u, 0.0)), -u, u); }
UOp floor_of(const UOp& x) {
  UOp t = trunc(x);
  return where(lt(x, t), t - const_like(t, 1.0), t);
}

// With e = exp(−|x|) in [0, 1] neither the value nor its slope ever meets an infinity. Far below 0
// the rounding of 1 + e would cost a unit of the last place: there e/(1 + e) is e − e·(e/(1 + e)).
// Far above 0, 1 + e is 1 whatever e is: 0, before it is too small for a normal number, of which
// processors make a hundred cycles' work.
UOp sigmoid(const UOp& u) {
  UOp zero = const_like(u, 0.0), one = const_like(u, 1.0);
  UOp negative = lt(u, zero);
  UOp highest = const_like(u, u.dtype() == DType::Float64 ? 708.0 : 87.0);
  UOp e = where(lt(highest, u), zero, exp(where(negative, u, -u)));
  UOp ratio = where(negative, e, one) / (one + e);
  return where(lt(u, const_like(u, -1.5)), e - e * ratio, ratio);
}

UOp detached_max(const UOp& u, std::span<const int64_t> axes) {
  return detach(reduce(u, ReduceOp::Max, axes));
}

UOp order_reversed(const UOp& x) {
  if (is_float(x.dtype())) return -x;
  return x ^ const_like(x, int64_t{is_bool(x.dtype()) ? 1 : -1});
}

void need_integers(std::string_view fn, const UOp& index) {
  if (is_int(index.dtype())) return;
  user_error<DTypeError>(
      fn, fmt::format("index tensors must hold integers, got {}", dtype_name(index.dtype())),
      "Hint: cast the index to int32.");
}

UOp normalized_index(std::string_view fn, const UOp& index, Dim size) {
  need_integers(fn, index);
  const DType given = index.dtype();
  check_index(fn, "index", index, is_unsigned(given) ? 0 : -size, size);
  const bool wide = dtype_size(given) == 8 || given == DType::UInt32 ||
                    size > std::numeric_limits<int32_t>::max();
  UOp i = cast(index, wide ? DType::Int64 : DType::Int32);
  return is_unsigned(given) ? i : where(lt(i, const_like(i, int64_t{0})), i + size, i);
}

DType place_dtype(Dim count) {
  return count > std::numeric_limits<int32_t>::max() ? DType::Int64 : DType::Int32;
}

UOp is_largest(const UOp& x, const UOp& largest) {
  const UOp same = eq(x, largest);
  return is_float(x.dtype()) ? same | ne(x, x) : same;
}

UOp take(const UOp& x, const UOp& index, int axis) {
  Shape aligned(x.shape().size(), 1), shape = x.shape_vec();
  aligned[static_cast<size_t>(axis)] = shape[static_cast<size_t>(axis)] = index.dim(0);
  return gather(x, expand(reshape(index, aligned), shape), axis);
}

}  // namespace tg::ops_detail

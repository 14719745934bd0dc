// What several files of operators share: see common.h.
#include "frontend/onnx/ops/common.h"

#include <fmt/format.h>

#include <numeric>

namespace tg::onnx {

std::optional<std::vector<int64_t>> axes_of(const Node& n, size_t i) {
  if (n.has(i)) return n.integers(i);
  return n.integers("axes");
}

Tensor axis_to_end(const Tensor& x, int64_t axis) {
  std::vector<int64_t> order;
  for (int64_t i = 0; i < x.ndim(); ++i)
    if (i != axis) order.push_back(i);
  order.push_back(axis);
  return x.permute(order);
}

Tensor axis_from_end(const Tensor& x, int64_t axis) {
  std::vector<int64_t> order(static_cast<size_t>(x.ndim()) - 1);
  std::iota(order.begin(), order.end(), 0);
  order.insert(order.begin() + axis, x.ndim() - 1);
  return x.permute(order);
}

DType type_attribute(const Node& n, std::string_view name, DType otherwise) {
  const int64_t number = n.integer(name, 0);
  if (number == 0) return otherwise;
  const auto dtype = dtype_of_onnx(number);
  if (!dtype) n.unsupported("elements of " + onnx_type_name(number));
  return *dtype;
}

namespace {

bool is_float8(DType dtype) { return is_float(dtype) && dtype_size(dtype) == 1; }

double largest_float8(DType dtype) {
  return dtype == DType::Fp8E4M3 ? 448 : dtype == DType::Fp8E4M3Fnuz ? 240 : 57344;
}

}  // namespace

Tensor cast_by_node(const Node& n, const Tensor& x, DType to) {
  if (!is_float8(to) || !n.flag("saturate", true)) return x.cast(to);
  const Tensor wide = x.is_floating_point() ? wide_floats(x) : x.cast(DType::Float32);
  const double most = largest_float8(to);
  return wide.clip(-most, most).cast(to);
}

Tensor wide_floats(const Tensor& x) {
  return x.is_floating_point() && x.element_size() < 4 ? x.cast(DType::Float32) : x;
}

Tensor saturated(const Node& n, const Tensor& x, const Tensor& zero, DType to) {
  if (dtype_size(to) > (is_float(to) ? 1 : 2))
    n.unsupported("quantisation to " + std::string(dtype_name(to)));
  if (is_float(to)) return cast_by_node(n, wide_floats(x) + wide_floats(zero), to);
  const int64_t bits = 8 * dtype_size(to);
  const int64_t low = is_unsigned(to) ? 0 : -(int64_t{1} << (bits - 1));
  const int64_t high = low + (int64_t{1} << bits) - 1;
  const Tensor whole = wide_floats(x.round());  // small floats do not have all limits
  return (whole + zero.cast(whole.dtype())).clip(low, high).cast(to);
}

Tensor counted(const Node& n, int64_t count) {
  return Tensor::arange(static_cast<double>(count), {.dtype = DType::Int64, .device = n.device()});
}

Tensor int_tensor(const Node& n, const std::vector<int64_t>& values, const Shape& shape) {
  return Value(HostArray{DType::Int64, shape, values, {}}).tensor(n.device());
}

Tensor float_tensor(const Node& n, const std::vector<double>& values, const Shape& shape,
                    DType dtype) {
  return Value(HostArray{dtype, shape, {}, values}).tensor(n.device());
}

namespace {

std::vector<int64_t> each_axis(const Node& n, std::string_view name, size_t axes) {
  const auto given = n.integers(name);
  if (!given || given->empty()) return std::vector<int64_t>(axes, 1);
  n.require(given->size() == axes,
            fmt::format("{} has {} numbers for {} axes", name, given->size(), axes));
  for (const int64_t x : *given)
    n.require(x > 0 && x < (int64_t{1} << 31), fmt::format("{} of {}", name, x));
  return *given;
}

}  // namespace

Window window_of(const Node& n, const std::vector<int64_t>& kernel,
                 const std::vector<int64_t>& sizes) {
  const size_t axes = kernel.size();
  Window w{kernel, each_axis(n, "strides", axes), each_axis(n, "dilations", axes),
           std::vector<int64_t>(axes, 0), std::vector<int64_t>(axes, 0)};
  const std::string mode = n.text("auto_pad", "NOTSET");
  if (mode == "NOTSET" || mode.empty()) {
    const auto pads = n.integers("pads");
    if (!pads || pads->empty()) return w;
    n.require(pads->size() == 2 * axes,
              fmt::format("pads has {} numbers for {} axes", pads->size(), axes));
    for (size_t i = 0; i < axes; ++i) {
      w.before[i] = (*pads)[i];
      w.after[i] = (*pads)[axes + i];
      n.require(w.before[i] >= 0 && w.after[i] >= 0, "negative pads");
    }
    return w;
  }
  if (mode == "VALID") return w;
  n.require(mode == "SAME_UPPER" || mode == "SAME_LOWER", "unknown auto_pad \"" + mode + "\"");
  for (size_t i = 0; i < axes; ++i) {
    const int64_t out = (sizes[i] + w.strides[i] - 1) / w.strides[i];
    const int64_t reach = (kernel[i] - 1) * w.dilations[i] + 1;
    const int64_t total = std::max<int64_t>(0, (out - 1) * w.strides[i] + reach - sizes[i]);
    w.before[i] = mode == "SAME_UPPER" ? total / 2 : total - total / 2;
    w.after[i] = total - w.before[i];
  }
  return w;
}

std::vector<int64_t> padding_pairs(const Window& w) {
  std::vector<int64_t> out;
  for (size_t i = 0; i < w.before.size(); ++i) {
    out.push_back(w.before[i]);
    out.push_back(w.after[i]);
  }
  return out;
}

Tensor wrapped_indices(const Tensor& indices, int64_t size) {
  return (indices < 0).where(indices + size, indices);
}

Tensor gather_along(const Tensor& x, const Tensor& indices, int64_t axis) {
  std::vector<IndexItem> items(static_cast<size_t>(axis), IndexItem(Slice()));
  items.emplace_back(indices);
  return x.index(items);
}

}  // namespace tg::onnx

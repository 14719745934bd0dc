// Pools, and their inverse.
#include <numeric>

#include "frontend/onnx/ops/common.h"
#include "frontend/onnx/table.h"

namespace tg::onnx {
namespace {

PoolOptions pool_options(const Node& n, const Tensor& x) {
  const auto kernel = n.integers("kernel_shape");
  n.require(kernel.has_value() && static_cast<int64_t>(kernel->size()) == x.ndim() - 2,
            "kernel_shape does not name all spatial axes");
  for (const int64_t k : *kernel) n.require(k > 0, "kernel_shape is not positive");
  const Shape xs = x.shape();
  const Window w = window_of(n, *kernel, {xs.begin() + 2, xs.end()});
  return {.kernel_size = w.kernel,
          .stride = w.strides,
          .dilation = w.dilations,
          .padding = padding_pairs(w),
          .ceil_mode = n.flag("ceil_mode")};
}

Values max_pool(const Node& n) {
  const Tensor x = n.tensor(0);
  const PoolOptions options = pool_options(n, x);
  if (!n.wants(1)) return {x.max_pool2d(options)};
  const auto [values, places] = x.max_pool2d_with_indices(options);
  // Places count through the whole tensor, and in column order if storage_order says so.
  Tensor at = places.cast(DType::Int64);
  const Shape xs = x.shape();
  const int64_t plane = elements_of({xs.begin() + 2, xs.end()});
  if (n.flag("storage_order")) {
    n.require(x.ndim() == 4, "storage_order with other than two spatial axes");
    at = at.mod(xs[3]) * xs[2] + at.floordiv(xs[3]);
  }
  Shape shape(static_cast<size_t>(x.ndim()), 1);
  shape[0] = xs[0];
  shape[1] = xs[1];
  const Tensor first = Tensor::arange(static_cast<double>(xs[0] * xs[1]),
                                      {.dtype = DType::Int64, .device = n.device()})
                           .reshape(shape);
  return {values, at + first * plane};
}

Values average_pool(const Node& n) {
  const Tensor x = n.tensor(0);
  PoolOptions options = pool_options(n, x);
  options.count_include_pad = n.flag("count_include_pad");
  return {x.avg_pool2d(options)};
}

Values lp_pool(const Node& n) {
  const Tensor x = n.tensor(0);
  PoolOptions options = pool_options(n, x);
  options.count_include_pad = true;
  if (options.ceil_mode) n.unsupported("ceil_mode");
  const double p = n.version() == 1 ? n.real("p", 2) : static_cast<double>(n.integer("p", 2));
  const auto taps = static_cast<double>(elements_of(options.kernel_size.list));
  return {(x.abs().pow(p).avg_pool2d(options) * taps).pow(1 / p).cast(x.dtype())};
}

std::vector<int64_t> spatial_axes(const Node& n, const Tensor& x) {
  n.require(x.ndim() >= 2, "fewer than two axes");
  std::vector<int64_t> axes(static_cast<size_t>(x.ndim()) - 2);
  std::iota(axes.begin(), axes.end(), 2);
  return axes;
}

Values global_average(const Node& n) {
  const Tensor x = n.tensor(0);
  const auto axes = spatial_axes(n, x);
  return {axes.empty() ? x : x.mean({.axis = axes, .keepdim = true})};
}

Values global_max(const Node& n) {
  const Tensor x = n.tensor(0);
  const auto axes = spatial_axes(n, x);
  return {axes.empty() ? x : x.max({.axis = axes, .keepdim = true})};
}

Values global_lp(const Node& n) {
  const Tensor x = n.tensor(0);
  const auto p = static_cast<double>(n.integer("p", 2));
  return {
      x.abs().pow(p).sum({.axis = spatial_axes(n, x), .keepdim = true}).pow(1 / p).cast(x.dtype())};
}

Values max_unpool(const Node& n) {
  const Tensor x = n.tensor(0), places = n.tensor(1);
  const auto kernel = n.integers("kernel_shape");
  n.require(kernel.has_value() && static_cast<int64_t>(kernel->size()) == x.ndim() - 2,
            "kernel_shape does not name all spatial axes");
  const Shape xs = x.shape();
  const Window w = window_of(n, *kernel, {xs.begin() + 2, xs.end()});
  Shape shape{xs[0], xs[1]};
  for (size_t i = 0; i < kernel->size(); ++i)
    shape.push_back((xs[i + 2] - 1) * w.strides[i] - w.before[i] - w.after[i] + w.kernel[i]);
  for (const int64_t size : shape) n.require(size > 0, "the pads are larger than the result");
  const int64_t count = elements_of(shape);
  const Tensor zeros = Tensor::zeros({count}, {.dtype = x.dtype(), .device = n.device()});
  Tensor y = zeros.scatter(0, places.flatten(), x.flatten()).reshape(shape);
  if (n.has(2)) {
    const std::vector<int64_t> wanted = n.integers(2);
    n.require(wanted.size() == shape.size(), "output_shape does not name all axes");
    std::vector<std::pair<int64_t, int64_t>> pads;
    for (size_t i = 0; i < shape.size(); ++i) pads.emplace_back(0, wanted[i] - shape[i]);
    y = y.pad(pads);
  }
  return {y};
}

}  // namespace

std::span<const Operator> pooling_operators() {
  static const std::vector<Operator> rows = {
      {"AveragePool",
       {1, 7, 10, 11, 19, 22},
       "auto_pad ceil_mode count_include_pad dilations kernel_shape pads strides",
       average_pool},
      {"GlobalAveragePool", {1, 22}, "", global_average},
      {"GlobalLpPool", {2, 22}, "p", global_lp},
      {"GlobalMaxPool", {1, 22}, "", global_max},
      {"LpPool",
       {2, 11, 18, 22},
       "auto_pad ceil_mode dilations kernel_shape p pads strides",
       lp_pool},
      {"MaxPool",
       {1, 8, 10, 11, 12, 22},
       "auto_pad ceil_mode dilations kernel_shape pads storage_order strides",
       max_pool},
      {"MaxUnpool", {9, 11, 22}, "kernel_shape pads strides", max_unpool},
  };
  return rows;
}

}  // namespace tg::onnx

// Convolutions of any number of spatial axes. Pools: pooling.cpp; of integers: quantised.cpp; of
// elements at places that are computed: sampling.cpp.
#include <fmt/format.h>

#include "frontend/onnx/ops/common.h"
#include "frontend/onnx/table.h"

namespace tg::onnx {

Tensor convolution(const Node& n, const Tensor& x, const Tensor& weight, const Tensor* bias) {
  n.require(x.ndim() >= 3 && weight.ndim() == x.ndim(),
            "input and weight have the same number of axes, at least 3");
  const Shape xs = x.shape(), ws = weight.shape();
  const std::vector<int64_t> kernel(ws.begin() + 2, ws.end());
  if (const auto given = n.integers("kernel_shape"); given && !given->empty())
    n.require(*given == kernel, "kernel_shape is not that of the weights");
  const Window w = window_of(n, kernel, {xs.begin() + 2, xs.end()});
  return x.conv2d(weight, {.bias = bias,
                           .groups = n.integer("group", 1),
                           .stride = w.strides,
                           .dilation = w.dilations,
                           .padding = padding_pairs(w)});
}

namespace {

Values conv(const Node& n) {
  const std::optional<Tensor> bias = n.optional_tensor(2);
  return {convolution(n, n.tensor(0), n.tensor(1), bias ? &*bias : nullptr).cast(n.dtype(0))};
}

// What is cut off each side of the whole result.
struct Border {
  std::vector<int64_t> before, after;
};

Border border_of(const Node& n, const Window& w, const std::vector<int64_t>& sizes,
                 const std::vector<int64_t>& extra) {
  const std::string mode = n.text("auto_pad", "NOTSET");
  const auto wanted = n.integers("output_shape");
  if (!wanted && (mode == "NOTSET" || mode == "VALID" || mode.empty())) return {w.before, w.after};
  const size_t axes = sizes.size();
  Border out{std::vector<int64_t>(axes), std::vector<int64_t>(axes)};
  for (size_t i = 0; i < axes; ++i) {
    int64_t size = sizes[i] * w.strides[i];
    if (wanted) {
      n.require(wanted->size() >= axes, "output_shape does not name all axes");
      size = (*wanted)[wanted->size() - axes + i];
      n.require(size > 0 && size < (int64_t{1} << 40), "output_shape is not positive or too large");
    }
    const int64_t whole =
        (sizes[i] - 1) * w.strides[i] + (w.kernel[i] - 1) * w.dilations[i] + 1 + extra[i];
    const int64_t total = whole - size, half = total / 2;
    // What is missing is put behind.
    out.before[i] = total < 0 ? 0 : mode == "SAME_UPPER" ? half : total - half;
    out.after[i] = total - out.before[i];
  }
  return out;
}

Values conv_transpose(const Node& n) {
  const Tensor x = n.tensor(0), weight = n.tensor(1);
  n.require(x.ndim() >= 3 && weight.ndim() == x.ndim(),
            "input and weight have the same number of axes, at least 3");
  const Shape xs = x.shape(), ws = weight.shape();
  const std::vector<int64_t> kernel(ws.begin() + 2, ws.end()), sizes(xs.begin() + 2, xs.end());
  Window w = window_of(n, kernel, sizes);
  const size_t axes = kernel.size();
  const std::vector<int64_t> extra =
      n.integers("output_padding").value_or(std::vector<int64_t>(axes, 0));
  n.require(extra.size() == axes, "output_padding does not name all axes");
  const Border border = border_of(n, w, sizes, extra);
  Tensor y = x.conv_transpose2d(
      weight, {.groups = n.integer("group", 1), .stride = w.strides, .dilation = w.dilations});
  std::vector<std::pair<int64_t, int64_t>> pads(2);
  for (size_t i = 0; i < axes; ++i)
    pads.emplace_back(-border.before[i], extra[i] - border.after[i]);
  y = y.pad(pads);
  if (n.has(2)) {
    Shape shape(axes + 2, 1);
    shape[1] = y.size(1);
    y = y + n.tensor(2).reshape(shape);
  }
  return {y.cast(x.dtype())};
}

// The windows of an image that a matrix of their elements was made of, added up.
Values col2im(const Node& n) {
  const Tensor x = n.tensor(0);
  const std::vector<int64_t> image = n.integers(1), block = n.integers(2);
  const size_t axes = image.size();
  n.require(block.size() == axes && x.ndim() == 3, "image and block have the same number of axes");
  const Window w = window_of(n, block, image);
  const int64_t taps = elements_of(block);
  n.require(taps > 0 && x.size(1) % taps == 0, "the rows are no multiple of the block");
  const int64_t channels = x.size(1) / taps;
  Shape shape{x.size(0) * channels, taps};
  std::vector<std::pair<int64_t, int64_t>> pads(2);
  for (size_t i = 0; i < axes; ++i) {
    const int64_t reach = (block[i] - 1) * w.dilations[i] + 1;
    shape.push_back((image[i] + w.before[i] + w.after[i] - reach) / w.strides[i] + 1);
    const int64_t whole = (shape.back() - 1) * w.strides[i] + reach;
    pads.emplace_back(-w.before[i], image[i] + w.before[i] - whole);
  }
  // Each tap is a channel whose only weight puts it at its place in the block.
  Shape kernel{taps, 1};
  kernel.insert(kernel.end(), block.begin(), block.end());
  const Tensor weight =
      Tensor::eye(taps, -1, {.dtype = x.dtype(), .device = n.device()}).reshape(kernel);
  const Tensor y = x.reshape(shape)
                       .conv_transpose2d(weight, {.stride = w.strides, .dilation = w.dilations})
                       .pad(pads);
  Shape out{x.size(0), channels};
  out.insert(out.end(), image.begin(), image.end());
  return {y.reshape(out)};
}

}  // namespace

std::span<const Operator> convolution_operators() {
  static const std::vector<Operator> rows = {
      {"Col2Im", {18}, "dilations pads strides", col2im},
      {"Conv", {1, 11, 22}, "auto_pad dilations group kernel_shape pads strides", conv},
      {"ConvTranspose",
       {1, 11, 22},
       "auto_pad dilations group kernel_shape output_padding output_shape pads strides",
       conv_transpose},
  };
  return rows;
}

}  // namespace tg::onnx

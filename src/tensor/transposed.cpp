// Linear layers and transposed convolutions as functions, made of the products in product.cpp. A
// transposed convolution is a convolution of the input with zeros between its elements and the
// flipped kernel.
#include <algorithm>

#include "tensor/ops.h"
#include "tg/ir/interval.h"

namespace tg {
namespace {

using namespace ops_detail;

// n elements with step − 1 zeros between neighbours.
Tensor spread(const Tensor& x, int64_t axis, int64_t step) {
  const int64_t n = x.size(axis);
  if (step == 1 || n == 0) return x;
  Shape s = x.shape();
  const auto a = static_cast<size_t>(axis);
  std::vector<std::pair<int64_t, int64_t>> border(s.size() + 1), cut(s.size());
  border[a + 1] = {0, step - 1};
  cut[a] = {0, 1 - step};
  s[a] = saturating_mul(n, step);
  return x.unsqueeze(axis + 1).pad(border).reshape(s).pad(cut);
}

// [in, out/groups, kernel…] → [out, in/groups, kernel…], mirrored.
Tensor turned(const Tensor& w, int64_t groups) {
  const Shape s = w.shape();
  Shape split = {groups, s[0] / groups}, joined = {saturating_mul(groups, s[1]), s[0] / groups};
  split.insert(split.end(), s.begin() + 1, s.end());
  joined.insert(joined.end(), s.begin() + 2, s.end());
  std::vector<int64_t> spatial;
  for (size_t i = 2; i < s.size(); ++i) spatial.push_back(static_cast<int64_t>(i));
  return w.reshape(split).transpose(1, 2).reshape(joined).flip(spatial);
}

void check_transposed(const Tensor& x, const Tensor& w, const ConvTransposeOptions& o) {
  const Shape s = x.shape(), k = w.shape();
  const auto both = [&] { return fmt::format("input {}, weight {}", text(s), text(k)); };
  if (s.size() < 3 || k.size() != s.size()) {
    user_error<ShapeError>(
        "conv_transpose2d",
        fmt::format("needs [batch, channels, spatial...] and a weight of as many axes: {}",
                    both()));
  }
  if (o.groups < 1 || s[1] % o.groups != 0) {
    user_error<ArgumentError>(
        "conv_transpose2d",
        fmt::format("groups must divide the input's channels: groups {}, {}", o.groups, both()));
  }
  if (s[1] != k[0]) {
    user_error<ShapeError>("conv_transpose2d",
                           fmt::format("channels differ: {} ({} vs {})", both(), s[1], k[0]));
  }
}

}  // namespace

Tensor Tensor::conv_transpose2d(const Tensor& weight, const ConvTransposeOptions& o) const {
  check_transposed(*this, weight, o);
  const auto n = static_cast<size_t>(ndim() - 2);
  const auto stride = per_axis("conv_transpose2d", "stride", o.stride, n, 1);
  const auto dilation = per_axis("conv_transpose2d", "dilation", o.dilation, n, 1);
  const auto pads = per_axis_pairs("conv_transpose2d", o.padding, n);
  const auto more = per_axis("conv_transpose2d", "output_padding", o.output_padding, n, 0);
  Tensor x = *this;
  std::vector<std::pair<int64_t, int64_t>> border(n + 2);
  for (size_t i = 0; i < n; ++i) {
    const auto axis = static_cast<int64_t>(i + 2);
    if (more[i] >= std::max(stride[i], dilation[i])) {
      user_error<ArgumentError>("conv_transpose2d",
                                fmt::format("output_padding must be below stride or dilation: {} "
                                            "with {} and {}",
                                            more[i], stride[i], dilation[i]));
    }
    x = spread(x, axis, stride[i]);
    const int64_t reach = (weight.size(axis) - 1) * dilation[i];
    border[i + 2] = {reach - pads[2 * i], reach - pads[2 * i + 1] + more[i]};
  }
  return x.pad(border).conv2d(turned(weight, o.groups),
                              {.bias = o.bias, .groups = o.groups, .dilation = dilation});
}

Tensor Tensor::linear(const Tensor& weight, const Tensor* bias) const {
  const Tensor y = weight.ndim() == 1 ? *this * weight : matmul(weight);
  return bias != nullptr ? y + *bias : y;
}

}  // namespace tg

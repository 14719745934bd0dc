// Layers: parameters and how they start. What they compute is the business of Tensor's functions.
#include <cmath>
#include <string_view>

#include "support/check.h"
#include "tg/nn.h"

namespace tg::nn {
namespace {

void check_size(std::string_view layer, std::string_view what, int64_t n) {
  if (n >= 1) return;
  user_error<ArgumentError>(layer, fmt::format("{} must be at least 1, got {}", what, n));
}

// Uniform in ±1/√fan, as storage of its own.
Tensor parameter(const Shape& shape, int64_t fan, const TensorOptions& o) {
  const double bound = 1 / std::sqrt(static_cast<double>(fan));
  Tensor t =
      Tensor::uniform(shape, {.low = -bound, .high = bound, .dtype = o.dtype, .device = o.device});
  t.is_param_();
  return t;
}

Tensor marked(const Tensor& t, bool is_parameter) {
  t.is_param_(is_parameter);
  return t;
}

PerAxis kernel_of(const PerAxis& kernel) {
  PerAxis k = kernel.list.size() == 1 ? PerAxis{kernel.list[0], kernel.list[0]} : kernel;
  if (k.list.size() != 2) {
    user_error<ArgumentError>(
        "Conv2d",
        fmt::format("the kernel needs one number or two (height, width), got {}", k.list.size()));
  }
  check_size("Conv2d", "the kernel's height", k.list[0]);
  check_size("Conv2d", "the kernel's width", k.list[1]);
  return k;
}

}  // namespace

Linear::Linear(int64_t in, int64_t out, const LinearOptions& o) {
  check_size("Linear", "in", in);
  check_size("Linear", "out", out);
  weight = parameter({out, in}, in, o.placement);
  if (o.bias) bias = parameter({out}, in, o.placement);
}

Tensor Linear::operator()(const Tensor& x) const {
  const Tensor y = x.matmul(weight.transpose());
  return bias ? y + *bias : y;
}

Conv2d::Conv2d(int64_t in, int64_t out, const PerAxis& kernel, const Conv2dOptions& o)
    : groups(o.groups), stride(o.stride), dilation(o.dilation), padding(o.padding) {
  check_size("Conv2d", "in", in);
  check_size("Conv2d", "out", out);
  check_size("Conv2d", "groups", groups);
  if (in % groups != 0 || out % groups != 0) {
    user_error<ArgumentError>(
        "Conv2d", fmt::format("groups must divide both numbers of channels: {} groups, {} in, {} "
                              "out",
                              groups, in, out));
  }
  const PerAxis k = kernel_of(kernel);
  const int64_t fan = in / groups * k.list[0] * k.list[1];
  weight = parameter({out, in / groups, k.list[0], k.list[1]}, fan, o.placement);
  if (o.bias) bias = parameter({out}, fan, o.placement);
}

Tensor Conv2d::operator()(const Tensor& x) const {
  return x.conv2d(weight, {.bias = bias ? &*bias : nullptr,
                           .groups = groups,
                           .stride = stride,
                           .dilation = dilation,
                           .padding = padding});
}

BatchNorm::BatchNorm(int64_t channels, const BatchNormLayerOptions& o)
    : eps(o.eps), momentum(o.momentum) {
  check_size("BatchNorm", "channels", channels);
  if (o.affine) {
    weight = marked(Tensor::ones({channels}, o.placement), true);
    bias = marked(Tensor::zeros({channels}, o.placement), true);
  }
  running_mean = marked(Tensor::zeros({channels}, o.placement), false);
  running_var = marked(Tensor::ones({channels}, o.placement), false);
}

Tensor BatchNorm::operator()(const Tensor& x) const {
  // Copies name the same values, which the function may update.
  Tensor mean = running_mean, var = running_var;
  return x.batch_norm({.weight = weight ? &*weight : nullptr,
                       .bias = bias ? &*bias : nullptr,
                       .running_mean = &mean,
                       .running_var = &var,
                       .momentum = momentum,
                       .eps = eps});
}

}  // namespace tg::nn

// See blocks.h.
#include "frontend/vision/blocks.h"

#include <algorithm>

namespace tg::models {

int64_t rounded_to_eights(double channels) {
  const auto nearest = std::max<int64_t>(8, static_cast<int64_t>(channels + 4) / 8 * 8);
  return static_cast<double>(nearest) < 0.9 * channels ? nearest + 8 : nearest;
}

nn::Sequential convolution_norm(int64_t in, int64_t out, const ConvNormOptions& o,
                                const NormSettings& norm) {
  nn::Sequential layers(
      nn::Conv2d(in, out, o.kernel,
                 {.groups = o.groups,
                  .stride = o.stride,
                  .padding = (o.kernel - 1) / 2,
                  .bias = false,
                  .placement = {.device = norm.device}}),
      nn::BatchNorm(
          out, {.eps = norm.eps, .momentum = norm.momentum, .placement = {.device = norm.device}}));
  if (o.activation != nullptr) layers.add(o.activation);
  return layers;
}

Tensor pooled(const Tensor& x) { return x.mean({.axis = {2, 3}}); }

SqueezeExcitation::SqueezeExcitation(int64_t channels, int64_t squeezed,
                                     ActivationFunction activation, ActivationFunction scale,
                                     const std::string& device)
    : fc1(channels, squeezed, 1, {.placement = {.device = device}}),
      fc2(squeezed, channels, 1, {.placement = {.device = device}}),
      activation(activation),
      scale(scale) {}

Tensor SqueezeExcitation::operator()(const Tensor& x) const {
  const Tensor means = x.mean({.axis = {2, 3}, .keepdim = true});
  return x * scale(fc2(activation(fc1(means))));
}

Tensor ResidualBlock::operator()(const Tensor& x) const {
  const Tensor y = inner(x);
  if (!adds_input) return y;
  if (dropout == 0) return x + y;
  const Tensor kept =
      Tensor::ones({y.size(0), 1, 1, 1}, {.dtype = y.dtype(), .device = y.device()});
  return x + y * kept.dropout(dropout);
}

}  // namespace tg::models

// See unet_blocks.h.
#include "frontend/diffusion/unet_blocks.h"

namespace tg::models {
namespace {

nn::Conv2d same_size_convolution(int64_t in, int64_t out, int64_t kernel,
                                 const UNetBlockSettings& s) {
  return {in, out, kernel, {.padding = (kernel - 1) / 2, .placement = {.device = s.device}}};
}

nn::GroupNorm timed_norm(int64_t groups, int64_t channels, const UNetBlockSettings& s) {
  return {groups, channels, {.eps = s.eps, .placement = {.device = s.device}}};
}

nn::Linear timed_linear(int64_t in, int64_t out, const UNetBlockSettings& s) {
  return {in, out, {.placement = {.device = s.device}}};
}

// A division by 1 would be an operation of the graph.
Tensor divided(const Tensor& x, double scale) { return scale == 1 ? x : x / scale; }

// Each element four times, [n, c, h, w] → [n, c, 2h, 2w].
Tensor twice_as_large(const Tensor& x) {
  const int64_t n = x.size(0), c = x.size(1), h = x.size(2), w = x.size(3);
  return x.reshape({n, c, h, 1, w, 1}).expand({n, c, h, 2, w, 2}).reshape({n, c, 2 * h, 2 * w});
}

}  // namespace

TimedResidual::TimedResidual(int64_t in, int64_t out, const UNetBlockSettings& s)
    : norm1(timed_norm(s.groups, in, s)),
      norm2(timed_norm(s.groups, out, s)),
      conv1(same_size_convolution(in, out, 3, s)),
      conv2(same_size_convolution(out, out, 3, s)),
      time(timed_linear(s.time_size, out, s)),
      dropout(s.dropout),
      scale(s.scale) {
  if (in != out) shortcut = same_size_convolution(in, out, 1, s);
}

Tensor TimedResidual::operator()(const Tensor& x, const Tensor& t) const {
  const Tensor told = time(t).unsqueeze(-1).unsqueeze(-1);
  const Tensor inner = conv1(norm1(x).silu()) + told;
  const Tensor y = conv2(dropout(norm2(inner).silu()));
  return divided((shortcut ? (*shortcut)(x) : x) + y, scale);
}

PlaceAttention::PlaceAttention(int64_t channels, int64_t groups, const UNetBlockSettings& s)
    : norm(timed_norm(groups, channels, s)),
      q(timed_linear(channels, channels, s)),
      k(timed_linear(channels, channels, s)),
      v(timed_linear(channels, channels, s)),
      out(timed_linear(channels, channels, s)),
      heads(s.head_size == 0 ? 1 : channels / s.head_size),
      scale(s.scale) {}

Tensor PlaceAttention::operator()(const Tensor& x) const {
  const Shape shape = x.shape();
  const int64_t n = shape[0], c = shape[1], places = shape[2] * shape[3];
  const Tensor seen = norm(x).reshape({n, c, places}).transpose(1, 2);
  const auto split = [&](const Tensor& y) {  // [n, heads, places, channels of a head]
    return y.reshape({n, places, heads, c / heads}).transpose(1, 2);
  };
  const Tensor mixed = split(q(seen)).scaled_dot_product_attention(split(k(seen)), split(v(seen)));
  const Tensor y = out(mixed.transpose(1, 2).reshape({n, places, c}));
  return divided(y.transpose(1, 2).reshape(shape) + x, scale);
}

void go_down(const UNetBlock& b, const Tensor& time, std::vector<Tensor>& skips) {
  Tensor x = skips.back();
  for (size_t i = 0; i < b.residuals.size(); ++i) {
    x = b.residuals[i](x, time);
    if (!b.attentions.empty()) x = b.attentions[i](x);
    skips.push_back(x);
  }
  if (b.halving) skips.push_back((*b.halving)(x));
}

Tensor through_middle(const UNetBlock& b, const Tensor& x, const Tensor& time) {
  Tensor y = b.residuals[0](x, time);
  for (const PlaceAttention& attention : b.attentions) y = attention(y);
  return b.residuals[1](y, time);
}

Tensor go_up(const UNetBlock& b, const Tensor& x, const Tensor& time, std::vector<Tensor>& skips) {
  Tensor y = x;
  for (size_t i = 0; i < b.residuals.size(); ++i) {
    y = b.residuals[i](Tensor::cat({y, skips.back()}, 1), time);
    skips.pop_back();
    if (!b.attentions.empty()) y = b.attentions[i](y);
  }
  return b.doubling ? (*b.doubling)(twice_as_large(y)) : y;
}

}  // namespace tg::models

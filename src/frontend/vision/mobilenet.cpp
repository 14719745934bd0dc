// MobileNet v2 and v3: inverted residuals, which widen, filter each channel by itself, and narrow
// again. Part of tg/models/vision.h.
#include <fmt/format.h>

#include <array>
#include <span>

#include "frontend/vision/blocks.h"
#include "support/check.h"
#include "tg/models/vision.h"

namespace tg::models {
namespace {

nn::Linear linear(int64_t in, int64_t out, const std::string& device) {
  return {in, out, {.placement = {.device = device}}};
}

// ---- version 2

struct StageV2 {
  int64_t expansion, channels, blocks, stride;
};
constexpr auto kStagesV2 = std::to_array<StageV2>({{1, 16, 1, 1},
                                                   {6, 24, 2, 2},
                                                   {6, 32, 3, 2},
                                                   {6, 64, 4, 2},
                                                   {6, 96, 3, 1},
                                                   {6, 160, 3, 2},
                                                   {6, 320, 1, 1}});

ResidualBlock block_v2(int64_t in, int64_t out, int64_t stride, int64_t expansion,
                       const NormSettings& norm) {
  const int64_t wide = in * expansion;
  nn::Sequential inner;
  if (expansion != 1)
    inner.add(convolution_norm(in, wide, {.kernel = 1, .activation = relu6}, norm));
  inner.add(
      convolution_norm(wide, wide, {.stride = stride, .groups = wide, .activation = relu6}, norm));
  // The last two stand side by side with the sequences before them.
  inner.add(nn::Conv2d(wide, out, 1, {.bias = false, .placement = {.device = norm.device}}));
  inner.add(nn::BatchNorm(out, {.placement = {.device = norm.device}}));
  return {.name = "conv", .inner = std::move(inner), .adds_input = stride == 1 && in == out};
}

// ---- version 3

struct BlockV3 {
  int64_t kernel, wide, out;
  bool has_excitation, has_hardswish;
  int64_t stride;
};
constexpr auto kLarge = std::to_array<BlockV3>({{3, 16, 16, false, false, 1},
                                                {3, 64, 24, false, false, 2},
                                                {3, 72, 24, false, false, 1},
                                                {5, 72, 40, true, false, 2},
                                                {5, 120, 40, true, false, 1},
                                                {5, 120, 40, true, false, 1},
                                                {3, 240, 80, false, true, 2},
                                                {3, 200, 80, false, true, 1},
                                                {3, 184, 80, false, true, 1},
                                                {3, 184, 80, false, true, 1},
                                                {3, 480, 112, true, true, 1},
                                                {3, 672, 112, true, true, 1},
                                                {5, 672, 160, true, true, 2},
                                                {5, 960, 160, true, true, 1},
                                                {5, 960, 160, true, true, 1}});
constexpr auto kSmall = std::to_array<BlockV3>({{3, 16, 16, true, false, 2},
                                                {3, 72, 24, false, false, 2},
                                                {3, 88, 24, false, false, 1},
                                                {5, 96, 40, true, true, 2},
                                                {5, 240, 40, true, true, 1},
                                                {5, 240, 40, true, true, 1},
                                                {5, 120, 48, true, true, 1},
                                                {5, 144, 48, true, true, 1},
                                                {5, 288, 96, true, true, 2},
                                                {5, 576, 96, true, true, 1},
                                                {5, 576, 96, true, true, 1}});

ResidualBlock block_v3(int64_t in, const BlockV3& b, const NormSettings& norm) {
  const ActivationFunction activation = b.has_hardswish ? hardswish : relu;
  nn::Sequential inner;
  if (b.wide != in)
    inner.add(convolution_norm(in, b.wide, {.kernel = 1, .activation = activation}, norm));
  inner.add(convolution_norm(
      b.wide, b.wide,
      {.kernel = b.kernel, .stride = b.stride, .groups = b.wide, .activation = activation}, norm));
  if (b.has_excitation)
    inner.add(SqueezeExcitation(b.wide, rounded_to_eights(static_cast<double>(b.wide / 4)), relu,
                                hardsigmoid, norm.device));
  inner.add(convolution_norm(b.wide, b.out, {.kernel = 1}, norm));
  return {.name = "block", .inner = std::move(inner), .adds_input = b.stride == 1 && in == b.out};
}

}  // namespace

ImageNetwork mobilenet_v2(const MobileNetV2Options& o) {
  if (!(o.width > 0 && o.width <= 16))
    user_error<ArgumentError>("mobilenet_v2",
                              fmt::format("width must be above 0, at most 16, got {}", o.width));
  const NormSettings norm{.device = o.device};
  int64_t in = rounded_to_eights(32 * o.width);
  FeatureClassifier net;
  net.features.add(convolution_norm(3, in, {.stride = 2, .activation = relu6}, norm));
  for (const StageV2& s : kStagesV2) {
    const int64_t out = rounded_to_eights(static_cast<double>(s.channels) * o.width);
    for (int64_t i = 0; i < s.blocks; ++i) {
      net.features.add(block_v2(in, out, i == 0 ? s.stride : 1, s.expansion, norm));
      in = out;
    }
  }
  const int64_t last = rounded_to_eights(1280 * std::max(1.0, o.width));
  net.features.add(convolution_norm(in, last, {.kernel = 1, .activation = relu6}, norm));
  net.classifier.add(nn::Dropout(o.dropout)).add(linear(last, o.classes, o.device));
  return ImageNetwork(std::move(net));
}

ImageNetwork mobilenet_v3(const MobileNetV3Options& o) {
  const NormSettings norm{.eps = 1e-3, .momentum = 0.01, .device = o.device};
  int64_t in = 16;
  FeatureClassifier net;
  net.features.add(convolution_norm(3, in, {.stride = 2, .activation = hardswish}, norm));
  const auto blocks = o.is_large ? std::span<const BlockV3>(kLarge) : std::span(kSmall);
  for (const BlockV3& b : blocks) {
    net.features.add(block_v3(in, b, norm));
    in = b.out;
  }
  const int64_t wide = 6 * in, hidden = o.is_large ? 1280 : 1024;
  net.features.add(convolution_norm(in, wide, {.kernel = 1, .activation = hardswish}, norm));
  net.classifier.add(linear(wide, hidden, o.device))
      .add(&hardswish)
      .add(nn::Dropout(o.dropout))
      .add(linear(hidden, o.classes, o.device));
  return ImageNetwork(std::move(net));
}

}  // namespace tg::models

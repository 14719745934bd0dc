// EfficientNet: inverted residuals with squeeze and excitation, wider and deeper by two numbers.
// Part of tg/models/vision.h.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "frontend/vision/blocks.h"
#include "support/check.h"
#include "tg/models/vision.h"

namespace tg::models {
namespace {

struct EfficientNetStage {
  int64_t expansion, kernel, stride, channels, blocks;
};
// Of B0.
constexpr auto kEfficientNetStages = std::to_array<EfficientNetStage>({{1, 3, 1, 16, 1},
                                                                       {6, 3, 2, 24, 2},
                                                                       {6, 5, 2, 40, 2},
                                                                       {6, 3, 2, 80, 3},
                                                                       {6, 5, 1, 112, 3},
                                                                       {6, 5, 2, 192, 4},
                                                                       {6, 3, 1, 320, 1}});

int64_t blocks_of(const EfficientNetStage& s, double depth) {
  return static_cast<int64_t>(std::ceil(static_cast<double>(s.blocks) * depth));
}

ResidualBlock efficient_block(const EfficientNetStage& s, int64_t in, int64_t out, int64_t stride,
                              double dropout, const NormSettings& norm) {
  const int64_t wide = in * s.expansion;
  nn::Sequential inner;
  if (wide != in) inner.add(convolution_norm(in, wide, {.kernel = 1, .activation = silu}, norm));
  inner.add(convolution_norm(
      wide, wide, {.kernel = s.kernel, .stride = stride, .groups = wide, .activation = silu},
      norm));
  inner.add(SqueezeExcitation(wide, std::max<int64_t>(1, in / 4), silu, sigmoid, norm.device));
  inner.add(convolution_norm(wide, out, {.kernel = 1}, norm));
  return {.name = "block",
          .inner = std::move(inner),
          .adds_input = stride == 1 && in == out,
          .dropout = dropout};
}

void check_scale(std::string_view what, double n) {
  if (n > 0 && n <= 16) return;
  user_error<ArgumentError>("efficientnet",
                            fmt::format("{} must be above 0, at most 16, got {}", what, n));
}

}  // namespace

ImageNetwork efficientnet(const EfficientNetOptions& o) {
  check_scale("width", o.width);
  check_scale("depth", o.depth);
  const NormSettings norm{.eps = o.norm_eps, .momentum = o.norm_momentum, .device = o.device};
  const auto scaled = [&](int64_t channels) {
    return rounded_to_eights(static_cast<double>(channels) * o.width);
  };
  int64_t in = scaled(32), all = 0, done = 0;
  for (const EfficientNetStage& s : kEfficientNetStages) all += blocks_of(s, o.depth);
  FeatureClassifier net;
  net.features.add(convolution_norm(3, in, {.stride = 2, .activation = silu}, norm));
  for (const EfficientNetStage& s : kEfficientNetStages) {
    const int64_t out = scaled(s.channels), blocks = blocks_of(s, o.depth);
    nn::Sequential stage;
    for (int64_t i = 0; i < blocks; ++i) {
      const double share = static_cast<double>(done++) / static_cast<double>(all);
      stage.add(efficient_block(s, in, out, i == 0 ? s.stride : 1, o.block_dropout * share, norm));
      in = out;
    }
    net.features.add(std::move(stage));
  }
  net.features.add(convolution_norm(in, 4 * in, {.kernel = 1, .activation = silu}, norm));
  net.classifier.add(nn::Dropout(o.dropout))
      .add(nn::Linear(4 * in, o.classes, {.placement = {.device = o.device}}));
  return ImageNetwork(std::move(net));
}

}  // namespace tg::models

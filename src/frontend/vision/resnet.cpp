// Residual networks: `resnet` of tg/models/vision.h.
#include <fmt/format.h>

#include "frontend/vision/blocks.h"
#include "support/check.h"
#include "tg/models/vision.h"

namespace tg::models {
namespace {

constexpr int64_t kResNetStages = 4, kStem = 64;

nn::Conv2d plain_convolution(int64_t in, int64_t out, int64_t kernel, int64_t stride,
                             int64_t groups, const std::string& device) {
  return {in,
          out,
          kernel,
          {.groups = groups,
           .stride = stride,
           .padding = (kernel - 1) / 2,
           .bias = false,
           .placement = {.device = device}}};
}

struct BlockSizes {
  int64_t in, inner, out, stride, groups;
  bool has_bottleneck, strides_first;
};

// Two convolutions of 3 x 3, or three with a bottleneck.
struct ResNetBlock {
  ResNetBlock(const BlockSizes& s, const std::string& device) {
    const int64_t first_stride = !s.has_bottleneck || s.strides_first ? s.stride : 1;
    const int64_t kernel = s.has_bottleneck ? 1 : 3;
    add(s.in, s.inner, kernel, first_stride, 1, device);
    add(s.inner, s.has_bottleneck ? s.inner : s.out, 3, s.stride / first_stride, s.groups, device);
    if (s.has_bottleneck) add(s.inner, s.out, 1, 1, 1, device);
    if (s.stride != 1 || s.in != s.out)
      downsample =
          convolution_norm(s.in, s.out, {.kernel = 1, .stride = s.stride}, {.device = device});
  }

  Tensor operator()(const Tensor& x) const {
    Tensor y = x;
    for (size_t i = 0; i < convs.size(); ++i) {
      if (i > 0) y = y.relu();
      y = norms[i](convs[i](y));
    }
    return (y + downsample(x)).relu();
  }

  template <typename F>
  void visit(F&& f) {
    for (size_t i = 0; i < convs.size(); ++i) {
      f("conv" + std::to_string(i + 1), convs[i]);
      f("bn" + std::to_string(i + 1), norms[i]);
    }
    f("downsample", downsample);
  }

  void add(int64_t in, int64_t out, int64_t kernel, int64_t stride, int64_t groups,
           const std::string& device) {
    convs.push_back(plain_convolution(in, out, kernel, stride, groups, device));
    norms.emplace_back(out, nn::BatchNormLayerOptions{.placement = {.device = device}});
  }

  std::vector<nn::Conv2d> convs;
  std::vector<nn::BatchNorm> norms;
  nn::Sequential downsample;  // empty: the input as it is
};

struct ResNet {
  explicit ResNet(const ResNetOptions& o)
      : conv1(convolution_7x7(o)), bn1(kStem, {.placement = {.device = o.device}}), fc(last(o)) {
    int64_t in = kStem;
    for (int64_t stage = 0; stage < kResNetStages; ++stage) {
      const int64_t planes = kStem << stage, out = planes * (o.has_bottleneck ? 4 : 1);
      const int64_t inner = o.has_bottleneck ? planes * o.width_per_group / 64 * o.groups : planes;
      std::vector<ResNetBlock>& blocks = stages.emplace_back();
      for (int64_t i = 0; i < o.blocks[static_cast<size_t>(stage)]; ++i) {
        blocks.emplace_back(BlockSizes{.in = in,
                                       .inner = inner,
                                       .out = out,
                                       .stride = stage > 0 && i == 0 ? 2 : 1,
                                       .groups = o.groups,
                                       .has_bottleneck = o.has_bottleneck,
                                       .strides_first = o.strides_first},
                            o.device);
        in = out;
      }
    }
  }

  Tensor operator()(const Tensor& pictures) const {
    Tensor x = bn1(conv1(pictures)).relu();
    x = x.max_pool2d({.kernel_size = {3, 3}, .stride = {2}, .padding = {1}});
    for (const auto& blocks : stages)
      for (const ResNetBlock& block : blocks) x = block(x);
    return fc(pooled(x));
  }

  template <typename F>
  void visit(F&& f) {
    f("conv1", conv1);
    f("bn1", bn1);
    for (size_t i = 0; i < stages.size(); ++i) f("layer" + std::to_string(i + 1), stages[i]);
    f("fc", fc);
  }

  static nn::Conv2d convolution_7x7(const ResNetOptions& o) {
    return plain_convolution(3, kStem, 7, 2, 1, o.device);
  }
  static nn::Linear last(const ResNetOptions& o) {
    return {(kStem << (kResNetStages - 1)) * (o.has_bottleneck ? 4 : 1),
            o.classes,
            {.placement = {.device = o.device}}};
  }

  nn::Conv2d conv1;
  nn::BatchNorm bn1;
  std::vector<std::vector<ResNetBlock>> stages;
  nn::Linear fc;
};

void check_resnet(const ResNetOptions& o) {
  bool is_fine = static_cast<int64_t>(o.blocks.size()) == kResNetStages && o.groups >= 1 &&
                 o.width_per_group >= 1 && o.classes >= 1;
  for (const int64_t n : o.blocks) is_fine = is_fine && n >= 1;
  if (!is_fine)
    user_error<ArgumentError>("resnet",
                              "there are four numbers of blocks, and all numbers are at "
                              "least 1");
  if (!o.has_bottleneck && (o.groups != 1 || o.width_per_group != 64))
    user_error<ArgumentError>(
        "resnet",
        fmt::format("groups and their width are for bottlenecks, got {} of {}", o.groups,
                    o.width_per_group),
        "Hint: set has_bottleneck.");
}

}  // namespace

ImageNetwork resnet(const ResNetOptions& options) {
  check_resnet(options);
  return ImageNetwork(ResNet(options));
}

}  // namespace tg::models

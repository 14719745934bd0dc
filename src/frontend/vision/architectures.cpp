// The table of networks that weights are published for, in torchvision's names.
#include "frontend/vision/architectures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "support/check.h"

namespace tg::models {
namespace {

using Blocks = std::array<int64_t, 4>;

ImageNetwork basic(const Blocks& blocks, const ImageNetworkOptions& o) {
  return resnet(
      {.blocks = {blocks.begin(), blocks.end()}, .classes = o.classes, .device = o.device});
}

ImageNetwork bottlenecks(const Blocks& blocks, int64_t groups, int64_t width,
                         const ImageNetworkOptions& o) {
  return resnet({.blocks = {blocks.begin(), blocks.end()},
                 .has_bottleneck = true,
                 .groups = groups,
                 .width_per_group = width,
                 .classes = o.classes,
                 .device = o.device});
}

ImageNetwork efficient(double width, double depth, double dropout, const ImageNetworkOptions& o) {
  return efficientnet({.width = width,
                       .depth = depth,
                       .dropout = dropout,
                       .classes = o.classes,
                       .device = o.device});
}

// The three largest were trained with another normalisation.
ImageNetwork large_efficient(double width, double depth, double dropout,
                             const ImageNetworkOptions& o) {
  return efficientnet({.width = width,
                       .depth = depth,
                       .dropout = dropout,
                       .norm_eps = 1e-3,
                       .norm_momentum = 0.01,
                       .classes = o.classes,
                       .device = o.device});
}

ImageNetwork transformer(int64_t patch, int64_t layers, int64_t heads, int64_t width,
                         const ImageNetworkOptions& o) {
  return vision_transformer({.image_size = o.image_size > 0 ? o.image_size : 224,
                             .patch = patch,
                             .layers = layers,
                             .heads = heads,
                             .width = width,
                             .feedforward = 4 * width,
                             .classes = o.classes,
                             .device = o.device});
}

constexpr auto kBicubic = images::Filter::Bicubic;

constexpr Blocks k34 = {3, 4, 6, 3}, k101 = {3, 4, 23, 3}, k152 = {3, 8, 36, 3};

constexpr auto kArchitectures = std::to_array<ImageArchitecture>({
    {"resnet18", "fc",
     [](const ImageNetworkOptions& o) {
       return basic({2, 2, 2, 2}, o);
     }},
    {"resnet34", "fc", [](const ImageNetworkOptions& o) { return basic(k34, o); }},
    {"resnet50", "fc", [](const ImageNetworkOptions& o) { return bottlenecks(k34, 1, 64, o); }},
    {"resnet101", "fc", [](const ImageNetworkOptions& o) { return bottlenecks(k101, 1, 64, o); }},
    {"resnet152", "fc", [](const ImageNetworkOptions& o) { return bottlenecks(k152, 1, 64, o); }},
    {"resnext50_32x4d", "fc",
     [](const ImageNetworkOptions& o) { return bottlenecks(k34, 32, 4, o); }},
    {"resnext101_32x8d", "fc",
     [](const ImageNetworkOptions& o) { return bottlenecks(k101, 32, 8, o); }},
    {"resnext101_64x4d", "fc",
     [](const ImageNetworkOptions& o) { return bottlenecks(k101, 64, 4, o); }, 232},
    {"wide_resnet50_2", "fc",
     [](const ImageNetworkOptions& o) { return bottlenecks(k34, 1, 128, o); }},
    {"wide_resnet101_2", "fc",
     [](const ImageNetworkOptions& o) { return bottlenecks(k101, 1, 128, o); }},
    {"mobilenet_v2", "classifier.1",
     [](const ImageNetworkOptions& o) {
       return mobilenet_v2({.classes = o.classes, .device = o.device});
     }},
    {"mobilenet_v3_small", "classifier.3",
     [](const ImageNetworkOptions& o) {
       return mobilenet_v3({.is_large = false, .classes = o.classes, .device = o.device});
     }},
    {"mobilenet_v3_large", "classifier.3",
     [](const ImageNetworkOptions& o) {
       return mobilenet_v3({.classes = o.classes, .device = o.device});
     }},
    {"efficientnet_b0", "classifier.1",
     [](const ImageNetworkOptions& o) { return efficient(1.0, 1.0, 0.2, o); }, 256, 224, kBicubic},
    {"efficientnet_b1", "classifier.1",
     [](const ImageNetworkOptions& o) { return efficient(1.0, 1.1, 0.2, o); }, 256, 240, kBicubic},
    {"efficientnet_b2", "classifier.1",
     [](const ImageNetworkOptions& o) { return efficient(1.1, 1.2, 0.3, o); }, 288, 288, kBicubic},
    {"efficientnet_b3", "classifier.1",
     [](const ImageNetworkOptions& o) { return efficient(1.2, 1.4, 0.3, o); }, 320, 300, kBicubic},
    {"efficientnet_b4", "classifier.1",
     [](const ImageNetworkOptions& o) { return efficient(1.4, 1.8, 0.4, o); }, 384, 380, kBicubic},
    {"efficientnet_b5", "classifier.1",
     [](const ImageNetworkOptions& o) { return large_efficient(1.6, 2.2, 0.4, o); }, 456, 456,
     kBicubic},
    {"efficientnet_b6", "classifier.1",
     [](const ImageNetworkOptions& o) { return large_efficient(1.8, 2.6, 0.5, o); }, 528, 528,
     kBicubic},
    {"efficientnet_b7", "classifier.1",
     [](const ImageNetworkOptions& o) { return large_efficient(2.0, 3.1, 0.5, o); }, 600, 600,
     kBicubic},
    {"vit_b_16", "heads.head",
     [](const ImageNetworkOptions& o) { return transformer(16, 12, 12, 768, o); }},
    {"vit_b_32", "heads.head",
     [](const ImageNetworkOptions& o) { return transformer(32, 12, 12, 768, o); }},
    {"vit_l_16", "heads.head",
     [](const ImageNetworkOptions& o) { return transformer(16, 24, 16, 1024, o); }, 242},
    {"vit_l_32", "heads.head",
     [](const ImageNetworkOptions& o) { return transformer(32, 24, 16, 1024, o); }},
    {"vit_h_14", "heads.head",
     [](const ImageNetworkOptions& o) { return transformer(14, 32, 16, 1280, o); }, 224},
});

}  // namespace

std::span<const ImageArchitecture> known_image_architectures() { return kArchitectures; }

const ImageArchitecture& image_architecture(std::string_view fn, std::string_view name) {
  const auto found = std::ranges::find(kArchitectures, name, &ImageArchitecture::name);
  if (found != kArchitectures.end()) return *found;
  std::string known;
  for (const ImageArchitecture& a : kArchitectures)
    known += fmt::format("{}{}", known.empty() ? "" : ", ", a.name);
  user_error<ArgumentError>(fn, fmt::format("there is no architecture \"{}\"", name),
                            fmt::format("Hint: known are {}.", known));
}

std::vector<std::string> image_architectures() {
  std::vector<std::string> out;
  for (const ImageArchitecture& a : kArchitectures) out.emplace_back(a.name);
  return out;
}

ImageNetwork image_network(std::string_view architecture, const ImageNetworkOptions& options) {
  return image_architecture("image_network", architecture).make(options);
}

}  // namespace tg::models

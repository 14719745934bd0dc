// See yolov8.h.
#include "frontend/detection/yolov8.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "support/check.h"
#include "tg/models/vision.h"

namespace tg::models {
namespace {

constexpr int64_t kMostNumber = 65536;

nn::Conv2d yolo_convolution(int64_t in, int64_t out, int64_t kernel, int64_t stride, bool has_bias,
                            const YoloSettings& s) {
  return {in,
          out,
          kernel,
          {.stride = stride,
           .padding = (kernel - 1) / 2,
           .bias = has_bias,
           .placement = {.device = s.device}}};
}

// Each element four times.
Tensor doubled(const Tensor& x) {
  const int64_t n = x.size(0), channels = x.size(1), height = x.size(2), width = x.size(3);
  return x.reshape({n, channels, height, 1, width, 1})
      .expand({n, channels, height, 2, width, 2})
      .reshape({n, channels, 2 * height, 2 * width});
}

Tensor joined(const Tensor& a, const Tensor& b) { return Tensor::cat({a, b}, 1); }

}  // namespace

YoloSizes sizes_of(const YoloV8Options& o) {
  const auto channels = [&](int64_t most) {
    const double wanted = static_cast<double>(std::min(most, o.most_channels)) * o.width;
    return static_cast<int64_t>(std::ceil(wanted / 8)) * 8;
  };
  const auto blocks = [&](int64_t most) {
    return std::max<int64_t>(1, std::llrint(static_cast<double>(most) * o.depth));
  };
  return {.channels = {channels(64), channels(128), channels(256), channels(512), channels(1024)},
          .blocks = {blocks(3), blocks(6), blocks(6), blocks(3)},
          .neck_blocks = {blocks(3), blocks(3), blocks(3), blocks(3)},
          .classes = o.classes};
}

// ---- parts

YoloConv::YoloConv(int64_t in, int64_t out, int64_t kernel, int64_t stride, const YoloSettings& s)
    : conv(yolo_convolution(in, out, kernel, stride, /*has_bias=*/false, s)),
      norm(nn::BatchNorm(
          out, {.eps = s.norm_eps, .momentum = 0.03, .placement = {.device = s.device}})) {}

Tensor YoloConv::operator()(const Tensor& x) const {
  const Tensor y = conv(x);
  return (norm ? (*norm)(y) : y).silu();
}

void YoloConv::fold() {
  if (!norm) return;
  conv = folded(conv, *norm);
  norm.reset();
}

YoloBottleneck::YoloBottleneck(int64_t channels, bool adds_input, const YoloSettings& s)
    : first(channels, channels, 3, 1, s),
      second(channels, channels, 3, 1, s),
      adds_input(adds_input) {}

Tensor YoloBottleneck::operator()(const Tensor& x) const {
  const Tensor y = second(first(x));
  return adds_input ? x + y : y;
}

YoloStage::YoloStage(int64_t in, int64_t out, int64_t blocks, bool adds_input,
                     const YoloSettings& s)
    : first(in, out / 2 * 2, 1, 1, s), last((2 + blocks) * (out / 2), out, 1, 1, s) {
  for (int64_t i = 0; i < blocks; ++i) inner.emplace_back(out / 2, adds_input, s);
}

Tensor YoloStage::operator()(const Tensor& x) const {
  std::vector<Tensor> parts = first(x).chunk(2, 1);
  for (const YoloBottleneck& block : inner) parts.push_back(block(parts.back()));
  return last(Tensor::cat(parts, 1));
}

YoloPyramidPooling::YoloPyramidPooling(int64_t in, int64_t out, const YoloSettings& s)
    : first(in, in / 2, 1, 1, s), last(in / 2 * 4, out, 1, 1, s) {}

Tensor YoloPyramidPooling::operator()(const Tensor& x) const {
  std::vector<Tensor> parts = {first(x)};
  for (int i = 0; i < 3; ++i)
    parts.push_back(
        parts.back().max_pool2d({.kernel_size = {5, 5}, .stride = {1}, .padding = {2}}));
  return last(Tensor::cat(parts, 1));
}

YoloBranch::YoloBranch(int64_t in, int64_t inner, int64_t out, const YoloSettings& s)
    : first(in, inner, 3, 1, s),
      second(inner, inner, 3, 1, s),
      last(yolo_convolution(inner, out, 1, 1, /*has_bias=*/true, s)) {}

YoloHead::YoloHead(const std::array<int64_t, 3>& in, int64_t classes, const YoloSettings& s) {
  const int64_t for_sides = std::max({int64_t{16}, in[0] / 4, 4 * kBoxBins});
  const int64_t for_scores = std::max(in[0], std::min<int64_t>(classes, 100));
  for (const int64_t channels : in) {
    sides.emplace_back(channels, for_sides, 4 * kBoxBins, s);
    scores.emplace_back(channels, for_scores, classes, s);
  }
}

Tensor YoloHead::operator()(const std::vector<Tensor>& grids) const {
  std::vector<Tensor> out;
  for (size_t i = 0; i < grids.size(); ++i)
    out.push_back(joined(sides[i](grids[i]), scores[i](grids[i])).flatten(2));
  return Tensor::cat(out, 2);
}

// ---- the whole

YoloV8::YoloV8(const YoloSizes& z, const YoloSettings& s)
    : conv0(3, z.channels[0], 3, 2, s),
      conv1(z.channels[0], z.channels[1], 3, 2, s),
      conv3(z.channels[1], z.channels[2], 3, 2, s),
      conv5(z.channels[2], z.channels[3], 3, 2, s),
      conv7(z.channels[3], z.channels[4], 3, 2, s),
      stage2(z.channels[1], z.channels[1], z.blocks[0], true, s),
      stage4(z.channels[2], z.channels[2], z.blocks[1], true, s),
      stage6(z.channels[3], z.channels[3], z.blocks[2], true, s),
      stage8(z.channels[4], z.channels[4], z.blocks[3], true, s),
      pooling9(z.channels[4], z.channels[4], s),
      stage12(z.channels[4] + z.channels[3], z.channels[3], z.neck_blocks[0], false, s),
      stage15(z.channels[3] + z.channels[2], z.channels[2], z.neck_blocks[1], false, s),
      conv16(z.channels[2], z.channels[2], 3, 2, s),
      stage18(z.channels[2] + z.channels[3], z.channels[3], z.neck_blocks[2], false, s),
      conv19(z.channels[3], z.channels[3], 3, 2, s),
      stage21(z.channels[3] + z.channels[4], z.channels[4], z.neck_blocks[3], false, s),
      head22({z.channels[2], z.channels[3], z.channels[4]}, z.classes, s) {}

Tensor YoloV8::operator()(const Tensor& pictures) const {
  const Shape shape = pictures.shape();
  if (shape.size() != 4 || shape[1] != 3 || pictures.numel() == 0 || shape[2] % kSideStep != 0 ||
      shape[3] % kSideStep != 0)
    user_error<ShapeError>(
        "yolov8", fmt::format("pictures are [n, 3, height, width] with sides that are multiples of "
                              "{}, got [{}]",
                              kSideStep, fmt::join(shape, ", ")));
  const Tensor fine = stage4(conv3(stage2(conv1(conv0(pictures)))));
  const Tensor middle = stage6(conv5(fine));
  const Tensor coarse = pooling9(stage8(conv7(middle)));
  // Down to the fine grid, and up again.
  const Tensor middle_down = stage12(joined(doubled(coarse), middle));
  const Tensor fine_out = stage15(joined(doubled(middle_down), fine));
  const Tensor middle_out = stage18(joined(conv16(fine_out), middle_down));
  const Tensor coarse_out = stage21(joined(conv19(middle_out), coarse));
  return head22({fine_out, middle_out, coarse_out});
}

void YoloV8::fold() {
  for (YoloConv* conv :
       {&conv0, &conv1, &conv3, &conv5, &conv7, &conv16, &conv19, &pooling9.first, &pooling9.last})
    conv->fold();
  for (YoloStage* stage :
       {&stage2, &stage4, &stage6, &stage8, &stage12, &stage15, &stage18, &stage21}) {
    stage->first.fold();
    stage->last.fold();
    for (YoloBottleneck& block : stage->inner) {
      block.first.fold();
      block.second.fold();
    }
  }
  for (std::vector<YoloBranch>* branches : {&head22.sides, &head22.scores})
    for (YoloBranch& branch : *branches) {
      branch.first.fold();
      branch.second.fold();
    }
}

// ---- by options and by name

ImageNetwork yolov8(const YoloV8Options& o) {
  constexpr double kMostFactor = 16;
  for (const auto& [name, factor] : {std::pair("width", o.width), std::pair("depth", o.depth)})
    if (!(factor > 0 && factor <= kMostFactor))
      user_error<ArgumentError>(
          "yolov8",
          fmt::format("the {} must be above 0, and at most {}, got {}", name, kMostFactor, factor));
  for (const auto& [name, number] :
       {std::pair("most_channels", o.most_channels), std::pair("classes", o.classes)})
    if (number < 1 || number > kMostNumber)
      user_error<ArgumentError>(
          "yolov8", fmt::format("{} must be 1 to {}, got {}", name, kMostNumber, number));
  return ImageNetwork(YoloV8(sizes_of(o), {.device = o.device}));
}

namespace {

struct NamedSizes {
  const char* name;
  double width, depth;
  int64_t most_channels;
};

constexpr std::array<NamedSizes, 5> kPublished = {{{"yolov8n", 0.25, 0.33, 1024},
                                                   {"yolov8s", 0.50, 0.33, 1024},
                                                   {"yolov8m", 0.75, 0.67, 768},
                                                   {"yolov8l", 1.00, 1.00, 512},
                                                   {"yolov8x", 1.25, 1.00, 512}}};

}  // namespace

std::vector<std::string> detection_architectures() {
  std::vector<std::string> out;
  for (const NamedSizes& n : kPublished) out.emplace_back(n.name);
  return out;
}

YoloV8Options detection_options(std::string_view architecture) {
  for (const NamedSizes& n : kPublished)
    if (n.name == architecture)
      return {.width = n.width, .depth = n.depth, .most_channels = n.most_channels};
  user_error<ArgumentError>("detection_options",
                            fmt::format("\"{}\" is unknown; known are {}", architecture,
                                        fmt::join(detection_architectures(), ", ")));
}

}  // namespace tg::models

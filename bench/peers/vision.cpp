// Networks for images, as their authors describe them: ResNet-18 (He et al., 2015), MobileNet-v2
// (Sandler et al., 2018), ViT-S/16 (Dosovitskiy et al., 2020) and a U-Net (Ronneberger et al.,
// 2015) with borders and normalisation. Weights are random: only the time counts.
#include <array>
#include <utility>
#include <vector>

#include "kinds.h"

namespace tg::peers {
namespace {

nn::Conv2d conv(int64_t in, int64_t out, int64_t kernel, int64_t stride, int64_t padding) {
  return {in, out, {kernel}, {.stride = {stride}, .padding = {padding}, .bias = false}};
}

// ---- ResNet-18

struct Shortcut {
  nn::Conv2d conv;
  nn::BatchNorm norm;
  template <typename F>
  void visit(F&& f) {
    f("conv", conv), f("norm", norm);
  }
};

struct Residual {
  Residual(int64_t in, int64_t out, int64_t stride)
      : conv1(conv(in, out, 3, stride, 1)), conv2(conv(out, out, 3, 1, 1)), norm1(out), norm2(out) {
    if (stride != 1 || in != out) side.push_back({conv(in, out, 1, stride, 0), nn::BatchNorm(out)});
  }
  Tensor operator()(const Tensor& x) const {
    const Tensor y = norm2(conv2(norm1(conv1(x)).relu()));
    return (y + (side.empty() ? x : side[0].norm(side[0].conv(x)))).relu();
  }
  template <typename F>
  void visit(F&& f) {
    f("conv1", conv1), f("norm1", norm1), f("conv2", conv2), f("norm2", norm2), f("side", side);
  }
  static nn::Conv2d conv(int64_t in, int64_t out, int64_t kernel, int64_t stride, int64_t padding) {
    return peers::conv(in, out, kernel, stride, padding);
  }

  nn::Conv2d conv1, conv2;
  nn::BatchNorm norm1, norm2;
  std::vector<Shortcut> side;  // none or one
};

struct ResNet18 {
  ResNet18() {
    int64_t in = 64;
    for (const auto& [out, stride] :
         {std::pair<int64_t, int64_t>{64, 1}, {128, 2}, {256, 2}, {512, 2}}) {
      blocks.emplace_back(in, out, stride);
      blocks.emplace_back(out, out, 1);
      in = out;
    }
  }
  Tensor operator()(const Tensor& images) const {
    Tensor x = norm(stem(images))
                   .relu()
                   .max_pool2d({.kernel_size = {3, 3}, .stride = {2}, .padding = {1}});
    for (const Residual& block : blocks) x = block(x);
    return out(x.mean({.axis = {2, 3}}));
  }
  template <typename F>
  void visit(F&& f) {
    f("stem", stem), f("norm", norm), f("blocks", blocks), f("out", out);
  }

  nn::Conv2d stem = conv(3, 64, 7, 2, 3);
  nn::BatchNorm norm{64};
  std::vector<Residual> blocks;
  nn::Linear out{512, 1000};
};

// ---- MobileNet-v2

struct ConvNorm {
  ConvNorm(int64_t in, int64_t out, int64_t kernel, int64_t stride, int64_t groups = 1)
      : conv(in, out, {kernel},
             {.groups = groups, .stride = {stride}, .padding = {kernel / 2}, .bias = false}),
        norm(out) {}
  Tensor operator()(const Tensor& x) const { return norm(conv(x)); }
  template <typename F>
  void visit(F&& f) {
    f("conv", conv), f("norm", norm);
  }

  nn::Conv2d conv;
  nn::BatchNorm norm;
};

// Widened, filtered by channel, narrowed.
struct Bottleneck {
  Bottleneck(int64_t in, int64_t out, int64_t stride, int64_t factor)
      : filter(in * factor, in * factor, 3, stride, in * factor),
        narrow(in * factor, out, 1, 1),
        adds(stride == 1 && in == out) {
    if (factor != 1) widen.emplace_back(in, in * factor, 1, 1);
  }
  Tensor operator()(const Tensor& x) const {
    const Tensor wide = widen.empty() ? x : widen[0](x).relu6();
    const Tensor y = narrow(filter(wide).relu6());
    return adds ? x + y : y;
  }
  template <typename F>
  void visit(F&& f) {
    f("widen", widen), f("filter", filter), f("narrow", narrow);
  }

  std::vector<ConvNorm> widen;  // none or one
  ConvNorm filter, narrow;
  bool adds;
};

struct MobileNetV2 {
  MobileNetV2() {
    struct Stage {
      int64_t factor, channels, blocks, stride;
    };
    int64_t in = 32;
    for (const Stage& s : {Stage{1, 16, 1, 1},
                           {6, 24, 2, 2},
                           {6, 32, 3, 2},
                           {6, 64, 4, 2},
                           {6, 96, 3, 1},
                           {6, 160, 3, 2},
                           {6, 320, 1, 1}}) {
      for (int64_t i = 0; i < s.blocks; ++i) {
        blocks.emplace_back(in, s.channels, i == 0 ? s.stride : 1, s.factor);
        in = s.channels;
      }
    }
  }
  Tensor operator()(const Tensor& images) const {
    Tensor x = stem(images).relu6();
    for (const Bottleneck& block : blocks) x = block(x);
    return out(last(x).relu6().mean({.axis = {2, 3}}));
  }
  template <typename F>
  void visit(F&& f) {
    f("stem", stem), f("blocks", blocks), f("last", last), f("out", out);
  }

  ConvNorm stem{3, 32, 3, 2};
  std::vector<Bottleneck> blocks;
  ConvNorm last{320, 1280, 1, 1};
  nn::Linear out{1280, 1000};
};

// ---- ViT-S/16

constexpr int64_t kVitWidth = 384, kVitHeads = 6, kVitBlocks = 12, kVitPatches = 196;

struct VitBlock {
  Tensor operator()(const Tensor& x) const {
    const int64_t b = x.size(0), n = x.size(1), depth = kVitWidth / kVitHeads;
    const Tensor qkv = in(norm1(x)).reshape({b, n, 3, kVitHeads, depth}).permute({2, 0, 3, 1, 4});
    const Tensor mixed = qkv[0].scaled_dot_product_attention(qkv[1], qkv[2]);
    const Tensor y = x + out(mixed.transpose(1, 2).reshape({b, n, kVitWidth}));
    return y + down(up(norm2(y)).gelu(GeluForm::Erf));
  }
  template <typename F>
  void visit(F&& f) {
    f("norm1", norm1), f("in", in), f("out", out), f("norm2", norm2), f("up", up), f("down", down);
  }

  nn::LayerNorm norm1{kVitWidth}, norm2{kVitWidth};
  nn::Linear in{kVitWidth, 3 * kVitWidth}, out{kVitWidth, kVitWidth};
  nn::Linear up{kVitWidth, 4 * kVitWidth}, down{4 * kVitWidth, kVitWidth};
};

struct Vit {
  Tensor operator()(const Tensor& images) const {
    const int64_t b = images.size(0);
    const Tensor tokens = patches(images).flatten(2).transpose(1, 2);
    Tensor x = Tensor::cat({first.expand({b, 1, kVitWidth}), tokens}, 1) + places;
    for (const VitBlock& block : blocks) x = block(x);
    return out(norm(x[{Slice(), 0}]));
  }
  template <typename F>
  void visit(F&& f) {
    f("patches", patches), f("first", first), f("places", places), f("blocks", blocks);
    f("norm", norm), f("out", out);
  }

  nn::Conv2d patches{3, kVitWidth, {16}, {.stride = {16}}};
  Tensor first = Tensor::zeros({1, 1, kVitWidth});
  Tensor places = data({1, kVitPatches + 1, kVitWidth});
  std::vector<VitBlock> blocks = std::vector<VitBlock>(kVitBlocks);
  nn::LayerNorm norm{kVitWidth};
  nn::Linear out{kVitWidth, 1000};
};

// ---- U-Net

struct TwoConvs {
  TwoConvs(int64_t in, int64_t out) : first(in, out, 3, 1), second(out, out, 3, 1) {}
  Tensor operator()(const Tensor& x) const { return second(first(x).relu()).relu(); }
  template <typename F>
  void visit(F&& f) {
    f("first", first), f("second", second);
  }

  ConvNorm first, second;
};

struct UpStep {
  explicit UpStep(int64_t channels)
      : up(2 * channels, channels, {2}, {.stride = {2}}), convs(2 * channels, channels) {}
  template <typename F>
  void visit(F&& f) {
    f("up", up), f("convs", convs);
  }

  nn::ConvTranspose2d up;
  TwoConvs convs;
};

struct UNet {
  UNet() {
    int64_t in = 3;
    for (const int64_t channels : kChannels) {
      down.emplace_back(in, channels);
      in = channels;
    }
    for (size_t i = kChannels.size() - 1; i-- > 0;) up.emplace_back(kChannels[i]);
  }
  Tensor operator()(const Tensor& images) const {
    std::vector<Tensor> kept;
    Tensor x = down[0](images);
    for (size_t i = 1; i < down.size(); ++i) {
      kept.push_back(x);
      x = down[i](x.max_pool2d());
    }
    for (const UpStep& step : up) {
      x = step.convs(Tensor::cat({kept.back(), step.up(x)}, 1));
      kept.pop_back();
    }
    return out(x);
  }
  template <typename F>
  void visit(F&& f) {
    f("down", down), f("up", up), f("out", out);
  }

  static constexpr std::array<int64_t, 5> kChannels = {32, 64, 128, 256, 512};
  std::vector<TwoConvs> down;
  std::vector<UpStep> up;
  nn::Conv2d out{32, 1, {1}};
};

// ---- training

// Forward, backward and SGD with momentum on one batch; captured.
struct ResNetTraining {
  explicit ResNetTraining(int64_t batch)
      : images(data({batch, 3, 224, 224})),
        labels(Tensor::randint({batch}, {.low = 0, .high = 1000}).realize()) {}
  Tensor step(const Tensor& x) {
    const TrainingScope training;
    const Tensor loss = net(x).cross_entropy(labels);
    sgd.step(loss);
    return loss;
  }
  ResNet18 net;
  nn::SGD sgd{net, {.lr = 0.01, .momentum = 0.9}};
  Tensor images, labels;
};

Call resnet18_step(Sizes n) {
  const auto t = std::make_shared<ResNetTraining>(n[0]);
  auto run = [t](const Tensor& images) { return t->step(images); };
  const auto step = std::make_shared<TinyJit<decltype(run)>>(run);
  return [t, step] { (*step)(t->images).item<double>(); };
}

template <typename M>
Kind of_images(int64_t side) {
  return call(1, [side](Sizes n) {
    return inference(std::make_shared<M>(), {n[0], 3, side, side});
  });
}

}  // namespace

Kinds vision() {
  return {{"resnet18", of_images<ResNet18>(224)},
          {"mobilenet_v2", of_images<MobileNetV2>(224)},
          {"vit_s16", of_images<Vit>(224)},
          {"unet", of_images<UNet>(128)},
          {"resnet18_step", call(1, resnet18_step)}};
}

}  // namespace tg::peers

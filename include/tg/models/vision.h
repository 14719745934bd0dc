// Networks that classify pictures, as descriptions with options: ResNet, MobileNet, EfficientNet
// and vision transformers. Each is an ordinary model of nn.h (state dict, optimisers, files), whose
// tensors have torchvision's names, so that its weights load. Link `tinygrad::models`.
//
//   tg::models::ImageNetwork net = tg::models::resnet({.blocks = {2, 2, 2, 2}, .classes = 10});
//   tg::nn::SGD sgd(net, {.lr = 0.1, .momentum = 0.9});
//   tg::TrainingScope training;
//   sgd.step(net(images).cross_entropy(labels));
//
// Published weights, from a file to names of what is in a picture: image_classifier.h. Details:
// docs/vision.md.
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tg/export.h"
#include "tg/nn.h"
#include "tg/sequential.h"
#include "tg/tensor.h"

namespace tg::models {

/// A network that sees pictures; what it says of them, the function that makes it says. Copies are
/// names for one network, as copies of a Tensor are. Batch normalisation and dropout follow
/// TrainingScope.
class ImageNetwork {
 public:
  /// Any layer that is a model, called with float [n, 3, height, width].
  template <typename L>
  requires(!std::same_as<L, ImageNetwork> && nn::Layer<L> &&
           nn::Model<L>) explicit ImageNetwork(L layer)
      : layer_(std::make_shared<nn::detail::LayerOf<L>>(std::move(layer))) {}

  /// Lazily; of classifiers, scores before the softmax: [n, 3, height, width] → [n, classes].
  Tensor operator()(const Tensor& pictures) const { return (*layer_)(pictures); }

  template <typename F>
  void visit(F&& f) {
    layer_->visit(f);
  }

 private:
  std::shared_ptr<nn::detail::AnyLayer> layer_;
};

/// Of `resnet`.
struct ResNetOptions {
  std::vector<int64_t> blocks = {2, 2, 2, 2};  ///< in each of the four stages
  bool has_bottleneck = false;   ///< blocks of 1 x 1, 3 x 3 and 1 x 1 instead of two of 3 x 3
  int64_t groups = 1;            ///< of the 3 x 3 convolution of a bottleneck (ResNeXt)
  int64_t width_per_group = 64;  ///< its channels in a group, in the first stage (wide: 128)
  bool strides_first = false;    ///< the first 1 x 1 convolution of a bottleneck has the stride
  int64_t classes = 1000;
  std::string device = {};  ///< empty: the default device
};

/// Residual networks (He et al., 2016), with the stride of a bottleneck in its 3 x 3 convolution;
/// ResNeXt (Xie et al., 2017) and wide ones (Zagoruyko and Komodakis, 2016) by their options.
/// ArgumentError for numbers below 1 and for groups with other blocks than bottlenecks.
TG_API ImageNetwork resnet(const ResNetOptions& options = {});

/// Of `mobilenet_v2`.
struct MobileNetV2Options {
  double width = 1;  ///< times the channels, rounded to eights
  double dropout = 0.2;
  int64_t classes = 1000;
  std::string device = {};  ///< empty: the default device
};

/// Inverted residuals with linear bottlenecks (Sandler et al., 2018). ArgumentError for a width
/// that is not in (0, 16].
TG_API ImageNetwork mobilenet_v2(const MobileNetV2Options& options = {});

/// Of `mobilenet_v3`.
struct MobileNetV3Options {
  bool is_large = true;  ///< the large of its two forms
  double dropout = 0.2;
  int64_t classes = 1000;
  std::string device = {};  ///< empty: the default device
};

/// The networks of Howard et al., 2019: inverted residuals, some with squeeze and excitation.
TG_API ImageNetwork mobilenet_v3(const MobileNetV3Options& options = {});

/// Of `efficientnet`.
struct EfficientNetOptions {
  double width = 1;  ///< times the channels of B0, rounded to eights
  double depth = 1;  ///< times the blocks of B0, rounded up
  double dropout = 0.2;
  double block_dropout = 0.2;  ///< share of the last block's results left out while training, less
                               ///< in the blocks before it (stochastic depth: Huang et al., 2016)
  double norm_eps = 1e-5;      ///< of the batch normalisation
  double norm_momentum = 0.1;  ///< of the batch normalisation
  int64_t classes = 1000;
  std::string device = {};  ///< empty: the default device
};

/// EfficientNet (Tan and Le, 2019). ArgumentError for a width or depth that is not in (0, 16].
TG_API ImageNetwork efficientnet(const EfficientNetOptions& options = {});

/// Of `vision_transformer`.
struct VisionTransformerOptions {
  int64_t image_size = 224;  ///< height and width of a picture
  int64_t patch = 16;        ///< height and width of a part, which becomes a token
  int64_t layers = 12;
  int64_t heads = 12;
  int64_t width = 768;         ///< numbers for each token
  int64_t feedforward = 3072;  ///< features between the two linear layers
  double dropout = 0;
  double norm_eps = 1e-6;  ///< of the layer normalisation
  int64_t classes = 1000;
  std::string device = {};  ///< empty: the default device
};

/// ViT (Dosovitskiy et al., 2021), classified by its class token. ArgumentError for numbers below
/// 1, and unless the patch divides the picture and the heads divide the width.
TG_API ImageNetwork vision_transformer(const VisionTransformerOptions& options = {});

/// Of `image_network`.
struct ImageNetworkOptions {
  int64_t classes = 1000;
  int64_t image_size = 0;   ///< of vision transformers; 0: 224, of vit_h_14 too
  std::string device = {};  ///< empty: the default device
};

/// The names that `image_network` takes, which are torchvision's: "resnet18", "vit_b_16", …
TG_API std::vector<std::string> image_architectures();

/// The network of this name, with weights as they start. ArgumentError for an unknown name.
TG_API ImageNetwork image_network(std::string_view architecture,
                                  const ImageNetworkOptions& options = {});

/// A convolution and the batch normalisation behind it as one convolution, which computes what both
/// compute outside of a TrainingScope, but for the last bits. Its weight and bias, of the weight's
/// dtype, are lazy and no parameters. ShapeError if they have different numbers of channels.
///
///   const tg::nn::Conv2d both = tg::models::folded(conv, norm);  // both(x) is norm(conv(x))
TG_API nn::Conv2d folded(const nn::Conv2d& conv, const nn::BatchNorm& norm);

}  // namespace tg::models

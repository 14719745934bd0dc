// The vision transformer: parts of a picture as tokens of an encoder. Part of tg/models/vision.h.
#include <fmt/format.h>

#include "support/check.h"
#include "tg/models/vision.h"

namespace tg::models {
namespace {

TensorOptions placement(const VisionTransformerOptions& o) { return {.device = o.device}; }

// Normalisation comes before each part. The names are torchvision's.
struct EncoderBlock {
  explicit EncoderBlock(const VisionTransformerOptions& o)
      : ln_1(o.width, {.eps = o.norm_eps, .placement = placement(o)}),
        ln_2(o.width, {.eps = o.norm_eps, .placement = placement(o)}),
        self_attention(o.width, o.heads, {.placement = placement(o)}),
        mlp(
            nn::Linear(o.width, o.feedforward, {.placement = placement(o)}),
            [](const Tensor& x) { return x.gelu(GeluForm::Erf); }, nn::Dropout(o.dropout),
            nn::Linear(o.feedforward, o.width, {.placement = placement(o)}),
            nn::Dropout(o.dropout)),
        dropout(o.dropout) {}

  Tensor operator()(const Tensor& x) const {
    const Tensor attended = x + dropout(self_attention(ln_1(x)));
    return attended + mlp(ln_2(attended));
  }

  template <typename F>
  void visit(F&& f) {
    f("ln_1", ln_1);
    f("self_attention", self_attention);
    f("ln_2", ln_2);
    f("mlp", mlp);
  }

  nn::LayerNorm ln_1, ln_2;
  nn::MultiHeadAttention self_attention;
  nn::Sequential mlp;
  nn::Dropout dropout;
};

struct VisionTransformer {
  explicit VisionTransformer(const VisionTransformerOptions& o)
      : options(o),
        conv_proj(3, o.width, o.patch, {.stride = o.patch, .placement = placement(o)}),
        class_token(Tensor::zeros({1, 1, o.width}, placement(o))),
        pos_embedding(Tensor::normal({1, tokens(o), o.width}, {.std = 0.02, .device = o.device})),
        ln(o.width, {.eps = o.norm_eps, .placement = placement(o)}),
        head(o.width, o.classes, {.placement = placement(o)}),
        dropout(o.dropout) {
    class_token.is_param_();
    pos_embedding.is_param_();
    for (int64_t i = 0; i < o.layers; ++i) layers.emplace_back(o);
  }

  static int64_t tokens(const VisionTransformerOptions& o) {
    const int64_t side = o.image_size / o.patch;
    return side * side + 1;
  }

  Tensor operator()(const Tensor& pictures) const {
    const Shape s = pictures.shape();
    if (s.size() != 4 || s[2] != options.image_size || s[3] != options.image_size)
      user_error<ShapeError>(
          "vision_transformer",
          fmt::format("pictures are [n, 3, {0}, {0}], got {1} axes{2}", options.image_size,
                      s.size(),
                      s.size() == 4 ? fmt::format(" of {} x {}", s[2], s[3]) : std::string()));
    const Tensor patches = conv_proj(pictures).flatten(2).transpose(1, 2);
    const Tensor first = class_token.expand({s[0], 1, options.width});
    Tensor x = dropout(Tensor::cat({first, patches}, 1) + pos_embedding);
    for (const EncoderBlock& layer : layers) x = layer(x);
    return head(ln(x)[{Slice(), 0}]);
  }

  template <typename F>
  void visit(F&& f) {
    f("class_token", class_token);
    f("conv_proj", conv_proj);
    f("encoder.pos_embedding", pos_embedding);
    for (size_t i = 0; i < layers.size(); ++i)
      f("encoder.layers.encoder_layer_" + std::to_string(i), layers[i]);
    f("encoder.ln", ln);
    f("heads.head", head);
  }

  VisionTransformerOptions options;
  nn::Conv2d conv_proj;
  Tensor class_token, pos_embedding;
  std::vector<EncoderBlock> layers;
  nn::LayerNorm ln;
  nn::Linear head;
  nn::Dropout dropout;
};

}  // namespace

ImageNetwork vision_transformer(const VisionTransformerOptions& o) {
  if (o.patch < 1 || o.image_size < 1 || o.image_size % o.patch != 0)
    user_error<ArgumentError>(
        "vision_transformer",
        fmt::format("the patch must divide the picture, got {} and {}", o.patch, o.image_size));
  if (o.layers < 1)
    user_error<ArgumentError>("vision_transformer",
                              fmt::format("there must be at least one layer, got {}", o.layers));
  return ImageNetwork(VisionTransformer(o));
}

}  // namespace tg::models

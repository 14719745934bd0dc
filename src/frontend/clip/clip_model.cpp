// See clip_model.h.
#include "frontend/clip/clip_model.h"

#include <limits>

#include "frontend/embedding/pooling.h"

namespace tg::models {
namespace {

// What is added to the scores of attention, [1, n, n]: a token sees those before it in its text.
Tensor earlier_of_text(const Tensor& texts) {
  const int64_t n = texts.size(0);
  const Tensor place = Tensor::arange(static_cast<double>(n), {.device = texts.device()});
  const Tensor is_visible =
      (texts.unsqueeze(1) == texts.unsqueeze(0)) & (place.unsqueeze(0) <= place.unsqueeze(1));
  const double nothing = -std::numeric_limits<double>::infinity();
  return is_visible.where(0.0F, nothing).unsqueeze(0).contiguous();
}

}  // namespace

ClipModel::ClipModel(const ClipConfig& config, ClipWeights w)
    : image_config_(config.image),
      words_(std::move(w.words)),
      text_positions_(std::move(w.text_positions)),
      patches_(std::move(w.patches)),
      first_(std::move(w.first)),
      image_positions_(std::move(w.image_positions)),
      text_projection_(std::move(w.text_projection)),
      image_projection_(std::move(w.image_projection)),
      image_norm_(std::move(w.image_norm)),
      text_encoder_(config.text, std::move(w.text)),
      image_encoder_(config.image, std::move(w.image)),
      scale_(w.scale) {}

Tensor ClipModel::embedded(const Tensor& tokens, const Tensor& positions) const {
  return words_[tokens] + text_positions_[positions];
}

Tensor ClipModel::texts(const Tensor& x, const Tensor& texts, const Tensor& ends) const {
  const Tensor hidden = text_encoder_(x, earlier_of_text(texts));
  return of_length_one(projected(text_projection_, hidden[ends]));
}

Tensor ClipModel::images(const Tensor& pixels) const {
  const int64_t n = pixels.size(0), width = first_.size(0), patch = patches_.size(-1);
  const Tensor parts = pixels.conv2d(patches_, {.stride = {patch}}).flatten(2).transpose(1, 2);
  const Tensor first = first_.reshape({1, 1, width}).expand({n, 1, width});
  const Tensor x = Tensor::cat({first, parts}, 1) + image_positions_;
  const Tensor hidden = image_encoder_(normalised(image_config_, image_norm_, x).contiguous());
  return of_length_one(projected(image_projection_, hidden[{Slice(), 0}]));
}

}  // namespace tg::models

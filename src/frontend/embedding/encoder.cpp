// See encoder.h.
#include "frontend/embedding/encoder.h"

#include <cmath>
#include <limits>

namespace tg::models {

Encoder::Encoder(EncoderConfig config, EncoderWeights weights, const std::string& device)
    : config_(std::move(config)), weights_(std::move(weights)) {
  if (!weights_.distances) return;
  bias_of_distance_ = bias_of_distances(*weights_.distances, {.count = config_.distance_groups},
                                        1 - config_.positions, config_.positions, device);
}

Tensor Encoder::embedded(const Tensor& tokens, const Tensor& positions) const {
  return weights_.words[tokens] + weights_.places[positions];
}

Tensor Encoder::operator()(const TextRow& row) const {
  Tensor x = normalised(weights_.norm, row.embedded).contiguous();
  const Tensor visible = visibility(row);
  for (const EncoderLayerWeights& w : weights_.layers) x = layer(w, x, visible);
  return x;
}

// What is added to the products of queries and keys, [heads or 1, n, n]: −∞ between two texts.
Tensor Encoder::visibility(const TextRow& row) const {
  const Tensor same = row.texts.unsqueeze(1) == row.texts.unsqueeze(0);
  const double nothing = -std::numeric_limits<double>::infinity();
  if (!bias_of_distance_) return same.where(0.0F, nothing).unsqueeze(0).contiguous();
  const Tensor distance = row.positions.unsqueeze(0) - row.positions.unsqueeze(1);
  const Tensor bias = (*bias_of_distance_)[distance + (config_.positions - 1)].permute({2, 0, 1});
  return same.unsqueeze(0).where(bias, nothing).contiguous();
}

Tensor Encoder::layer(const EncoderLayerWeights& w, const Tensor& x,
                      const Tensor& visibility) const {
  const EncoderConfig& c = config_;
  const int64_t n = x.size(0), size = c.width / c.heads;
  // [3, heads, n, size]
  const Tensor qkv = projected(w.qkv, x).reshape({n, 3, c.heads, size}).permute({1, 2, 0, 3});
  const Tensor products = qkv[{0}].matmul(qkv[{1}].transpose(-1, -2));
  const double scale = 1 / std::sqrt(static_cast<double>(size));
  const Tensor shares = (products * scale + visibility).softmax(-1);
  const Tensor mixed = shares.matmul(qkv[{2}]).transpose(0, 1).reshape({n, c.width});
  const Tensor y = normalised(w.attention_norm, x + projected(w.out, mixed)).contiguous();
  const Tensor inner = activated(c.activation, projected(w.up, y));
  return normalised(w.feed_forward_norm, y + projected(w.down, inner)).contiguous();
}

Tensor Encoder::normalised(const NormWeights& w, const Tensor& x) const {
  return x.layer_norm({.weight = &w.weight, .bias = &*w.bias, .eps = config_.norm_eps});
}

}  // namespace tg::models

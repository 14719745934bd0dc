// An encoder: the tokens of several texts in, one after the other in one row of tokens, and what
// each token means in its text out. Texts do not see each other, so that nothing is filled up to
// equal lengths. Which families: encoder_config.h. Vectors of texts: pooling.h.
#pragma once

#include <optional>
#include <vector>

#include "frontend/embedding/encoder_config.h"
#include "frontend/language/distances.h"
#include "frontend/language/weights.h"

namespace tg::models {

/// All of float32.
struct EncoderLayerWeights {
  Projection qkv;  ///< queries, keys and values: [3 · width, width]
  Projection out, up, down;
  NormWeights attention_norm, feed_forward_norm;
};

struct EncoderWeights {
  Tensor words;   ///< [vocabulary, width]
  Tensor places;  ///< [positions, width]: of positions, with that of the one kind of tokens
  NormWeights norm;
  std::vector<EncoderLayerWeights> layers;
  std::optional<Tensor> distances;  ///< [distance groups, heads]
};

/// The tokens of several texts in a row.
struct TextRow {
  Tensor embedded;   ///< by Encoder::embedded, float32 [n, width]
  Tensor positions;  ///< in their texts, from EncoderConfig::first_position on, int32 [n]
  Tensor texts;      ///< which text a token belongs to, int32 [n]; −1: none
};

class Encoder {
 public:
  Encoder(EncoderConfig config, EncoderWeights weights, const std::string& device);

  /// Tokens and their positions, int32 [n] each, as float32 [n, width]. Apart from the graph below,
  /// whose recording is played without asking the program's interrupt hook.
  Tensor embedded(const Tensor& tokens, const Tensor& positions) const;
  /// The last layer of a row: float32 [n, width].
  Tensor operator()(const TextRow& row) const;
  const EncoderConfig& config() const { return config_; }

 private:
  Tensor visibility(const TextRow& row) const;
  Tensor layer(const EncoderLayerWeights& w, const Tensor& x, const Tensor& visibility) const;
  Tensor normalised(const NormWeights& w, const Tensor& x) const;

  EncoderConfig config_;
  EncoderWeights weights_;
  std::optional<Tensor> bias_of_distance_;  // [2 · positions − 1, heads]
};

}  // namespace tg::models

// A decoder: tokens and the keys and values of those before them in, what each of them makes of the
// text out. All families are this one graph with options (decoder_config.h). Loading and
// generating: language_model.cpp.
#pragma once

#include <string>
#include <vector>

#include "frontend/language/decoder_config.h"
#include "frontend/language/weights.h"
#include "tg/symbolic.h"

namespace tg::models {

/// Keys and values of a layer so far, float32 [kv heads, context, head size] each.
struct LayerCache {
  Tensor keys, values;
};

class Decoder {
 public:
  /// `context`: positions for which there is room. Storage is made at once.
  Decoder(DecoderConfig config, DecoderWeights weights, int64_t context, const std::string& device);

  /// Tokens int32 [n] as rows of the embedding, float32 [n, width]. Apart from the graph below,
  /// where a table for both ends would be stored as floats because it is read twice.
  Tensor embedded(const Tensor& tokens) const;
  /// What the first `count` of such rows, at the positions from `begin` on, make of the text:
  /// [count, width], before the output's projection. Adds their keys and values.
  Tensor operator()(const Tensor& embedded, const SymInt& begin, const SymInt& count) const;
  /// The logits of such rows: [..., width] to float32 [..., vocabulary].
  Tensor logits(const Tensor& hidden) const;

  const DecoderConfig& config() const { return config_; }

 private:
  struct Step;  // what is the same for all layers of a call
  Tensor attention(const LayerWeights& w, size_t layer, const Tensor& x, const Step& step) const;
  Tensor feed_forward(const FeedForwardWeights& w, const Tensor& x) const;
  Tensor experts(const ExpertWeights& w, const Tensor& x) const;
  Tensor normalised(const NormWeights& w, const Tensor& x) const;
  Tensor activated(const Tensor& x) const;

  DecoderConfig config_;
  DecoderWeights weights_;
  std::vector<LayerCache> caches_;
  Tensor places_;  // 0, 1, 2, … int32 [context]
  RotaryTable rotary_, window_rotary_;
};

}  // namespace tg::models

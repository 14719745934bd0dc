// A decoder: tokens and the keys and values of those before them in, what each of them makes of the
// text out. All families are this one graph with options (decoder_config.h). Loading and
// generating: language_model.cpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "frontend/language/decoder_config.h"
#include "frontend/language/weights.h"
#include "tg/symbolic.h"

namespace tg::models {

/// Keys and values of a layer so far, float32 [slots, kv heads, context, head size] each: a slot
/// has room for one text.
struct LayerCache {
  Tensor keys, values;
};

/// One token of each of several texts.
struct Rows {
  Tensor slots, positions;                   ///< int32 [n]
  std::vector<SymInt> slot_of, position_of;  ///< the same, for n slices
  SymInt seen = 0;                           ///< positions up to the last of all of them
};

class Decoder {
 public:
  /// There is room for `slots` texts of `context` positions. Storage is made at once.
  Decoder(DecoderConfig config, DecoderWeights weights, int64_t context, const std::string& device,
          int64_t slots = 1);

  /// Tokens int32 [n] as rows of the embedding, float32 [n, width]. Apart from the graph below,
  /// where a table for both ends would be stored as floats because it is read twice.
  Tensor embedded(const Tensor& tokens) const;
  /// What the first `count` of such rows, at the positions from `begin` on, make of the text in
  /// `slot`: [count, width], before the output's projection. Adds their keys and values. `source`:
  /// how many of the states of `see` they look at, where the model is the half of one with an
  /// encoder.
  Tensor operator()(const Tensor& embedded, const SymInt& begin, const SymInt& count,
                    const SymInt& slot = 0, const SymInt& source = 0) const;
  /// The same of tokens [n, width] of which each goes on with another text. Rows that name one
  /// place twice must be equal.
  Tensor rows(const Tensor& embedded, const Rows& rows) const;
  /// What whole texts of one length, [texts, length, width], make of themselves: the same shape.
  /// Nothing is kept, and gradients flow. Not of models with an encoder or biases of distances.
  Tensor texts(const Tensor& embedded) const;
  /// Computes the keys and values of the first `count` states of an encoder, float32 [n, width].
  void see(const Tensor& states, const SymInt& count) const;
  /// Gives the text in slot `to` the keys and values of the first `count` positions of that in
  /// `from`, which is another one.
  void copy(const SymInt& from, const SymInt& to, const SymInt& count) const;
  /// Makes keys and values in a slot zeros, now.
  void clear(const SymInt& slot) const;
  /// The logits of such rows: [..., width] to float32 [..., vocabulary].
  Tensor logits(const Tensor& hidden) const;

  const DecoderConfig& config() const { return config_; }
  /// For adapters, which become part of the layers' products. Recorded calls do not notice.
  std::vector<LayerWeights>& layer_weights() { return weights_.layers; }

 private:
  struct Step;  // what is the same for all layers of a call
  Tensor layers(Tensor x, const Step& step) const;
  Tensor attention(const LayerWeights& w, size_t layer, const Tensor& x, const Step& step) const;
  Tensor attended_to_source(const CrossWeights& w, size_t layer, const Tensor& x,
                            const Step& step) const;
  Tensor attended_by_text(size_t layer, const Tensor& q, const Tensor& k, const Tensor& v,
                          const Step& step) const;
  Tensor attended_by_rows(size_t layer, const Tensor& q, const Tensor& k, const Tensor& v,
                          const Step& step) const;
  Tensor attended_by_texts(size_t layer, const Tensor& q, const Tensor& k, const Tensor& v,
                           const Step& step) const;
  Tensor weights_of(const Tensor& products, const Tensor& row, const Tensor& column,
                    size_t layer) const;
  Tensor experts(const ExpertWeights& w, const Tensor& x) const;

  DecoderConfig config_;
  DecoderWeights weights_;
  std::vector<LayerCache> caches_;
  std::vector<LayerCache> sources_;         // of the encoder's states: [heads, states, head size]
  std::optional<Tensor> bias_of_distance_;  // of 1 − context to 0: [context, heads]
  Tensor places_;                           // 0, 1, 2, … int32 [context]
  RotaryTable rotary_, window_rotary_;
};

}  // namespace tg::models

// Layers as a decoder's (weights.h), in which every position sees all others unless the caller says
// otherwise, and nothing is kept from call to call: the first half of an encoder–decoder, and both
// halves of CLIP. The other half, which looks at the states that come out: decoder.h. Encoders of
// whole texts for search: frontend/embedding.
#pragma once

#include <optional>

#include "frontend/language/weights.h"

namespace tg::models {

class SourceEncoder {
 public:
  /// Weights of less than 32 bits are stored as float32: many positions at once are a matter of
  /// products, not of memory.
  SourceEncoder(DecoderConfig config, StackWeights weights);

  /// Float32 [..., n, width] to states [..., n, width]. `added`: to the scores of attention, of a
  /// shape that fits to [..., heads, n, n].
  Tensor operator()(Tensor x, const std::optional<Tensor>& added = {}) const;

 private:
  Tensor attention(const LayerWeights& w, const Tensor& x,
                   const std::optional<Tensor>& added) const;

  DecoderConfig config_;
  StackWeights weights_;
};

}  // namespace tg::models

// The two halves of CLIP at work: texts in a row of tokens (frontend/embedding/packing.h) and
// pictures to vectors of length 1. Which weights: clip_folder.h; what is recorded and fed:
// clip.cpp.
#pragma once

#include "frontend/clip/clip_folder.h"
#include "frontend/language/source_encoder.h"

namespace tg::models {

class ClipModel {
 public:
  ClipModel(const ClipConfig& config, ClipWeights weights);

  double scale() const { return scale_; }

  /// Tokens and their positions in their texts, int32 [n] each, as float32 [n, width].
  Tensor embedded(const Tensor& tokens, const Tensor& positions) const;
  /// The vectors of the texts of a row, [texts, size]: `x` as above, `texts` which text a token
  /// belongs to, int32 [n], and `ends` where in the row the texts end, int32 [texts].
  Tensor texts(const Tensor& x, const Tensor& texts, const Tensor& ends) const;
  /// The vectors of pictures: float32 [n, 3, height, width] → [n, size].
  Tensor images(const Tensor& pixels) const;

 private:
  DecoderConfig image_config_;
  Tensor words_, text_positions_, patches_, first_, image_positions_;
  Projection text_projection_, image_projection_;
  NormWeights image_norm_;
  SourceEncoder text_encoder_, image_encoder_;
  double scale_;
};

}  // namespace tg::models

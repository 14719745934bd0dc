// What an encoder is made of, as numbers: one description for all families that descend from BERT.
// Which family has which: encoder_folder.cpp; what it computes: encoder.cpp; how the numbers of a
// text's tokens become one vector: pooling.h.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "frontend/language/decoder_config.h"

namespace tg::models {

/// In whose name errors of files are.
inline constexpr std::string_view kLoadEncoder = "TextEncoder::load";

struct EncoderConfig {
  std::string family;
  int64_t vocabulary = 0, width = 0, layers = 0, hidden = 0, heads = 0;
  int64_t positions = 0;       ///< rows of the table of positions
  int64_t first_position = 0;  ///< of a text's first token
  int64_t pad_token = -1;   ///< has the position before the first and counts as none; −1: counts
  int64_t token_kinds = 0;  ///< rows of the table of kinds, of which the first is used; 0: none
  int64_t distance_groups = 0;  ///< rows of the table of distances between tokens; 0: none
  double norm_eps = 1e-12;
  Activation activation = Activation::Gelu;

  int64_t longest() const { return positions - first_position; }  ///< tokens of a text
  /// Of all weights as they are kept, float32.
  uint64_t bytes() const {
    const int64_t layer = 4 * width * width + 2 * width * hidden + 9 * width + hidden;
    return static_cast<uint64_t>((vocabulary + positions) * width + layers * layer) * sizeof(float);
  }
};

}  // namespace tg::models

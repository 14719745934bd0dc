// The training: windows of the text at random places, AdamW, a rate that rises and falls.
#pragma once

#include <cstdint>
#include <string_view>

#include "../support/loss_curve.h"
#include "model_file.h"

namespace char_gpt {

struct TrainOptions {
  int64_t steps = 800;
  int64_t batch = 16;  ///< windows a step
  double lr = 0.002;   ///< at its highest
};

/// What became of a training.
struct Training {
  int64_t steps = 0;                       ///< fewer than asked for if it was interrupted
  examples::LossCurve training, held_out;  ///< nats a character
};

/// Trains on nine tenths of the text and measures on the last tenth. Shows progress on standard
/// error; Ctrl-C ends it after a step. Throws std::runtime_error for a text that is too short.
Training train(Speaker& speaker, std::string_view text, const TrainOptions& options);

}  // namespace char_gpt

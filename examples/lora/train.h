// The training of an adapter: AdamW, a rate that rises and falls, limited gradients.
#pragma once

#include <cstdint>

#include "../support/loss_curve.h"
#include "texts.h"

namespace lora {

struct TrainOptions {
  int64_t steps = 200;
  int64_t batch = 4;     ///< lessons or parts of the text a step
  int64_t length = 128;  ///< tokens of each
  double lr = 2e-4;      ///< at its highest
  uint64_t seed = 1;
};

/// What became of a training.
struct Training {
  int64_t steps = 0;           ///< fewer than asked for if it was interrupted
  examples::LossCurve losses;  ///< nats a token
  double seconds = 0;          ///< of the steps after the second, which compiles and records
};

/// Trains the model's adapter. Shows progress on standard error; Ctrl-C ends it after a step.
Training train(const tg::models::LanguageModel& model, const Lessons& lessons,
               const TrainOptions& options);

}  // namespace lora

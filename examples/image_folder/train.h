// Training a network on a set of pictures, and counting what it recognises of another.
#pragma once

#include <cstdint>
#include <functional>

#include "../support/loss_curve.h"
#include "pictures.h"
#include "tg/models/vision.h"

namespace image_folder {

struct TrainOptions {
  int64_t size = 64;  ///< height and width of what the network sees; pictures are larger
  int64_t epochs = 10;
  int64_t batch = 32;
  double lr = 0.001;  ///< at the start; falls to 0 along a half cosine
  uint64_t seed = 1;
};

/// What a network makes of a set of pictures.
struct Score {
  int64_t right = 0, count = 0;
  double loss = 0;  ///< nats a picture
};

/// What became of a training.
struct Training {
  int64_t epochs = 0;  ///< fewer than asked for if it was interrupted
  examples::LossCurve training, validation;
  Score best;  ///< of the epoch that recognised most, the last among equals
};

/// Trains with parts of pictures at random places, half of them mirrored. After each epoch it
/// counts and prints; `on_best` is called where the network is the best so far. Ctrl-C ends it
/// after a step.
Training train(tg::models::ImageNetwork& network, const Split& pictures,
               const TrainOptions& options, const std::function<void()>& on_best);

}  // namespace image_folder

// Which samples make up each batch: shuffled indices by epoch, the same on every platform for the
// same seed; and, for programs that do not gather on the device, the host's part: a batch of images
// gathered and shifted at random. Reading data sets is in mnist.h.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tg::nn {

struct BatchOptions {
  int64_t batch = 32;
  uint64_t seed = 0;
  bool shuffle = true;
  bool drop_last = true;  ///< leave out the last batch of an epoch when it is not full
};

/// Batches of indices into a data set of `count` samples. A batch is a function of options and step
/// alone, so training can be resumed at any step; steps in order cost O(batch), a step in another
/// epoch O(count).
class BatchIndices {
 public:
  /// Throws ArgumentError if `count` or the batch size is not in 1…2^31-1, or if drop_last leaves
  /// no batch at all.
  BatchIndices(int64_t count, BatchOptions options);

  int64_t count() const { return count_; }
  int64_t batches_per_epoch() const { return batches_; }
  int64_t epoch_of(int64_t step) const { return step / batches_; }

  /// The indices of a step, counted over all epochs from 0; valid until the next call. Throws
  /// IndexError if it is negative.
  std::span<const int32_t> batch(int64_t step);

 private:
  void load_epoch(int64_t epoch);

  int64_t count_;
  BatchOptions options_;
  int64_t batches_;
  int64_t epoch_ = -1;
  std::vector<int32_t> order_;
};

/// The numbers 0…count-1 in an order that depends on seed and epoch only (Fisher-Yates with one
/// random number a position).
std::vector<int32_t> shuffled_indices(int64_t count, uint64_t seed, int64_t epoch);

/// A stack of images of one size, [count, height, width], one byte a pixel.
struct ImageStack {
  std::span<const uint8_t> pixels;
  int64_t height = 0;
  int64_t width = 0;

  int64_t image_size() const { return height * width; }
  int64_t count() const {
    return image_size() == 0 ? 0 : static_cast<int64_t>(pixels.size()) / image_size();
  }
};

/// How a gathered batch is shifted: each image by its own dx, dy in -max…max, drawn from seed and
/// step; what moves in is 0.
struct ShiftOptions {
  int64_t max_shift = 0;
  uint64_t seed = 0;
  int64_t step = 0;
};

/// The images at `indices`, shifted, as bytes [indices, height, width]. Throws IndexError for an
/// index outside the stack, ArgumentError for a negative shift or a stack whose pixels are no whole
/// number of images.
std::vector<uint8_t> gather_images(const ImageStack& images, std::span<const int32_t> indices,
                                   const ShiftOptions& shift = {});

/// The same as floats: pixel × scale + offset, the border too.
std::vector<float> gather_images_float(const ImageStack& images, std::span<const int32_t> indices,
                                       const ShiftOptions& shift = {}, float scale = 1.0F / 255,
                                       float offset = 0);

/// The labels at `indices`. Throws IndexError for an index outside.
std::vector<uint8_t> gather_labels(std::span<const uint8_t> labels,
                                   std::span<const int32_t> indices);

}  // namespace tg::nn

// Integer arithmetic only, so that every platform gives the same order.
#include "nn/data/loader.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "nn/data/counter_random.h"
#include "support/check.h"
#include "tg/error.h"

namespace tg::nn {

namespace {

constexpr int64_t kMaxCount = std::numeric_limits<int32_t>::max();
// Streams of one seed; epochs and steps count on from them.
constexpr uint64_t kShuffleStream = uint64_t{1} << 40;
constexpr uint64_t kShiftStream = uint64_t{2} << 40;

void require_in_range(std::string_view what, int64_t value) {
  if (value < 1 || value > kMaxCount)
    user_error<ArgumentError>(
        "BatchIndices", fmt::format("the {} must be from 1 to {}: {}", what, kMaxCount, value));
}

void require_valid(const ImageStack& images, std::span<const int32_t> indices,
                   const ShiftOptions& shift) {
  const int64_t size = images.image_size();
  if (images.height < 1 || images.width < 1 ||
      static_cast<int64_t>(images.pixels.size()) % size != 0)
    user_error<ArgumentError>("gather_images",
                              fmt::format("{} pixels are no whole number of images of {} x {}",
                                          images.pixels.size(), images.height, images.width));
  if (shift.max_shift < 0 || shift.max_shift > kMaxCount / 4)
    user_error<ArgumentError>("gather_images", fmt::format("max_shift must be from 0 to {}: {}",
                                                           kMaxCount / 4, shift.max_shift));
  for (int32_t index : indices)
    if (index < 0 || index >= images.count())
      user_error<IndexError>(
          "gather_images", fmt::format("index {} is outside of {} images", index, images.count()));
}

// `source` moved by (dx, dy) into `target`, which already holds the border.
template <typename T, typename Convert>
void copy_shifted(const uint8_t* source, T* target, const ImageStack& images, int64_t dx,
                  int64_t dy, Convert convert) {
  const int64_t first_x = std::max<int64_t>(0, dx);
  const int64_t last_x = std::min(images.width, images.width + dx);
  const int64_t first_y = std::max<int64_t>(0, dy);
  const int64_t last_y = std::min(images.height, images.height + dy);
  for (int64_t y = first_y; y < last_y; ++y)
    for (int64_t x = first_x; x < last_x; ++x)
      target[y * images.width + x] = convert(source[(y - dy) * images.width + (x - dx)]);
}

template <typename T, typename Convert>
std::vector<T> gather(const ImageStack& images, std::span<const int32_t> indices,
                      const ShiftOptions& shift, Convert convert) {
  require_valid(images, indices, shift);
  const int64_t size = images.image_size();
  const CounterRandom random(shift.seed, kShiftStream + static_cast<uint64_t>(shift.step));
  const auto choices = static_cast<uint64_t>(2 * shift.max_shift + 1);
  std::vector<T> out(indices.size() * static_cast<size_t>(size), convert(0));
  for (size_t i = 0; i < indices.size(); ++i) {
    const int64_t dx = static_cast<int64_t>(random.below(2 * i, choices)) - shift.max_shift;
    const int64_t dy = static_cast<int64_t>(random.below(2 * i + 1, choices)) - shift.max_shift;
    copy_shifted(images.pixels.data() + indices[i] * size,
                 out.data() + i * static_cast<size_t>(size), images, dx, dy, convert);
  }
  return out;
}

}  // namespace

std::vector<int32_t> shuffled_indices(int64_t count, uint64_t seed, int64_t epoch) {
  std::vector<int32_t> order(static_cast<size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  const CounterRandom random(seed, kShuffleStream + static_cast<uint64_t>(epoch));
  for (size_t i = order.size(); i-- > 1;) std::swap(order[i], order[random.below(i, i + 1)]);
  return order;
}

BatchIndices::BatchIndices(int64_t count, BatchOptions options)
    : count_(count), options_(options), batches_(0) {
  require_in_range("number of samples", count);
  require_in_range("batch size", options.batch);
  batches_ =
      options.drop_last ? count / options.batch : (count + options.batch - 1) / options.batch;
  if (batches_ == 0)
    user_error<ArgumentError>(
        "BatchIndices",
        fmt::format("a batch of {} is larger than the data set of {}", options.batch, count),
        "Hint: drop_last = false keeps the smaller batch.");
}

void BatchIndices::load_epoch(int64_t epoch) {
  if (epoch == epoch_) return;
  if (options_.shuffle) {
    order_ = shuffled_indices(count_, options_.seed, epoch);
  } else if (order_.empty()) {
    order_.resize(static_cast<size_t>(count_));
    std::iota(order_.begin(), order_.end(), 0);
  }
  epoch_ = epoch;
}

std::span<const int32_t> BatchIndices::batch(int64_t step) {
  if (step < 0)
    user_error<IndexError>("BatchIndices::batch",
                           fmt::format("the step must not be negative: {}", step));
  load_epoch(epoch_of(step));
  const int64_t begin = step % batches_ * options_.batch;
  const int64_t end = std::min(count_, begin + options_.batch);
  return std::span(order_).subspan(static_cast<size_t>(begin), static_cast<size_t>(end - begin));
}

std::vector<uint8_t> gather_images(const ImageStack& images, std::span<const int32_t> indices,
                                   const ShiftOptions& shift) {
  return gather<uint8_t>(images, indices, shift, [](uint8_t pixel) { return pixel; });
}

std::vector<float> gather_images_float(const ImageStack& images, std::span<const int32_t> indices,
                                       const ShiftOptions& shift, float scale, float offset) {
  return gather<float>(images, indices, shift,
                       [=](uint8_t pixel) { return static_cast<float>(pixel) * scale + offset; });
}

std::vector<uint8_t> gather_labels(std::span<const uint8_t> labels,
                                   std::span<const int32_t> indices) {
  std::vector<uint8_t> out;
  out.reserve(indices.size());
  for (int32_t index : indices) {
    if (index < 0 || static_cast<size_t>(index) >= labels.size())
      user_error<IndexError>("gather_labels",
                             fmt::format("index {} is outside of {} labels", index, labels.size()));
    out.push_back(labels[static_cast<size_t>(index)]);
  }
  return out;
}

}  // namespace tg::nn

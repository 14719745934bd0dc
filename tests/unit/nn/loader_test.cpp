// Batches of indices and the host's gather: every sample once an epoch, the same order everywhere,
// shifts in range and exact.
#include "nn/data/loader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <set>

#include "nn/data/counter_random.h"
#include "nn_test_util.h"

namespace tg::nn {
namespace {

std::vector<int32_t> copy(std::span<const int32_t> s) { return {s.begin(), s.end()}; }

class Shuffle : public testing::TestWithParam<int64_t> {};

TEST_P(Shuffle, IsAPermutation) {
  std::vector<int32_t> order = shuffled_indices(GetParam(), 5, 3);
  std::sort(order.begin(), order.end());
  for (size_t i = 0; i < order.size(); ++i) ASSERT_EQ(order[i], static_cast<int32_t>(i));
  EXPECT_EQ(static_cast<int64_t>(order.size()), GetParam());
}

INSTANTIATE_TEST_SUITE_P(Sizes, Shuffle, testing::Values(0, 1, 2, 3, 10, 1000, 60000));

TEST(ShuffleOrder, IsTheSameOnEveryPlatform) {
  EXPECT_EQ(shuffled_indices(8, 0, 0), shuffled_indices(8, 0, 0));
  EXPECT_EQ(shuffled_indices(10, 42, 0), (std::vector<int32_t>{6, 7, 5, 3, 8, 1, 4, 2, 0, 9}));
  EXPECT_EQ(shuffled_indices(10, 42, 1), (std::vector<int32_t>{3, 6, 7, 2, 5, 1, 8, 0, 4, 9}));
}

TEST(ShuffleOrder, ChangesWithSeedAndEpoch) {
  EXPECT_NE(shuffled_indices(100, 1, 0), shuffled_indices(100, 2, 0));
  EXPECT_NE(shuffled_indices(100, 1, 0), shuffled_indices(100, 1, 1));
}

TEST(ShuffleOrder, PutsEveryElementEverywhereEquallyOften) {
  // 4 elements in 4 places, 20,000 epochs: each cell expects 5000 with a deviation of 61.
  std::array<std::array<int, 4>, 4> seen{};
  for (int epoch = 0; epoch < 20000; ++epoch) {
    const std::vector<int32_t> order = shuffled_indices(4, 9, epoch);
    for (size_t place = 0; place < 4; ++place) ++seen[place][static_cast<size_t>(order[place])];
  }
  for (const auto& row : seen)
    for (int n : row) EXPECT_NEAR(n, 5000, 300);
}

TEST(CounterRandomNumbers, AreUniform) {
  const CounterRandom random(7, 1);
  std::array<int, 10> bins{};
  double sum = 0;
  for (uint64_t i = 0; i < 100'000; ++i) {
    const float u = random.uniform(i);
    ASSERT_GE(u, 0.0F);
    ASSERT_LT(u, 1.0F);
    sum += u;
    ++bins[random.below(i, 10)];
  }
  EXPECT_NEAR(sum / 100'000, 0.5, 0.005);
  for (int n : bins) EXPECT_NEAR(n, 10'000, 500);
}

TEST(CounterRandomNumbers, DifferBetweenStreamsAndSeeds) {
  std::set<uint64_t> values;
  for (uint64_t seed = 0; seed < 10; ++seed)
    for (uint64_t stream = 0; stream < 10; ++stream)
      for (uint64_t i = 0; i < 10; ++i) values.insert(CounterRandom(seed, stream).bits(i));
  EXPECT_EQ(values.size(), 1000u);
}

TEST(Batches, CoverEverySampleOnceAnEpoch) {
  BatchIndices batches(10, {.batch = 3, .seed = 1, .drop_last = false});
  EXPECT_EQ(batches.batches_per_epoch(), 4);
  for (int64_t epoch = 0; epoch < 3; ++epoch) {
    std::multiset<int32_t> seen;
    for (int64_t b = 0; b < 4; ++b) {
      const auto batch = batches.batch(epoch * 4 + b);
      EXPECT_EQ(batch.size(), b == 3 ? 1u : 3u);
      seen.insert(batch.begin(), batch.end());
    }
    EXPECT_EQ(seen.size(), 10u);
    EXPECT_EQ(std::set<int32_t>(seen.begin(), seen.end()).size(), 10u);
  }
}

TEST(Batches, DropTheLastPartialOne) {
  BatchIndices batches(10, {.batch = 3, .drop_last = true});
  EXPECT_EQ(batches.batches_per_epoch(), 3);
  for (int64_t step = 0; step < 9; ++step) EXPECT_EQ(batches.batch(step).size(), 3u);
  EXPECT_EQ(batches.epoch_of(2), 0);
  EXPECT_EQ(batches.epoch_of(3), 1);
}

TEST(Batches, KeepAFullLastOne) {
  for (bool drop : {false, true})
    EXPECT_EQ(BatchIndices(12, {.batch = 4, .drop_last = drop}).batches_per_epoch(), 3);
}

TEST(Batches, WithoutShufflingAreInOrder) {
  BatchIndices batches(5, {.batch = 2, .shuffle = false, .drop_last = false});
  EXPECT_EQ(copy(batches.batch(0)), (std::vector<int32_t>{0, 1}));
  EXPECT_EQ(copy(batches.batch(2)), (std::vector<int32_t>{4}));
  EXPECT_EQ(copy(batches.batch(3)), (std::vector<int32_t>{0, 1}));
}

TEST(Batches, DependOnTheStepAloneSoThatTrainingResumes) {
  BatchIndices forward(100, {.batch = 7, .seed = 3});
  std::vector<std::vector<int32_t>> all;
  for (int64_t step = 0; step < 50; ++step) all.push_back(copy(forward.batch(step)));
  BatchIndices backward(100, {.batch = 7, .seed = 3});
  for (int64_t step = 50; step-- > 0;)
    EXPECT_EQ(copy(backward.batch(step)), all[static_cast<size_t>(step)]) << step;
}

TEST(Batches, DifferBetweenEpochs) {
  BatchIndices batches(100, {.batch = 100});
  const std::vector<int32_t> first = copy(batches.batch(0));
  EXPECT_NE(copy(batches.batch(1)), first);
}

TEST(Batches, RefuseImpossibleSizes) {
  const auto refusal = [](int64_t count, BatchOptions options) {
    return message_of<ArgumentError>([&] { BatchIndices(count, options); });
  };
  EXPECT_EQ(refusal(0, {}), "BatchIndices: the number of samples must be from 1 to 2147483647: 0.");
  EXPECT_EQ(refusal(int64_t{1} << 31, {}),
            "BatchIndices: the number of samples must be from 1 to 2147483647: 2147483648.");
  EXPECT_EQ(refusal(5, {.batch = 0}),
            "BatchIndices: the batch size must be from 1 to 2147483647: 0.");
  EXPECT_EQ(refusal(5, {.batch = -2}),
            "BatchIndices: the batch size must be from 1 to 2147483647: -2.");
  EXPECT_EQ(refusal(5, {.batch = 6}),
            "BatchIndices: a batch of 6 is larger than the data set of 5. Hint: drop_last = false "
            "keeps the smaller batch.");
}

TEST(Batches, RefuseANegativeStep) {
  BatchIndices batches(5, {.batch = 1});
  EXPECT_EQ(message_of<IndexError>([&] { batches.batch(-1); }),
            "BatchIndices::batch: the step must not be negative: -1.");
}

// Images whose pixels tell image and position.
std::vector<uint8_t> numbered(int64_t count, int64_t size) {
  std::vector<uint8_t> pixels(static_cast<size_t>(count * size));
  for (size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<uint8_t>(1 + i % 250);
  return pixels;
}

TEST(Gather, WithoutShiftCopiesTheImages) {
  const std::vector<uint8_t> pixels = numbered(4, 6);
  const int32_t indices[] = {2, 0, 2};
  const std::vector<uint8_t> out = gather_images({pixels, 2, 3}, indices);
  ASSERT_EQ(out.size(), 18u);
  EXPECT_TRUE(std::equal(out.begin(), out.begin() + 6, pixels.begin() + 12));
  EXPECT_TRUE(std::equal(out.begin() + 6, out.begin() + 12, pixels.begin()));
  EXPECT_TRUE(std::equal(out.begin() + 12, out.end(), pixels.begin() + 12));
}

// The shift that turns `image` into `moved`, found by trying all; (99, 99) if none does.
std::pair<int, int> shift_between(const uint8_t* image, const uint8_t* moved, int h, int w,
                                  int max) {
  for (int dy = -max; dy <= max; ++dy)
    for (int dx = -max; dx <= max; ++dx) {
      bool same = true;
      for (int y = 0; y < h; ++y)
        for (int x = 0; x < w; ++x) {
          const bool inside = y - dy >= 0 && y - dy < h && x - dx >= 0 && x - dx < w;
          same &= moved[y * w + x] == (inside ? image[(y - dy) * w + (x - dx)] : 0);
        }
      if (same) return {dx, dy};
    }
  return {99, 99};
}

TEST(Gather, ShiftsEachImageByItsOwnAmount) {
  const std::vector<uint8_t> pixels = numbered(1, 7 * 9);
  const std::vector<int32_t> indices(500, 0);
  const std::vector<uint8_t> out =
      gather_images({pixels, 7, 9}, indices, {.max_shift = 2, .seed = 4, .step = 1});
  std::set<std::pair<int, int>> shifts;
  for (size_t i = 0; i < indices.size(); ++i)
    shifts.insert(shift_between(pixels.data(), out.data() + i * 63, 7, 9, 2));
  EXPECT_EQ(shifts.size(), 25u);
  EXPECT_FALSE(shifts.contains({99, 99}));
}

TEST(Gather, ShiftsTheSameForTheSameSeedAndStep) {
  const std::vector<uint8_t> pixels = numbered(8, 25);
  std::vector<int32_t> indices(8);
  std::iota(indices.begin(), indices.end(), 0);
  const ImageStack stack = {pixels, 5, 5};
  const auto at = [&](uint64_t seed, int64_t step) {
    return gather_images(stack, indices, {.max_shift = 2, .seed = seed, .step = step});
  };
  EXPECT_EQ(at(1, 1), at(1, 1));
  EXPECT_NE(at(1, 1), at(1, 2));
  EXPECT_NE(at(1, 1), at(2, 1));
}

TEST(Gather, ShiftsBeyondTheImageGiveTheBorder) {
  const std::vector<uint8_t> pixels = numbered(1, 4);
  const std::vector<int32_t> indices(200, 0);
  const std::vector<uint8_t> out = gather_images({pixels, 2, 2}, indices, {.max_shift = 10});
  EXPECT_GT(std::count(out.begin(), out.end(), 0), 600);
}

TEST(Gather, AsFloatsScalesAndOffsets) {
  const std::vector<uint8_t> pixels = {0, 255, 51, 102};
  const int32_t indices[] = {0};
  const ImageStack stack = {pixels, 2, 2};
  EXPECT_EQ(gather_images_float(stack, indices)[1], 255 * (1.0F / 255));
  EXPECT_EQ(gather_images_float(stack, indices, {}, 2.0F, -1.0F),
            (std::vector<float>{-1, 509, 101, 203}));
}

TEST(Gather, AsFloatsShiftsLikeTheBytes) {
  const std::vector<uint8_t> pixels = numbered(3, 16);
  const int32_t indices[] = {2, 1, 0, 1};
  const ImageStack stack = {pixels, 4, 4};
  const ShiftOptions shift = {.max_shift = 3, .seed = 8, .step = 5};
  const std::vector<uint8_t> bytes = gather_images(stack, indices, shift);
  EXPECT_EQ(gather_images_float(stack, indices, shift, 1.0F),
            std::vector<float>(bytes.begin(), bytes.end()));
}

TEST(Gather, OfNothingIsNothing) {
  const std::vector<uint8_t> pixels = numbered(1, 4);
  EXPECT_TRUE(gather_images({pixels, 2, 2}, {}).empty());
}

TEST(Gather, RefusesIndicesOutside) {
  const std::vector<uint8_t> pixels = numbered(3, 4);
  for (int32_t bad : {-1, 3}) {
    const int32_t indices[] = {0, bad};
    EXPECT_EQ(message_of<IndexError>([&] { gather_images({pixels, 2, 2}, indices); }),
              "gather_images: index " + std::to_string(bad) + " is outside of 3 images.");
    EXPECT_EQ(message_of<IndexError>([&] { gather_labels(std::span(pixels).first(3), indices); }),
              "gather_labels: index " + std::to_string(bad) + " is outside of 3 labels.");
  }
}

TEST(Gather, RefusesStacksAndShiftsThatMakeNoSense) {
  const std::vector<uint8_t> pixels = numbered(1, 5);
  EXPECT_EQ(message_of<ArgumentError>([&] { gather_images({pixels, 2, 2}, {}); }),
            "gather_images: 5 pixels are no whole number of images of 2 x 2.");
  EXPECT_EQ(message_of<ArgumentError>([&] { gather_images({pixels, 0, 2}, {}); }),
            "gather_images: 5 pixels are no whole number of images of 0 x 2.");
  EXPECT_EQ(
      message_of<ArgumentError>([&] { gather_images({pixels, 1, 5}, {}, {.max_shift = -1}); }),
      "gather_images: max_shift must be from 0 to 536870911: -1.");
}

TEST(Gather, TakesLabelsInOrder) {
  const std::vector<uint8_t> labels = {5, 6, 7};
  const int32_t indices[] = {2, 2, 0};
  EXPECT_EQ(gather_labels(labels, indices), (std::vector<uint8_t>{7, 7, 5}));
}

}  // namespace
}  // namespace tg::nn

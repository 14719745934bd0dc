// The digits that the library draws: reproducible, balanced, inside the frame, and different enough
// that a simple classifier tells them apart while no two are alike.
#include "nn/data/digits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>

#include "nn_test_util.h"

namespace tg::nn {
namespace {

constexpr size_t kSize = 28 * 28;

const DigitImages& sample() {
  static const DigitImages digits = drawn_digits(3000, 1);
  return digits;
}

const uint8_t* image(const DigitImages& d, size_t i) { return d.images.data() + i * kSize; }

TEST(DrawnDigits, HaveTheSizesOfADataSet) {
  EXPECT_EQ(sample().count(), 3000);
  EXPECT_EQ(sample().images.size(), 3000 * kSize);
}

TEST(DrawnDigits, NeverClaimToBeReal) {
  EXPECT_FALSE(sample().real);
  EXPECT_EQ(sample().source, "3000 drawn digits (seed 1)");
}

TEST(DrawnDigits, AreTheSameForTheSameSeed) {
  const DigitImages a = drawn_digits(20, 7), b = drawn_digits(20, 7);
  EXPECT_EQ(a.images, b.images);
  EXPECT_EQ(a.labels, b.labels);
}

TEST(DrawnDigits, DifferBetweenSeeds) {
  EXPECT_NE(drawn_digits(20, 7).images, drawn_digits(20, 8).images);
}

TEST(DrawnDigits, OfALongerSetBeginWithTheShorter) {
  const DigitImages shorter = drawn_digits(5, 7), longer = drawn_digits(9, 7);
  EXPECT_TRUE(std::equal(shorter.images.begin(), shorter.images.end(), longer.images.begin()));
}

TEST(DrawnDigits, ShowEveryDigitEquallyOften) {
  std::array<int, 10> count{};
  for (uint8_t label : sample().labels) ++count.at(label);
  for (int n : count) EXPECT_NEAR(n, 300, 80);
}

TEST(DrawnDigits, AreAllDifferent) {
  std::set<std::vector<uint8_t>> seen;
  for (size_t i = 0; i < 3000; ++i) seen.emplace(image(sample(), i), image(sample(), i) + kSize);
  EXPECT_EQ(seen.size(), 3000u);
}

TEST(DrawnDigits, HaveInkButNotTooMuch) {
  for (size_t i = 0; i < 3000; ++i) {
    const auto ink = std::count_if(image(sample(), i), image(sample(), i) + kSize,
                                   [](uint8_t p) { return p > 127; });
    ASSERT_GT(ink, 15) << i;
    ASSERT_LT(ink, 300) << i;
  }
}

TEST(DrawnDigits, StayInsideTheFrame) {
  size_t touching = 0;
  for (size_t i = 0; i < 3000; ++i) {
    bool edge = false;
    for (size_t k = 0; k < 28; ++k)
      edge |= image(sample(), i)[k] > 127 || image(sample(), i)[27 * 28 + k] > 127 ||
              image(sample(), i)[k * 28] > 127 || image(sample(), i)[k * 28 + 27] > 127;
    touching += edge;
  }
  EXPECT_LT(touching, 60u);
}

TEST(DrawnDigits, AreToldApartByTheirNearestNeighbour) {
  const DigitImages query = drawn_digits(200, 99);
  int right = 0;
  for (size_t q = 0; q < 200; ++q) {
    int64_t best = INT64_MAX;
    size_t nearest = 0;
    for (size_t i = 0; i < 3000; ++i) {
      int64_t distance = 0;
      for (size_t p = 0; p < kSize; ++p) {
        const int d = image(query, q)[p] - image(sample(), i)[p];
        distance += d * d;
      }
      if (distance < best) best = distance, nearest = i;
    }
    right += sample().labels[nearest] == query.labels[q];
  }
  EXPECT_GT(right, 180) << "of 200";
}

TEST(DrawnDigits, MayBeNone) { EXPECT_EQ(drawn_digits(0, 1).count(), 0); }

TEST(DrawnDigits, RefuseANegativeCount) {
  EXPECT_EQ(message_of<ArgumentError>([] { drawn_digits(-1, 1); }),
            "drawn_digits: the count must not be negative: -1.");
}

}  // namespace
}  // namespace tg::nn

// Data sets as tensors, and their batches.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "tg/datasets.h"
#include "tg/error.h"

namespace tg::datasets {
namespace {

TEST(DrawnDigits, AreBytesOfTheAskedNumbers) {
  const Digits d = drawn_digits({.drawn_train = 30, .drawn_test = 7});
  EXPECT_EQ(d.train.images.shape(), (Shape{30, 28, 28}));
  EXPECT_EQ(d.train.images.dtype(), DType::UInt8);
  EXPECT_EQ(d.train.labels.shape(), (Shape{30}));
  EXPECT_EQ(d.test.images.shape(), (Shape{7, 28, 28}));
  EXPECT_EQ(d.test.count, 7);
}

TEST(DrawnDigits, AreNeverCalledMnist) {
  const Digits d = drawn_digits({.drawn_train = 1, .drawn_test = 1});
  EXPECT_EQ(d.name, "drawn digits");
  EXPECT_EQ(d.source.find("MNIST"), std::string::npos);
}

TEST(DrawnDigits, TheTwoPartsDiffer) {
  const Digits d = drawn_digits({.drawn_train = 5, .drawn_test = 5});
  EXPECT_NE(d.train.images.to_vector<uint8_t>(), d.test.images.to_vector<uint8_t>());
}

TEST(BatchStream, AnEpochHasEverySampleOnce) {
  Batches batches(12, 4, 1);
  std::vector<int> seen;
  for (int i = 0; i < 3; ++i) {
    const auto b = batches.next().to_vector<int>();
    ASSERT_EQ(b.size(), 4U);
    seen.insert(seen.end(), b.begin(), b.end());
  }
  std::ranges::sort(seen);
  std::vector<int> all(12);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(seen, all);
}

TEST(BatchStream, TheSeedDecidesTheOrder) {
  Batches a(100, 10, 7), b(100, 10, 7), c(100, 10, 8);
  const auto first = a.next().to_vector<int>();
  EXPECT_EQ(first, b.next().to_vector<int>());
  EXPECT_NE(first, c.next().to_vector<int>());
}

TEST(BatchStream, GoesOnAfterTheEpoch) {
  Batches batches(5, 2, 1);
  for (int i = 0; i < 7; ++i) EXPECT_EQ(batches.next().shape(), (Shape{2}));
}

TEST(BatchStream, ABatchPicksRows) {
  const Tensor rows = Tensor::arange(12).reshape({6, 2});
  Batches batches(6, 3, 3);
  const Tensor index = batches.next();
  const auto i = index.to_vector<int>();
  const auto picked = rows[index].to_vector<int>();
  for (size_t k = 0; k < i.size(); ++k) {
    EXPECT_EQ(picked[2 * k], 2 * i[k]);
    EXPECT_EQ(picked[2 * k + 1], 2 * i[k] + 1);
  }
}

TEST(BatchStream, WrongSizesAreErrors) {
  EXPECT_THROW(Batches(10, 0, 1), ArgumentError);
  EXPECT_THROW(Batches(10, 11, 1), ArgumentError);
  EXPECT_THROW(Batches(0, 1, 1), ArgumentError);
}

}  // namespace
}  // namespace tg::datasets

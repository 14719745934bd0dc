// Elements in other arrangements, against loops and hand-computed values: windows, repeats, grids,
// borders up to a size, places of what is not 0; their slopes; axes of variable size.
#include <numeric>

#include "tg/symbolic.h"
#include "unit/tensor/support/tensor_test.h"

namespace tg {
namespace {

using namespace testing;

TEST(Unfold, GoesThroughTheWindowsOfAnAxis) {
  for (int64_t size = 0; size <= 5; ++size) {
    for (int64_t step = 1; step <= 6; ++step) {
      SCOPED_TRACE("size " + std::to_string(size) + ", step " + std::to_string(step));
      const int64_t count = (5 - size) / step + 1;
      Doubles want;
      for (int64_t a = 0; a < 2; ++a)
        for (int64_t w = 0; w < count; ++w)
          for (int64_t b = 0; b < 3; ++b)
            for (int64_t i = 0; i < size; ++i)
              want.push_back(static_cast<double>((a * 5 + w * step + i) * 3 + b));
      expect_values(counted({2, 5, 3}).unfold(1, size, step), {2, count, 3, size}, want);
    }
  }
}
TEST(Unfold, CountsAxesFromTheEndAndTakesHugeSteps) {
  expect_values(counted({4}).unfold(-1, 2, int64_t{1} << 60), {1, 2}, {0, 1});
}
TEST(Unfold, AddsWhatOverlaps) {
  Random random(1);
  expect_gradients([](const auto& x) { return x[0].unfold(0, 3, 2); }, {random.tensor({7, 2})});
}

TEST(RepeatInterleave, RepeatsEachElement) {
  expect_values(counted({2, 2}).repeat_interleave(3, 1), {2, 6},
                {0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3});
  expect_values(counted({2, 2}).repeat_interleave(2, 0), {4, 2}, {0, 1, 0, 1, 2, 3, 2, 3});
  expect_values(counted({2, 2}).repeat_interleave(2), {8}, {0, 0, 1, 1, 2, 2, 3, 3});
  expect_values(counted({2, 2}).repeat_interleave(0, -1), {2, 0}, {});
  expect_values(Tensor(7.0).repeat_interleave(2), {2}, {7, 7});
}
TEST(RepeatInterleave, AddsTheSlopesOfTheCopies) {
  Random random(2);
  expect_gradients([](const auto& x) { return x[0].repeat_interleave(3, 0); },
                   {random.tensor({2, 3})});
}
TEST(RepeatInterleave, KeepsAVariableSize) {
  const SymInt n = Variable("n", 1, 4).bind(3);
  const Tensor x = counted({4, 2})[{Slice(0, n)}];
  EXPECT_EQ(x.repeat_interleave(2, 0).to_vector<int>(),
            (std::vector<int>{0, 1, 0, 1, 2, 3, 2, 3, 4, 5, 4, 5}));
}

TEST(Diag, PutsAVectorOnTheDiagonal) {
  expect_values(counted({3}).diag(), {3, 3}, {0, 0, 0, 0, 1, 0, 0, 0, 2});
  expect_values(Tensor{true}.diag(), {1, 1}, {1});
  expect_values(counted({0}).diag(), {0, 0}, {});
  Random random(3);
  expect_gradients([](const auto& x) { return x[0].diag(); }, {random.tensor({4})});
}

TEST(PadTo, FillsAxesUp) {
  expect_values(counted({2, 2}).pad_to({3, -1}, 9), {3, 2}, {0, 1, 2, 3, 9, 9});
  expect_values(counted({2, 2}).pad_to({1, 3}), {1, 3}, {0, 1, 0});
  expect_values(counted({0}).pad_to({2}, 5), {2}, {5, 5});
  expect_values(Tensor(4.0).pad_to({}), {}, {4});
  Random random(4);
  expect_gradients([](const auto& x) { return x[0].pad_to({2, 5}, 7); }, {random.tensor({3, 2})});
}
TEST(PadTo, FillsWhatDoesNotExist) {
  const SymInt n = Variable("n", 1, 4).bind(3);
  const Tensor x = counted({4})[{Slice(0, n)}] + 1;
  expect_values(x.pad_to({5}, -1), {5}, {1, 2, 3, -1, -1});
  expect_values(x.pad_to({2}), {2}, {1, 2});
}

TEST(ShrinkTo, KeepsTheBeginnings) {
  expect_values(counted({2, 3}).shrink_to({-1, 2}), {2, 2}, {0, 1, 3, 4});
  expect_values(counted({2, 3}).shrink_to({0, 3}), {0, 3}, {});
  Random random(5);
  expect_gradients([](const auto& x) { return x[0].shrink_to({2, -1}); }, {random.tensor({3, 2})});
}
TEST(ShrinkTo, TakesVariableSizes) {
  const SymInt n = Variable("n", 1, 4).bind(3);
  const Tensor x = counted({4, 2}).shrink_to({n, -1});
  EXPECT_EQ(x.to_vector<int>(), (std::vector<int>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(x.shrink_to({n - 1, 1}).to_vector<int>(), (std::vector<int>{0, 2}));
  EXPECT_EQ(x.shrink_to({1, -1}).shape(), (Shape{1, 2}));
}
TEST(ShrinkTo, IsAViewThatCanBeAssigned) {
  const Tensor x = Tensor::zeros({2, 2});
  x.shrink_to({1, -1}).assign(Tensor::ones({1, 2}));
  expect_values(x, {2, 2}, {1, 1, 0, 0});
}

TEST(Meshgrid, ListsTheCoordinates) {
  const auto ij = Tensor::meshgrid({Tensor{1, 2}, Tensor{3, 4, 5}});
  expect_values(ij[0], {2, 3}, {1, 1, 1, 2, 2, 2});
  expect_values(ij[1], {2, 3}, {3, 4, 5, 3, 4, 5});
  const auto xy = Tensor::meshgrid({Tensor{1, 2}, Tensor{3, 4, 5}, Tensor(6)}, GridIndexing::Xy);
  expect_values(xy[0], {3, 2, 1}, {1, 2, 1, 2, 1, 2});
  expect_values(xy[1], {3, 2, 1}, {3, 3, 4, 4, 5, 5});
  expect_values(xy[2], {3, 2, 1}, {6, 6, 6, 6, 6, 6});
}
TEST(Meshgrid, TakesOneTensorAndEmptyOnes) {
  expect_values(Tensor::meshgrid({Tensor{1, 2}})[0], {2}, {1, 2});
  EXPECT_EQ(Tensor::meshgrid({Tensor{1, 2}, Tensor::zeros({0})})[0].shape(), (Shape{2, 0}));
}
TEST(Meshgrid, AddsTheSlopesOfTheOtherAxes) {
  Random random(6);
  expect_gradients(
      [](const auto& x) {
        const auto grid = Tensor::meshgrid({x[0], x[1]});
        return grid[0] * grid[1];
      },
      {random.tensor({3}), random.tensor({2})});
}

TEST(Nonzero, ListsThePlaces) {
  const Tensor x({{0, 5, 0}, {6, 0, -1}});
  const Tensor places = x.nonzero();
  expect_values(places, {3, 2}, {0, 1, 1, 0, 1, 2});
  EXPECT_EQ(places.dtype(), DType::Int32);
  expect_values(Tensor{true, false, true}.nonzero(), {2, 1}, {0, 2});
  expect_values(Tensor({{0.0, std::nan("")}}).nonzero(), {1, 2}, {0, 1});
}
TEST(Nonzero, HasAsManyRowsAsAskedFor) {
  const Tensor x({{0, 5, 0}, {6, 0, -1}});
  expect_values(x.nonzero({.size = 2}), {2, 2}, {0, 1, 1, 0});
  expect_values(x.nonzero({.size = 4, .fill_value = -7}), {4, 2}, {0, 1, 1, 0, 1, 2, -7, -7});
  // No whole number is NaN.
  const auto nan = std::nan("");
  expect_values(x.nonzero({.size = 4, .fill_value = nan}), {4, 2}, {0, 1, 1, 0, 1, 2, 0, 0});
}
TEST(Nonzero, TakesScalarsAndNothing) {
  EXPECT_EQ(Tensor(3).nonzero().shape(), (Shape{1, 0}));
  EXPECT_EQ(Tensor(0).nonzero().shape(), (Shape{0, 0}));
  EXPECT_EQ(Tensor::zeros({2, 0}).nonzero().shape(), (Shape{0, 2}));
  expect_values(Tensor::zeros({2, 0}).nonzero({.size = 1, .fill_value = 4}), {1, 2}, {4, 4});
}
TEST(Nonzero, LeavesOutWhatDoesNotExist) {
  const SymInt n = Variable("n", 1, 4).bind(2);
  const Tensor x = (counted({2, 4}) + 1)[{Slice(), Slice(0, n)}];
  expect_values(x.nonzero(), {4, 2}, {0, 0, 0, 1, 1, 0, 1, 1});
}

TEST(Bitcast, CutsAndJoinsElements) {
  const Tensor words{0x01020304, -1};
  const Tensor bytes = words.bitcast(DType::UInt8);
  expect_values(bytes, {8}, {4, 3, 2, 1, 255, 255, 255, 255});
  expect_values(bytes.bitcast(DType::Int32), {2}, {0x01020304, -1});
  expect_values(words.reshape({2, 1}).bitcast(DType::UInt16), {2, 2},
                {0x0304, 0x0102, 65535, 65535});
  expect_values(Tensor{1.0f}.bitcast(DType::UInt8).bitcast(DType::Float32), {1}, {1});
  EXPECT_EQ(Tensor::zeros({0, 2}, DType::Int8).bitcast(DType::Int16).shape(), (Shape{0, 1}));
}

}  // namespace
}  // namespace tg

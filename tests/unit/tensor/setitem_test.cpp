// Assignment through index tensors: repeated, negative and outside places, values that read the
// target, views, several assignments before anything is computed; selection by masks; padding,
// Einstein sums and scans at their ends. Values against PyTorch: reference_test.cpp.
#include <limits>

#include "unit/tensor/support/tensor_test.h"
#include "uop/shape.h"

namespace tg {
namespace {

using namespace testing;

TEST(SetItem, OfEqualPlacesTheLastWins) {
  const Tensor x = counted({4});
  x.set({Tensor{1, 3, 1}}, Tensor(Doubles{10, 20, 30}));
  expect_values(x, {4}, {0, 30, 2, 20});
}
TEST(SetItem, NegativePlacesCountFromTheEndAndOthersAreLeftOut) {
  const Tensor x = counted({4});
  x.set({Tensor{-1, 7, -9, 0}}, Tensor(Doubles{10, 20, 30, 40}));
  expect_values(x, {4}, {40, 1, 2, 10});
}
TEST(SetItem, SpreadsANumber) {
  const Tensor x = counted({2, 3});
  x.set({Slice(), Tensor{0, 2}}, -1);
  expect_values(x, {2, 3}, {-1, 1, -1, -1, 4, -1});
}
TEST(SetItem, ExchangesRowsOfItself) {
  const Tensor x = counted({3, 2});
  x.set({Tensor{0, 2}}, x[Tensor{2, 0}]);
  expect_values(x, {3, 2}, {4, 5, 2, 3, 0, 1});
}
TEST(SetItem, WritesThroughAView) {
  const Tensor x = counted({2, 4}), row = x[1];
  row.set({Tensor{3, 0}}, Tensor(Doubles{70, 40}));
  expect_values(row, {4}, {40, 5, 6, 70});
  expect_values(x, {2, 4}, {0, 1, 2, 3, 40, 5, 6, 70});
}
TEST(SetItem, WritesThroughATransposedView) {
  const Tensor x = counted({2, 3});
  x.T().set({Tensor{0, 2}, 1}, Tensor(Doubles{-1, -2}));
  expect_values(x, {2, 3}, {0, 1, 2, -1, 4, -2});
}
TEST(SetItem, SeveralInARowAreSeenInTheirOrder) {
  const Tensor x = counted({5});
  x.set({Tensor{0, 1}}, 10);
  x.set({Tensor{1, 2}}, 20);
  const Tensor between = (x * 1).contiguous().realize();
  x.set({Tensor{2, 3}}, x[Tensor{0, 0}] + 1);
  expect_values(between, {5}, {10, 20, 20, 3, 4});
  expect_values(x, {5}, {10, 20, 11, 11, 4});
}
TEST(SetItem, AnExpressionGetsStorage) {
  const Tensor x = counted({3}) * 2;
  x.set({Tensor{1}}, 9);
  expect_values(x, {3}, {0, 9, 4});
}
TEST(SetItem, AnEmptyIndexChangesNothing) {
  const Tensor x = counted({3});
  x.set({Tensor::zeros({0}, DType::Int32)}, 9);
  expect_values(x, {3}, {0, 1, 2});
}
TEST(SetItem, IndexTensorsAreBroadcastTogether) {
  const Tensor x = counted({3, 3});
  x.set({Tensor({{0}, {2}}), Tensor{0, 1}}, Tensor({{1., 2.}, {3., 4.}}).cast(DType::Float64));
  expect_values(x, {3, 3}, {1, 2, 2, 3, 4, 5, 3, 4, 8});
}
TEST(SetItem, RandomProgramsAgreeWithAPlainLoop) {
  Random random(77);
  for (int round = 0; round < 40; ++round) {
    const int64_t rows = random.whole(1, 5), columns = random.whole(1, 5), n = random.whole(1, 6);
    Doubles want = random.reals(rows * columns);
    const Tensor x(want, {rows, columns});
    const bool along_rows = random.whole(0, 1) == 0;
    std::vector<int64_t> index;
    for (int64_t i = 0; i < n; ++i) index.push_back(random.whole(-7, 7));
    const int64_t axis = along_rows ? rows : columns, other = along_rows ? columns : rows;
    const Doubles v = random.reals(n * other);
    const Tensor value(v, along_rows ? Shape{n, columns} : Shape{rows, n});
    for (int64_t i = 0; i < n; ++i) {
      const int64_t at =
          index[static_cast<size_t>(i)] + (index[static_cast<size_t>(i)] < 0 ? axis : 0);
      if (at < 0 || at >= axis) continue;
      for (int64_t k = 0; k < other; ++k) {
        const auto to = static_cast<size_t>(along_rows ? at * columns + k : k * columns + at);
        want[to] = v[static_cast<size_t>(along_rows ? i * columns + k : k * n + i)];
      }
    }
    if (along_rows) {
      x.set({Tensor(index)}, value);
    } else {
      x.set({Slice(), Tensor(index)}, value);
    }
    expect_values(x, {rows, columns}, want, 0);
  }
}
TEST(SetItem, KeepsEveryDtype) {
  for (DType t : {DType::Bool, DType::Int8, DType::UInt64, DType::Float16, DType::Fp8E5M2}) {
    const Tensor x = Tensor{0, 0, 0}.cast(t);
    x.set({Tensor{2}}, Tensor{1}.cast(t));
    EXPECT_EQ(x.dtype(), t);
    expect_values(x, {3}, {0, 0, 1});
  }
}

TEST(MaskedSelect, FillsAndCutsToTheSize) {
  const Tensor x = counted({5}), m = x > 1;
  expect_values(x.masked_select(m), {3}, {2, 3, 4});
  expect_values(x.masked_select(m, {.size = 5, .fill_value = -1}), {5}, {2, 3, 4, -1, -1});
  expect_values(x.masked_select(m, {.size = 2}), {2}, {2, 3});
  expect_values(x.masked_select(m, {.size = 0}), {0}, {});
}
TEST(MaskedSelect, BroadcastsItsMask) {
  const Tensor x = counted({2, 2});
  expect_values(x.masked_select(Tensor{true, false}), {2}, {0, 2});
  expect_values(x.masked_select(Tensor{false, false}), {0}, {});
  expect_values(Tensor::zeros({0}).masked_select(Tensor(true)), {0}, {});
}
TEST(MaskedSelect, SelectsManyInOrder) {
  Random random(5);
  const Tensor x = random.tensor({3000});
  Doubles want;
  for (double v : x.to_vector<double>()) {
    if (v > 0) want.push_back(v);
  }
  expect_values(x.masked_select(x > 0), {static_cast<int64_t>(want.size())}, want, 0);
}

TEST(PadModes, CropAndContinueAtOnce) {
  const Tensor x = counted({4});
  expect_values(x.pad({{-1, 2}}, PadMode::Replicate), {5}, {1, 2, 3, 3, 3});
  expect_values(x.pad({{2, -1}}, PadMode::Circular), {5}, {1, 2, 0, 1, 2});
  expect_values(x.pad({{0, 0}}, PadMode::Reflect), {4}, {0, 1, 2, 3});
  expect_values(x.pad({{2, -1}}, PadMode::Reflect), {5}, {2, 1, 0, 1, 2});
  expect_values(x.pad({{3, -3}}, PadMode::Reflect), {4}, {3, 2, 1, 0});
  expect_values(x.pad({{-4, 2}}, PadMode::Replicate), {2}, {3, 3});
}
TEST(PadModes, ContinueEachAxisAfterTheOther) {
  expect_values(counted({2, 2}).pad({{1, 0}, {0, 1}}, PadMode::Reflect), {3, 3},
                {2, 3, 2, 0, 1, 0, 2, 3, 2});
}

TEST(Einsum, TakesNumbersEmptyAxesAndDtypes) {
  const Tensor x = counted({2, 3});
  EXPECT_EQ(Tensor::einsum("ij->", {Tensor::ones({0, 3})}).item<float>(), 0);
  EXPECT_EQ(Tensor::einsum("i,->i", {Tensor{1, 2}, 3}).dtype(), DType::Int32);
  expect_values(Tensor::einsum(" i j , j -> i ", {x, Tensor(Doubles{1, 0, 2})}), {2}, {4, 13});
  const Tensor half = Tensor::ones({3}, DType::Float16);
  EXPECT_EQ(Tensor::einsum("i,i", {half, half}).dtype(), DType::Float16);
  expect_values(Tensor::einsum("i,i->i", {Tensor{true, true}, Tensor{true, false}}), {2}, {1, 0});
}
TEST(Einsum, IsAMatrixProductToTheLastBit) {
  Random random(3);
  const Tensor a = random.tensor({5, 7}).cast(DType::Float32),
               b = random.tensor({7, 4}).cast(DType::Float32);
  EXPECT_EQ(Tensor::einsum("ij,jk->ik", {a, b}).to_vector<float>(), a.matmul(b).to_vector<float>());
}

TEST(Scans, OfNothingAndOfOne) {
  EXPECT_EQ(Tensor::zeros({0}).cumsum().shape(), Shape{0});
  EXPECT_EQ(Tensor::zeros({3, 0}).cummax(1).first.shape(), (Shape{3, 0}));
  EXPECT_EQ(Tensor(2.5).cumsum().item<float>(), 2.5F);
  EXPECT_EQ(Tensor(2.5).cummax().second.item<int>(), 0);
  expect_values(Tensor{3}.logcumsumexp(), {1}, {3});
}
TEST(Scans, NanStaysFromItsPlaceOn) {
  const double nan = std::nan("");
  const auto [v, at] = Tensor(Doubles{1, 3, nan, 9, nan, 2}).cummax();
  expect_values(v, {6}, {1, 3, nan, nan, nan, nan});
  expect_values(at, {6}, {0, 1, 2, 2, 4, 4});
}
TEST(Scans, ExtremesCoverTheWholeRangeOfIntegers) {
  const int64_t low = std::numeric_limits<int64_t>::min();
  const Tensor x(std::vector<int64_t>{5, low, 7});
  EXPECT_EQ(x.cummin().first.to_vector<int64_t>(), (std::vector<int64_t>{5, low, low}));
  EXPECT_EQ(x.cummax().first.to_vector<int64_t>(), (std::vector<int64_t>{5, 5, 7}));
}
TEST(Scans, LongSumsKeepTheirPrecision) {
  constexpr int64_t kCount = 100000;
  const Tensor x = Tensor::full({kCount}, 0.1F);
  const float last = x.cumsum()[-1].item<float>();
  EXPECT_NEAR(last, kCount * static_cast<double>(0.1F), 0.02);
}
TEST(Scans, LogSumsSurviveWhatOverflowsAndWhatVanishes) {
  const double inf = std::numeric_limits<double>::infinity();
  expect_values(Tensor(Doubles{-inf, -inf, 1000, 1000, -5000}).logcumsumexp(), {5},
                {-inf, -inf, 1000, 1000 + std::log(2), 1000 + std::log(2)}, 1e-12);
}

TEST(Linspace, HitsBothEnds) {
  for (double stop : {1.0, 0.3, -7.7, 1e6}) {
    const auto v = Tensor::linspace(0.1, stop, 7, {.dtype = DType::Float64}).to_vector<double>();
    EXPECT_EQ(v.front(), 0.1);
    EXPECT_EQ(v.back(), stop);
  }
  expect_values(Tensor::linspace(0, 10, 5, {.dtype = DType::Int32}), {5}, {0, 2, 5, 7, 10});
  expect_values(Tensor::linspace(3, 9, 1), {1}, {3});
  expect_values(Tensor::linspace(3, 9, 0), {0}, {});
}
TEST(Threefry, IsTheGeneratorOfRand) {
  const Tensor c = Tensor(std::vector<uint64_t>{0, 1, 0xffffffffffffffff}),
               key = Tensor(std::vector<uint64_t>{0, 0, 0xffffffffffffffff});
  // Salmon et al., known-answer tests of Random123: zeros, and all bits set.
  const auto got = c.threefry(key).to_vector<uint64_t>();
  EXPECT_EQ(got[0], 0x99ba4efe6b200159u);
  EXPECT_EQ(got[2], 0xbb002be71cb996fcu);
}

// What is set flows on to gradients, as it does where the same is written with pad() and where().
Tensor counted_floats(const Shape& shape, double first) {
  return (Tensor::arange(numel(shape)).cast(DType::Float64) + first).reshape(shape);
}
std::vector<double> slopes(const Tensor& loss, const Tensor& x) {
  return loss.gradient({x})[0].to_vector<double>();
}

TEST(SetItemGradient, ReachesTheValueAndWhatStays) {
  const Tensor x = counted_floats({6}, 1).realize(), v = counted_floats({2}, 10).realize();
  const Tensor z = x * 3;
  z.set({Slice(1, 5, 2)}, v * 2);
  const auto grads = (z * z).sum().gradient({x, v});
  EXPECT_EQ(grads[0].to_vector<double>(), (std::vector<double>{18, 0, 54, 0, 90, 108}));
  EXPECT_EQ(grads[1].to_vector<double>(), (std::vector<double>{80, 88}));
}
TEST(SetItemGradient, OfWindowsThatOverlapIsThatOfTheLast) {
  const Tensor a = counted_floats({4}, 0).realize(), b = counted_floats({4}, 0).realize();
  const Tensor z = Tensor::zeros({6}, DType::Float64);
  z.set({Slice(0, 4)}, a);
  z.set({Slice(2)}, b);
  const Tensor loss = (z * counted_floats({6}, 1)).sum();
  EXPECT_EQ(slopes(loss, a), (std::vector<double>{1, 2, 0, 0}));
  EXPECT_EQ(slopes(loss, b), (std::vector<double>{3, 4, 5, 6}));
}
TEST(SetItemGradient, IsSeenByBackward) {
  const Tensor x = Tensor{1.f, 2.f}, z = Tensor::zeros({2, 2});
  z.set({Slice(), 0}, x);
  z.set({Slice(), 1}, x * 2);
  z.sum().backward();
  EXPECT_EQ(x.grad().to_vector<float>(), (std::vector<float>{3, 3}));
}
TEST(SetItemGradient, GoesThroughIndexTensorsAndMasks) {
  const Tensor v = counted_floats({2}, 1).realize(), x = counted_floats({4}, 5).realize();
  const Tensor picked = x * 1;
  picked.set({Tensor{3, 0}}, v);
  EXPECT_EQ(slopes((picked * counted_floats({4}, 1)).sum(), v), (std::vector<double>{4, 1}));
  EXPECT_EQ(slopes((picked * counted_floats({4}, 1)).sum(), x), (std::vector<double>{0, 2, 3, 0}));
  const Tensor masked = x * 1;
  masked.set({Tensor{true, false, false, true}}, v);
  EXPECT_EQ(slopes((masked * counted_floats({4}, 1)).sum(), v), (std::vector<double>{1, 4}));
}
TEST(SetItemGradient, IsThatOfFiniteDifferences) {
  const auto loss_of = [](const Tensor& x) {
    const Tensor rows = Tensor::zeros({3, 4}, DType::Float64);
    Tensor h = x;
    for (int t = 0; t < 3; ++t) {
      h = (h * 0.5 + 0.1 * t).tanh();
      rows.set({t}, h);
    }
    rows.set({Slice(0, 2), Slice(1, 3)}, x[Slice(0, 2)] * x[Slice(2, 4)]);
    return (rows * rows * counted_floats({3, 4}, 1)).sum();
  };
  const Tensor x(std::vector<double>{0.3, -0.2, 0.7, 1.1}, Shape{4});
  const std::vector<double> exact = slopes(loss_of(x), x), at = x.to_vector<double>();
  for (size_t i = 0; i < 4; ++i) {
    const auto shifted = [&](double by) {
      std::vector<double> moved = at;
      moved[i] += by;
      return loss_of(Tensor(moved, Shape{4})).item<double>();
    };
    EXPECT_NEAR(exact[i], (shifted(1e-5) - shifted(-1e-5)) / 2e-5, 1e-7);
  }
}
TEST(SetItemGradient, GoesThroughAssignments) {
  const Tensor w = Tensor{1.f, 2.f}, x = Tensor{3.f, 4.f};
  w.assign(w + x);
  (w * w).sum().backward();
  EXPECT_EQ(w.grad().to_vector<float>(), (std::vector<float>{8, 12}));
  EXPECT_EQ(x.grad().to_vector<float>(), (std::vector<float>{8, 12}));
}
TEST(SetItemGradient, GoesThroughUpdatesOfParts) {
  const Tensor x = Tensor{1.f, 2.f}, z = Tensor::zeros({4}).contiguous().realize();
  z[{Slice(1, 3)}] += x;
  z[{Slice(0, 2)}] *= 2;
  (z * Tensor{1.f, 2.f, 3.f, 4.f}).sum().backward();
  EXPECT_EQ(x.grad().to_vector<float>(), (std::vector<float>{4, 3}));
}
TEST(SetItemGradient, StopsWithoutGradients) {
  const Tensor x = Tensor{3.f, 4.f}, z = Tensor::zeros({2});
  {
    const NoGradScope scope;
    z.set({Slice()}, x);
  }
  z.sum().backward();
  EXPECT_FALSE(x.has_grad());
}

}  // namespace
}  // namespace tg

// Axes in other sizes, against a formula of floats for each mode, dtype and choice of ends; and
// that the slopes are the weights.
#include <cmath>

#include "tg/symbolic.h"
#include "unit/tensor/support/tensor_test.h"

namespace tg {
namespace {

using namespace testing;

// The place of result i on an axis of `old` elements, as PyTorch says.
double source_place(int64_t i, int64_t old, int64_t size, bool align_corners) {
  const auto at = static_cast<double>(i), n = static_cast<double>(old);
  if (align_corners) return size > 1 ? at * (n - 1) / static_cast<double>(size - 1) : 0;
  return std::clamp((at + 0.5) * n / static_cast<double>(size) - 0.5, 0.0, n - 1);
}

Doubles linear(const Doubles& x, int64_t size, bool align_corners) {
  Doubles out;
  const auto n = static_cast<int64_t>(x.size());
  for (int64_t i = 0; i < size; ++i) {
    const double at = source_place(i, n, size, align_corners);
    const auto low = static_cast<size_t>(at), high = std::min(low + 1, x.size() - 1);
    const double weight = at - static_cast<double>(low);
    out.push_back(x[low] * (1 - weight) + x[high] * weight);
  }
  return out;
}

Doubles nearest(const Doubles& x, int64_t size, double shift) {
  Doubles out;
  const double scale = static_cast<double>(x.size()) / static_cast<double>(size);
  for (int64_t i = 0; i < size; ++i)
    out.push_back(x[static_cast<size_t>((static_cast<double>(i) + shift) * scale)]);
  return out;
}

TEST(Interpolate, WeighsTheNeighbours) {
  Random random(1);
  for (int64_t old = 1; old <= 7; ++old) {
    for (int64_t size = 1; size <= 15; ++size) {
      const Doubles x = random.reals(old);
      for (const bool align : {false, true}) {
        SCOPED_TRACE(std::to_string(old) + " to " + std::to_string(size));
        const Tensor y = Tensor(x, {old}, {.dtype = DType::Float32})
                             .interpolate({size}, InterpolateMode::Linear, align);
        expect_values(y, {size}, linear(x, size, align), 1e-5);
      }
    }
  }
}
TEST(Interpolate, TakesTheNearest) {
  Random random(2);
  for (int64_t old = 1; old <= 7; ++old) {
    for (int64_t size = 1; size <= 15; ++size) {
      SCOPED_TRACE(std::to_string(old) + " to " + std::to_string(size));
      const Doubles x = random.reals(old);
      expect_values(Tensor(x).interpolate({size}, InterpolateMode::Nearest), {size},
                    nearest(x, size, 0));
      expect_values(Tensor(x).interpolate({size}, InterpolateMode::NearestExact), {size},
                    nearest(x, size, 0.5));
    }
  }
}
TEST(Interpolate, GoesAlongTheLastAxes) {
  Random random(3);
  const Tensor x = random.tensor({2, 3, 4});
  const Tensor y = x.interpolate({5, 6});
  ASSERT_EQ(y.shape(), (Shape{2, 5, 6}));
  const Tensor one_by_one = x.interpolate({6}).transpose(1, 2).interpolate({5}).transpose(1, 2);
  expect_values(y, {2, 5, 6}, one_by_one.to_vector<double>());
}
TEST(Interpolate, KeepsTheDtype) {
  for (const DType t : {DType::Bool, DType::UInt8, DType::Int16, DType::Int64, DType::Float16,
                        DType::BFloat16, DType::Float32, DType::Float64}) {
    const Tensor x = Tensor{1, 0, 1}.cast(t);
    for (const auto mode :
         {InterpolateMode::Linear, InterpolateMode::Nearest, InterpolateMode::NearestExact})
      EXPECT_EQ(x.interpolate({5}, mode).dtype(), t) << dtype_name(t);
  }
}
TEST(Interpolate, RoundsIntegers) {
  expect_values(Tensor{0, 10, 21}.interpolate({5}, InterpolateMode::Linear, true), {5},
                {0, 5, 10, 15, 21});
  expect_values(Tensor{0, -5}.interpolate({4}), {4}, {0, -1, -3, -5});
  const Tensor bytes = Tensor{0, 10, 20}.cast(DType::UInt8);
  expect_values(bytes.interpolate({4}, InterpolateMode::Linear, true), {4}, {0, 7, 13, 20});
}
// What lies beyond an end has no weight, whatever is there.
TEST(Interpolate, KeepsInfinitiesWhereTheyAre) {
  const double inf = std::numeric_limits<double>::infinity();
  const Tensor x(Doubles{inf, 1, 2}, {3});
  expect_values(x.interpolate({3}), {3}, {inf, 1, 2});
}
TEST(Interpolate, HasTheWeightsAsSlopes) {
  Random random(4);
  for (const int64_t size : {1, 2, 3, 5, 8}) {
    for (const bool align : {false, true})
      expect_gradients(
          [&](const auto& x) {
            return x[0].interpolate({size, 3}, InterpolateMode::Linear, align);
          },
          {random.tensor({2, 3, 4})});
    for (const auto mode : {InterpolateMode::Nearest, InterpolateMode::NearestExact})
      expect_gradients([&](const auto& x) { return x[0].interpolate({size}, mode); },
                       {random.tensor({2, 5})});
  }
}
// Vectors of places and what is behind them, in ratios whose quotients repeat after a vector, after
// several, after all of them and never.
TEST(Interpolate, OfLongAxesIsTheSame) {
  Random random(5);
  for (const auto& [old, size] : {std::pair<int64_t, int64_t>{64, 96},
                                  {64, 100},
                                  {96, 64},
                                  {64, 192},
                                  {48, 240},
                                  {100, 64},
                                  {63, 105},
                                  {83, 97},
                                  {120, 40}}) {
    SCOPED_TRACE(std::to_string(old) + " to " + std::to_string(size));
    const Doubles x = random.reals(old), seed = random.reals(size);
    const auto slope_of = [&](const Doubles& weighed) {
      double sum = 0;
      for (size_t i = 0; i < seed.size(); ++i) sum += weighed[i] * seed[i];
      return sum;
    };
    for (const auto mode : {InterpolateMode::Linear, InterpolateMode::Nearest}) {
      const bool is_linear = mode == InterpolateMode::Linear;
      const auto formula = [&](const Doubles& v) {
        return is_linear ? linear(v, size, false) : nearest(v, size, 0);
      };
      const Tensor from(x, {old}, {.dtype = DType::Float32});
      const Tensor y = from.interpolate({size}, mode);
      expect_values(y, {size}, formula(x), 1e-5);
      Doubles slopes;
      for (size_t i = 0; i < x.size(); ++i) {
        Doubles unit(x.size());
        unit[i] = 1;
        slopes.push_back(slope_of(formula(unit)));
      }
      const Tensor weights(seed, {size}, {.dtype = DType::Float32});
      expect_values((y * weights).sum().gradient({from})[0], {old}, slopes, 1e-5);
    }
  }
}
TEST(Interpolate, TakesEmptyBatchesAndGivesNothing) {
  EXPECT_EQ(Tensor::zeros({0, 3}).interpolate({5}).shape(), (Shape{0, 5}));
  for (const auto mode : {InterpolateMode::Linear, InterpolateMode::Nearest})
    EXPECT_EQ(Tensor::zeros({2, 3}).interpolate({0}, mode).to_vector<float>().size(), 0u);
}
TEST(Interpolate, LeavesVariableAxesInFront) {
  const SymInt n = Variable("n", 1, 4).bind(2);
  const Tensor x = Tensor({{1., 3.}, {5., 7.}, {0., 0.}, {0., 0.}})[{Slice(0, n)}];
  EXPECT_EQ(x.interpolate({4}).to_vector<double>(), (Doubles{1, 1.5, 2.5, 3, 5, 5.5, 6.5, 7}));
}
TEST(Interpolate, CountsFarPlacesRight) {
  const int64_t n = 60000;  // n² has no room in 32 bits
  const Tensor y =
      Tensor::arange(static_cast<double>(n)).interpolate({n}, InterpolateMode::Nearest);
  EXPECT_EQ(y[n - 1].item<int>(), n - 1);
}

}  // namespace
}  // namespace tg

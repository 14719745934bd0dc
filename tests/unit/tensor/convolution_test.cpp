// Convolutions of small numbers on the processor, where dot instructions or tile registers take
// them if it has such, against the same in float32, which they never take: whole numbers, so that
// both are exact. Schedules for those instructions on any machine: codegen/tile_registers_test.cpp.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <random>

#include "support/effort.h"
#include "support/seeds_of_the_day.h"
#include "tg/tensor.h"

namespace tg {
namespace {

Tensor whole_numbers(std::mt19937_64& rng, const Shape& shape) {
  int64_t n = 1;
  for (int64_t d : shape) n *= d;
  std::vector<float> values(static_cast<size_t>(n));
  for (float& v : values) v = static_cast<float>(static_cast<int>(rng() % 15) - 7);
  return Tensor(std::span<const float>(values), shape, {.device = "CPU"});
}

struct ConvolutionOf {
  int64_t images, groups, channels, filters, height, width, side, stride, padding;

  // Images and filters are numbers of `stored`, and what is multiplied numbers of `sum`.
  std::vector<float> values(uint64_t seed, DType stored, DType sum) const {
    std::mt19937_64 rng(seed);
    const auto as_stored = [&](const Shape& shape) {
      return whole_numbers(rng, shape).cast(stored).contiguous().realize().cast(sum);
    };
    const Tensor x = as_stored({images, groups * channels, height, width}),
                 w = as_stored({groups * filters, channels, side, side});
    return x.conv2d(w, {.groups = groups, .stride = {stride}, .padding = {padding}})
        .cast(DType::Float32)
        .to_vector<float>();
  }
  void expect_same(uint64_t seed) const {
    SCOPED_TRACE(
        fmt::format("seed {}: [{}, {}x{}, {}, {}], {} filters {}x{}, stride {}, padding {}", seed,
                    images, groups, channels, height, width, filters, side, side, stride, padding));
    const std::vector<float> want = values(seed, DType::Float32, DType::Float32);
    EXPECT_EQ(values(seed, DType::BFloat16, DType::Float32), want) << "bfloat16";
    EXPECT_EQ(values(seed, DType::Int8, DType::Int32), want) << "int8";
  }
};

TEST(SmallConvolutions, AreThoseOfFloat32) {
  const uint64_t first = test::first_seed();
  for (uint64_t seed = first; seed < first + test::trials(10); ++seed) {
    std::mt19937_64 rng(seed);
    const auto pick = [&](std::initializer_list<int64_t> of) {
      return of.begin()[rng() % of.size()];
    };
    const int64_t side = pick({1, 2, 3});
    ConvolutionOf{pick({1, 2}),
                  pick({1, 1, 2}),
                  pick({16, 31, 32, 64}),
                  pick({16, 20, 33, 64}),
                  pick({3, 6, 9}),
                  pick({13, 16, 18, 34}),
                  side,
                  pick({1, 1, 2}),
                  pick({0, 1})}
        .expect_same(seed);
  }
}

// With one group of terms and rows that are peeled, nine tiles would be kept at once.
TEST(SmallConvolutions, KeepNoTileWhileALoopRuns) {
  ConvolutionOf{2, 1, 31, 33, 6, 18, 1, 1, 0}.expect_same(1);
  ConvolutionOf{3, 3, 32, 33, 16, 34, 1, 1, 1}.expect_same(2);
}

}  // namespace
}  // namespace tg

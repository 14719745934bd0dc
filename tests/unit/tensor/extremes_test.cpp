// Numbers at the ends of their range: results that are right or errors that say what is wrong,
// never an overflow on the way.
#include <limits>

#include "unit/tensor/support/tensor_test.h"

namespace tg {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max(),
                  kMin = std::numeric_limits<int64_t>::min();

TEST(Extremes, ChunksBeyondTheAxisAreOneElementEach) {
  EXPECT_EQ((Tensor{1, 2, 3}.chunk(kMax).size()), 3u);
  EXPECT_EQ((Tensor{1, 2, 3}.split(kMax).size()), 1u);
}
TEST(Extremes, SizesOfASplitThatWrapAroundDoNotAddUp) {
  EXPECT_THROW((Tensor{1, 2}.split({kMax, kMax, 4})), ShapeError);
}
TEST(Extremes, StepsBeyondTheAxisKeepOneElement) {
  const Tensor x{1, 2, 3};
  EXPECT_EQ(x[Slice(std::nullopt, std::nullopt, kMax)].to_vector<int>(), std::vector<int>{1});
  EXPECT_EQ(x[Slice(std::nullopt, std::nullopt, kMin)].to_vector<int>(), std::vector<int>{3});
  EXPECT_EQ(x[Slice(kMin, kMax)].to_vector<int>(), (std::vector<int>{1, 2, 3}));
  EXPECT_THROW(x.index({kMin}), IndexError);
}
TEST(Extremes, PaddingThatCannotBeCountedIsRefused) {
  const Tensor x{1, 2, 3};
  EXPECT_THROW(x.pad({{kMin, 0}}), ShapeError);
  EXPECT_THROW(x.pad({{kMin, kMin}}), ShapeError);
  EXPECT_THROW(x.pad({{kMax, 1}}), ShapeError);
  EXPECT_THROW(x.pad({{kMax, kMax}}), ShapeError);
}
TEST(Extremes, WindowsOfMoreThanTheLimitAreRefused) {
  const Tensor x = Tensor::ones({1, 1, 4, 4});
  EXPECT_THROW(x.max_pool2d({.kernel_size = kMax, .padding = kMax}), ArgumentError);
  EXPECT_THROW(x.avg_pool2d({.stride = kMax}), ArgumentError);
  EXPECT_THROW(x.conv2d(x, {.dilation = kMax}), ArgumentError);
  EXPECT_THROW(x.conv_transpose2d(x, {.output_padding = kMax}), ArgumentError);
}

}  // namespace
}  // namespace tg

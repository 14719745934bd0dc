// Which loads prefetch the next row: those of the last of several loops over a row, if it computes
// enough.
#include "renderer/c_ahead.h"

#include <gtest/gtest.h>

#include "kernels.h"

namespace tg::testing {
namespace {

TEST(Ahead, TheLastLoopOverARowPrefetchesTheNext) {
  const LinearKernel k = row_twice(16);
  const auto ahead = c_ahead(k);
  ASSERT_EQ(ahead.size(), 1u);
  const auto& [load, elements] = *ahead.begin();
  EXPECT_EQ(elements, 256);
  EXPECT_EQ(load->src()[1]->src()[1]->src()[0]->arg()[0], 2) << "the load of the second loop";
}
TEST(Ahead, LoopsThatWaitForMemoryThemselvesPrefetchNothing) {
  EXPECT_TRUE(c_ahead(row_twice(12)).empty());
}
TEST(Ahead, ShortAndLongRowsAreLeftAlone) {
  EXPECT_TRUE(c_ahead(row_twice(16, 128, 128)).empty());
  EXPECT_TRUE(c_ahead(row_twice(16, 1 << 16, 1 << 16)).empty());
}
TEST(Ahead, PartsOfRowsAreLeftAlone) { EXPECT_TRUE(c_ahead(row_twice(16, 512, 256)).empty()); }
TEST(Ahead, OneLoopOverARowPrefetchesNothing) {
  EXPECT_TRUE(c_ahead(row_sum()).empty());
  EXPECT_TRUE(c_ahead(streamed_rows()).empty());
}
TEST(Ahead, BothRenderersSayIt) {
  const LinearKernel k = row_twice(16);
  EXPECT_NE(render_c({&k, 1}).find("__builtin_prefetch(p1 + "), std::string::npos);
  EXPECT_NE(render_llvm(k, {}).find("call void @llvm.prefetch.p0(ptr %ahead0"), std::string::npos);
}

}  // namespace
}  // namespace tg::testing

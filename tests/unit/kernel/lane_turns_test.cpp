// Periods of index expressions, by counting.
#include "kernel/lane_turns.h"

#include <gtest/gtest.h>

#include "rules/index.h"
#include "support/kernel_names.h"
#include "tg/ir/walk.h"

namespace tg {
namespace {

using test::over;
using test::rest;

const UOp kAt = range(600, 0), kOther = range(7, 1);

int64_t value_at(const UOp& index, int64_t at) {
  const UOp here = substitute(index, {{kAt.node(), index_const(at)}, {kOther.node(), index_const(3)}});
  return IndexSimplifier()(here).arg(0);
}

// Whether the index grows by the same amount over every `period` places.
bool repeats(const UOp& index, int64_t period) {
  const int64_t growth = value_at(index, period) - value_at(index, 0);
  for (int64_t i = 0; i < 100; ++i) {
    if (value_at(index, i + period) - value_at(index, i) != growth) return false;
  }
  return true;
}

TEST(Periods, AreTheLeastAfterWhichAnIndexRepeats) {
  const std::vector<UOp> indices = {
      kAt * 5 + 3,
      over(kAt, 3),
      over(kAt * 2 + 1, 6),
      over(kAt * 4 + kOther * 3, 6),
      rest(kAt * 3, 5),
      over(kAt, 2) * 9 + rest(kAt, 4),
      over(kAt + over(kAt + 1, 2), 9),
      rest(over(kAt * 32 + 41, 50), 4),
  };
  for (const UOp& index : indices) {
    const int64_t period = period_of(index, kAt);
    ASSERT_GT(period, 0);
    EXPECT_TRUE(repeats(index, period)) << period;
    for (int64_t less = 1; less < period; ++less) EXPECT_FALSE(repeats(index, less)) << less;
  }
}
TEST(Periods, OfWhatDoesNotDependOnTheRangeAreOne) {
  EXPECT_EQ(period_of(over(kOther, 3), kAt), 1);
}
TEST(Periods, OfDataAndOfProductsAreNotSeen) {
  const UOp table = load(param(0, {600}, DType::Index), std::vector<UOp>{kAt});
  EXPECT_EQ(period_of(table, kAt), 0);
  EXPECT_EQ(period_of(kAt * kAt, kAt), 0);
  EXPECT_EQ(period_of(over(kAt, int64_t{1} << 40), kAt), 0);
}

TEST(LaneTurns, AreVectorsUntilAPeriodBeginsInLaneZero) {
  EXPECT_EQ(lane_turns(2, 1000, 16), 1);
  EXPECT_EQ(lane_turns(3, 1000, 16), 3);
  EXPECT_EQ(lane_turns(6, 1000, 16), 3);
  EXPECT_EQ(lane_turns(32, 1000, 16), 2);
}
TEST(LaneTurns, AreTheWholeAxisWhereThatIsShorter) { EXPECT_EQ(lane_turns(25, 100, 16), 7); }
TEST(LaneTurns, EndSomewhere) { EXPECT_EQ(lane_turns(1021, 100000, 16), 0); }

}  // namespace
}  // namespace tg

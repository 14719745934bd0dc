// The memory planner: values that live together never overlap, peaks are close to what must live at
// once, and kernels write over an input only where each element is read at its own place.
#include <gtest/gtest.h>

#include <random>

#include "schedule/memory_plan.h"
#include "support/seeds_of_the_day.h"
#include "tg/ir/walk.h"

namespace tg {
namespace {

void expect_sound(const std::vector<Lifetime>& values, const MemoryPlan& plan) {
  ASSERT_EQ(plan.offsets.size(), values.size());
  EXPECT_GE(plan.bytes, plan.lower_bound);
  for (size_t a = 0; a < values.size(); ++a) {
    EXPECT_EQ(plan.offsets[a] % kPlanAlignment, 0);
    EXPECT_LE(plan.offsets[a] + values[a].bytes, plan.bytes);
    for (size_t b = 0; b < a; ++b) {
      const bool together = values[a].first <= values[b].last && values[b].first <= values[a].last;
      const bool apart = plan.offsets[a] + values[a].bytes <= plan.offsets[b] ||
                         plan.offsets[b] + values[b].bytes <= plan.offsets[a];
      ASSERT_TRUE(!together || apart || values[a].bytes == 0 || values[b].bytes == 0)
          << a << " and " << b << " overlap";
    }
  }
}

std::vector<Lifetime> random_lifetimes(uint64_t seed, size_t n) {
  std::mt19937_64 rng(seed);
  std::vector<Lifetime> values;
  for (size_t i = 0; i < n; ++i) {
    const int first = static_cast<int>(rng() % n), length = static_cast<int>(rng() % 10);
    values.push_back({static_cast<int64_t>(rng() % 5000), first, first + length});
  }
  return values;
}

TEST(PlanMemory, OfNothingIsNothing) {
  const MemoryPlan plan = plan_memory({});
  EXPECT_EQ(plan.bytes, 0);
  EXPECT_EQ(plan.lower_bound, 0);
}
TEST(PlanMemory, ValuesInSequenceShareAPlace) {
  const std::vector<Lifetime> values = {{1000, 0, 1}, {1000, 2, 3}, {1000, 4, 4}};
  EXPECT_EQ(plan_memory(values).bytes, 1024);
}
TEST(PlanMemory, AValueLivesThroughItsLastStep) {
  const std::vector<Lifetime> values = {{64, 0, 1}, {64, 1, 2}};
  EXPECT_EQ(plan_memory(values).bytes, 128);
}
TEST(PlanMemory, SmallValuesFillGaps) {
  const std::vector<Lifetime> values = {{4096, 0, 9}, {1024, 0, 3}, {512, 4, 9}, {512, 4, 9}};
  const MemoryPlan plan = plan_memory(values);
  EXPECT_EQ(plan.bytes, 5120);
  EXPECT_EQ(plan.bytes, plan.lower_bound);
}
TEST(PlanMemory, TheTightestGapIsTaken) {
  // From step 5 on the second and the fourth leave gaps of 2048 and 1024 bytes.
  const std::vector<Lifetime> values = {{4096, 0, 9}, {2048, 0, 4}, {1984, 0, 9},
                                        {1024, 0, 4}, {960, 0, 9},  {896, 5, 9}};
  const MemoryPlan plan = plan_memory(values);
  EXPECT_EQ(plan.offsets[5], plan.offsets[3]);
}
TEST(PlanMemory, AChainNeedsTwoPlaces) {
  std::vector<Lifetime> values;
  for (int i = 0; i < 100; ++i) values.push_back({640, i, i + 1});
  EXPECT_EQ(plan_memory(values).bytes, 1280);
}

class RandomLifetimes : public testing::TestWithParam<uint64_t> {};
TEST_P(RandomLifetimes, NeverOverlap) {
  for (uint64_t k = 0; k < 20; ++k) {
    const uint64_t seed = test::first_seed() + GetParam() * 20 + k;
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto values = random_lifetimes(seed, 1 + seed % 90);
    const MemoryPlan plan = plan_memory(values);
    expect_sound(values, plan);
    EXPECT_LE(plan.bytes, plan.lower_bound + plan.lower_bound / 2);
  }
}
INSTANTIATE_TEST_SUITE_P(Seeds, RandomLifetimes, testing::Range<uint64_t>(0, 25));

TEST(PlanMemory, OfManyValuesIsSoundToo) {
  std::mt19937_64 rng(7);
  std::vector<Lifetime> values;
  for (int i = 0; i < 5000; ++i) {
    values.push_back({static_cast<int64_t>(rng() % 900), i, i + static_cast<int>(rng() % 5)});
  }
  const MemoryPlan plan = plan_memory(values);
  expect_sound(values, plan);
  EXPECT_LE(plan.bytes, 4 * plan.lower_bound);
}

// ---- in-place reuse
UOp stored_leaf(const Shape& shape) { return param(0, shape, DType::Float32); }

int joined(const UOp& root) {
  Schedule s = make_schedule(std::span(&root, 1), Target{}, {.fuse = false});
  std::vector<int> storage_of;
  return reuse_in_place(s, storage_of);
}

TEST(ReuseInPlace, AChainOfElementwiseKernelsIsOneStorage) {
  const UOp x = stored_leaf({8});
  const UOp y = sqrt(sqrt(sqrt(x + const_like(x, 1.0))));
  EXPECT_EQ(joined(y), 2);  // the result has storage of its own, the first reads an argument
}
TEST(ReuseInPlace, APermutedReadKeepsItsInput) {
  const UOp x = stored_leaf({4, 4});
  EXPECT_EQ(joined(sqrt(permute(sqrt(sqrt(x)), {{1, 0}}))), 1);
}
TEST(ReuseInPlace, TheOutputMayStandBehindItsInput) {
  const UOp y = sqrt(sqrt(sqrt(stored_leaf({8}))));
  Schedule s = make_schedule(std::span(&y, 1), Target{}, {.fuse = false});
  for (ScheduleItem& item : s.items) {
    ASSERT_EQ(item.buffers.size(), 2u);
    std::swap(item.buffers[0], item.buffers[1]);
    std::unordered_map<const Node*, UOp> turned;
    for (const Node* n : toposort(item.kernel)) {
      if (n->op == Op::Param)
        turned.emplace(n, param(static_cast<int>(1 - n->arg()[0]), {8}, n->dtype));
    }
    item.kernel = substitute(item.kernel, turned);
  }
  std::vector<int> storage_of;
  ASSERT_EQ(reuse_in_place(s, storage_of), 1);
  for (const ScheduleItem& item : s.items) {
    for (const Node* n : toposort(item.kernel)) {
      if (n->op == Op::Param) {
        EXPECT_LT(n->arg()[0], std::ssize(item.buffers));
      }
    }
  }
}
TEST(ReuseInPlace, AReductionKeepsItsInput) {
  const UOp x = stored_leaf({4, 4});
  EXPECT_EQ(joined(sqrt(reduce(sqrt(x), ReduceOp::Add, {{0}}))), 0);
}
TEST(ReuseInPlace, AnInputOfAnotherDtypeIsKept) {
  const UOp x = stored_leaf({8});
  for (const DType t : {DType::Int32, DType::Int8, DType::Int64}) {
    const UOp whole = cast(sqrt(sqrt(x)), t);
    EXPECT_EQ(joined(whole * const_like(whole, int64_t{3}) + const_like(whole, int64_t{1})), 2);
  }
}
TEST(ReuseInPlace, AResultIsKeptThatIsReadForTheLastTime) {
  const UOp x = iota({8}, 0, DType::Float32), a = sqrt(x), b = sqrt(a), c = sqrt(b);
  const std::vector<UOp> roots = {a, c};
  Schedule s = make_schedule(roots, Target{}, {.fuse = false});
  ASSERT_EQ(s.results[0], 0) << "the first buffer";
  std::vector<int> storage_of;
  EXPECT_EQ(reuse_in_place(s, storage_of), 0);
}
TEST(ReuseInPlace, AnInputThatIsReadLaterIsKept) {
  const UOp x = stored_leaf({8}), a = sqrt(x), b = sqrt(a), c = sqrt(b) + a;
  Schedule s = make_schedule(std::span(&c, 1), Target{}, {.fuse = false});
  std::vector<int> storage_of;
  reuse_in_place(s, storage_of);
  int storage_of_a = -1;
  for (size_t i = 0; i < s.buffers.size(); ++i) {
    if (s.buffers[i].node == a.node()) storage_of_a = static_cast<int>(i);
  }
  ASSERT_GE(storage_of_a, 0);
  for (size_t i = 0; i < s.buffers.size(); ++i) {
    if (s.buffers[i].node == b.node()) {
      EXPECT_NE(storage_of[i], storage_of_a);
    }
  }
}

}  // namespace
}  // namespace tg

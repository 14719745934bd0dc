// Running reductions under schedules: the numbers of their definition, whatever runs side by side,
// and what is refused because it would run along them in another order.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "codegen/heuristics.h"
#include "codegen/neighbours.h"
#include "kernel/running_reductions.h"
#include "support/kernel_values.h"
#include "tg/error.h"
#include "unit/codegen/support/kernels.h"

namespace tg {
namespace {

using test::kFloat;
using test::kTwoThreads;

// Running sums along the columns (the last axis) or rows (the first one) of a matrix.
UOp sums(Dim rows, Dim columns, bool down, ReduceOp op = ReduceOp::Add) {
  const UOp r = range(rows, 0), c = range(columns, 1), j = range(down ? rows : columns, 2);
  const std::vector<UOp> at = {r, c}, from = down ? std::vector{j, c} : std::vector{r, j};
  const UOp v = load(param(1, {rows, columns}, kFloat), from);
  const UOp value = prefix(v, op, down ? r : c, j);
  const UOp root = end(store_at(param(0, {rows, columns}, kFloat), at, value), at);
  return running_reductions(sink(std::span(&root, 1)));
}

class RunningSchedules : public testing::TestWithParam<std::tuple<Dim, Dim, bool>> {};

TEST_P(RunningSchedules, ComputeTheirDefinition) {
  const auto [rows, columns, down] = GetParam();
  for (const ReduceOp op : {ReduceOp::Add, ReduceOp::Max}) {
    const UOp kernel = sums(rows, columns, down, op);
    test::expect_values(kernel, plain_schedule(kernel), kTwoThreads);
    test::expect_values(kernel, choose_schedule(kernel, kTwoThreads), kTwoThreads);
  }
}
INSTANTIATE_TEST_SUITE_P(Extents, RunningSchedules,
                         testing::Combine(testing::Values<Dim>(2, 3, 16, 17, 40),
                                          testing::Values<Dim>(2, 5, 16, 35, 130), testing::Bool()),
                         [](const auto& info) {
                           return fmt::format("{}x{}{}", std::get<0>(info.param),
                                              std::get<1>(info.param),
                                              std::get<2>(info.param) ? "down" : "along");
                         });

TEST(RunningSchedules, OfColumnsHaveLanesAlongTheRows) {
  const UOp kernel = sums(300, 256, true);
  const KernelSchedule s = choose_schedule(kernel, kTwoThreads);
  EXPECT_TRUE(test::has_option(s, "VECTOR(r1,16)")) << opts_text(s);
  EXPECT_TRUE(test::has_option(s, "UPCAST(r1,4)")) << opts_text(s);
}
TEST(RunningSchedules, OfRowsAreTransposedInRegisters) {
  const UOp kernel = sums(64, 256, false);
  const KernelSchedule s = choose_schedule(kernel, kTwoThreads);
  EXPECT_TRUE(test::has_option(s, "VECTOR(r0,16)")) << opts_text(s);
  EXPECT_TRUE(test::has_option(s, "UPCAST(r1,16)")) << opts_text(s);
  const LinearKernel linear = lower(kernel, s, kTwoThreads);
  for (const UOp& u : linear.ops) {
    if (!u.is(Op::Load) && !u.is(Op::Store)) continue;
    EXPECT_EQ(u.src(1).lanes(), 1) << "rows are read and written whole: " << print(linear.ops);
  }
}
TEST(RunningSchedules, BesideStoresOfOtherLoops) {
  const UOp r = range(40, 0), i = range(50, 1), j = range(50, 2), x = param(1, {40, 50}, kFloat);
  const std::vector<UOp> all = {r, i}, rows = {r};
  const UOp sum = prefix(load(x, {{r, j}}), ReduceOp::Add, i, j);
  const UOp sums = end(store_at(param(0, {40, 50}, kFloat), all, sum), all);
  const UOp first =
      end(store_at(param(2, {40}, kFloat), rows, load(x, {{r, index_const(0)}})), rows);
  const UOp kernel = running_reductions(sink(std::vector{sums, first}));
  test::expect_values(kernel, plain_schedule(kernel), kTwoThreads);
  test::expect_values(kernel, choose_schedule(kernel, kTwoThreads), kTwoThreads);
}
TEST(RunningSchedules, ThreadsShareRows) {
  const UOp kernel = sums(256, 512, false);
  EXPECT_GT(lower(kernel, choose_schedule(kernel, kTwoThreads), kTwoThreads).chunks, 1);
}
TEST(RunningSchedules, AreWalkedPointByPointInUnrolledTiles) {
  const UOp kernel = sums(5, 37, false);
  KernelSchedule s = plain_schedule(kernel);
  opt_tile(s, 1, 12, 1);
  opt_unroll(s, 1, 4, Tail::None);
  opt_unroll(s, 0, 2);
  test::expect_values(kernel, s, kTwoThreads);
}
TEST(TransposedStores, RowsThatOverlapKeepTheirOrder) {
  const UOp r = range(16, 0), c = range(16, 1), x = param(1, {16, 16}, kFloat);
  const std::vector<UOp> all = {r, c};
  const auto stored = [&](int64_t step) {
    const UOp root =
        end(store_at(param(0, {15 * step + 16}, kFloat), {{r * step + c}}, load(x, all)), all);
    return sink(std::span(&root, 1));
  };
  for (const int64_t step : {4, 16, 20}) {
    const UOp kernel = stored(step);
    KernelSchedule s = plain_schedule(kernel);
    opt_vector(s, 0, 16);
    opt_unroll(s, 1, 16);
    try {
      test::expect_values(lower(kernel, s, kTwoThreads), kernel, test::whole_params(kernel));
    } catch (const ArgumentError&) {
      EXPECT_LT(step, 16) << "rows beside each other were refused";
    }
  }
}
// Two arrays that lie along the lanes decide what lanes run along: the results, across them, are
// stored row by row.
TEST(TransposedStores, AreMadeWhereReadsLieAlongTheLanes) {
  const UOp r = range(50, 0), m = range(3, 1), c = range(37, 2);
  const auto turned = [&](int slot) {
    return load(param(slot, {37, 3, 50}, kFloat), std::vector<UOp>{c, m, r});
  };
  const std::vector<UOp> at = {r, m, c};
  const UOp root = end(store_at(param(0, {50, 3, 37}, kFloat), at, turned(1) * turned(2)), at);
  const UOp kernel = sink(std::span(&root, 1));
  const KernelSchedule s = choose_schedule(kernel, kTwoThreads);
  EXPECT_TRUE(test::has_option(s, "UPCAST(r2,16,peel)")) << opts_text(s);
  EXPECT_TRUE(test::has_option(s, "VECTOR(r0,16,peel)")) << opts_text(s);
  test::expect_values(kernel, s, kTwoThreads);
}
TEST(RunningSchedules, RefuseLanesAndThreadsAlongThem) {
  const UOp kernel = sums(4, 32, false);
  KernelSchedule lanes = plain_schedule(kernel), threads = lanes, moved = lanes;
  opt_vector(lanes, 1, 8);
  EXPECT_THROW(lower(kernel, lanes, kTwoThreads), ArgumentError);
  opt_thread(threads, 2);
  EXPECT_THROW(lower(kernel, threads, kTwoThreads), ArgumentError);
  opt_move(moved, 0, 1);
  EXPECT_THROW(lower(kernel, moved, kTwoThreads), ArgumentError);
}
TEST(RunningSchedules, WhoseNeighboursAreLoweredOrRefused) {
  for (const bool down : {false, true}) {
    const UOp kernel = sums(20, 40, down);
    size_t lowered = 0;
    for (const KernelSchedule& s :
         neighbours_of(kernel, choose_schedule(kernel, kTwoThreads), kTwoThreads)) {
      try {
        (void)lower(kernel, s, kTwoThreads);
      } catch (const ArgumentError&) {
        continue;
      }
      test::expect_values(kernel, s, kTwoThreads);
      ++lowered;
    }
    EXPECT_GT(lowered, 0u);
  }
}

}  // namespace
}  // namespace tg

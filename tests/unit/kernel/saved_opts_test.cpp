// Opts on their way to a file and back: the same schedule, or none where a line is damaged.
#include "kernel/saved_opts.h"

#include <gtest/gtest.h>

#include "codegen/heuristics.h"
#include "support/kernel_values.h"
#include "support/random_schedule.h"
#include "support/schedule_fuzz.h"
#include "support/seeds_of_the_day.h"

namespace tg {
namespace {

// [64, 32] · [32, 48], which takes tiles, lanes, copies and threads.
UOp product() {
  const UOp i = range(64, 0), j = range(48, 1), k = range(32, 2);
  const UOp a = load(param(1, {64, 32}, DType::Float32), {{i, k}});
  const UOp b = load(param(2, {32, 48}, DType::Float32), {{k, j}});
  const std::vector<UOp> at = {i, j};
  const UOp root = end(
      store_at(param(0, {64, 48}, DType::Float32), at, reduce_ranges(a * b, ReduceOp::Add, {{k}})),
      at);
  return sink(std::span(&root, 1));
}

TEST(SavedOpts, MakeTheScheduleOfTheHeuristicsAgain) {
  const UOp kernel = product();
  const KernelSchedule s = choose_schedule(kernel, test::processor(4));
  ASSERT_FALSE(s.opts.empty());
  const auto again = load_opts(kernel, save_opts(kernel, s));
  ASSERT_TRUE(again);
  EXPECT_TRUE(test::same_table(*again, s)) << opts_text(*again) << "\n" << opts_text(s);
}

TEST(SavedOpts, MakeRandomSchedulesAgain) {
  const uint64_t first = test::first_seed();
  int with_opts = 0;
  for (uint64_t seed = first; seed < first + 200; ++seed) {
    const test::DrawnSchedule d =
        test::draw_schedule(static_cast<int>(seed % test::Zoo::kKinds), seed);
    SCOPED_TRACE(d.text);
    const auto again = load_opts(d.kernel.ast, save_opts(d.kernel.ast, d.schedule));
    ASSERT_TRUE(again);
    EXPECT_TRUE(test::same_table(*again, d.schedule)) << opts_text(*again);
    with_opts += !d.schedule.opts.empty();
  }
  EXPECT_GT(with_opts, 100);
}

TEST(SavedOpts, NameMatrixUnitsAndWorkItems) {
  const UOp kernel = product();
  const MatrixUnit& unit = matrix_units().front();
  KernelSchedule s = plain_schedule(kernel);
  opt_matrix(s, unit, {0, 1, 2});
  opt_local(s, 0, 2);
  const auto again = load_opts(kernel, save_opts(kernel, s));
  ASSERT_TRUE(again);
  EXPECT_TRUE(test::same_table(*again, s));
  EXPECT_EQ(again->unit->unit, &unit);
}

class DamagedOpts : public testing::TestWithParam<const char*> {};

TEST_P(DamagedOpts, MakeNoSchedule) { EXPECT_FALSE(load_opts(product(), GetParam())); }

INSTANTIATE_TEST_SUITE_P(Lines, DamagedOpts,
                         testing::Values("tile 1 16 0 0 peel - -",    // no end of line
                                         "tile 1 16 0 0 peel -\n",    // a field less
                                         "tile 9 16 0 0 peel - -\n",  // no such base
                                         "tile -1 16 0 0 peel - -\n", "tile - 16 0 0 peel - -\n",
                                         "tile 1 99999999999999999999 0 0 peel - -\n",
                                         "tile 1 0 0 0 peel - -\n", "turn 1 16 0 0 peel - -\n",
                                         "tile 1 16 0 0 fold - -\n", "unroll 1 -4 0 0 peel - -\n",
                                         "vector 1 3 0 0 peel - -\n",
                                         "matrix 0,1,2 0 0 0 mask m0n0k0 -\n",
                                         "matrix 0,1 0 0 0 mask - -\n",
                                         "stage - 1 0 0 none - 4000\n", "stage - 1 0 0 none - 0\n",
                                         "stage - 1 0 0 none - -\n", "order 0,0,1 0 0 0 none - -\n",
                                         "order 0,1 0 0 0 none - -\n", "move - 0 0 7 none - -\n",
                                         "thread - 9 0 0 none - -\n", "\n"));

}  // namespace
}  // namespace tg

// Work-items change who computes what, never what is computed: random schedules with LOCAL and
// GROUP, run by the interpreter, which lets every work-item run up to a barrier before the next
// goes on and finds every element that two work-items touch without one between.
#include <gtest/gtest.h>

#include "codegen/heuristics.h"
#include "support/effort.h"
#include "support/kernel_values.h"
#include "support/schedule_fuzz.h"
#include "support/seeds_of_the_day.h"
#include "tg/ir/text.h"

namespace tg {
namespace {

constexpr uint64_t kSchedules = test::trials(64);  // a case
constexpr uint64_t kMostSchedules = 1000;          // where those are refused

Target work_items_target(uint64_t seed = 0) {
  static constexpr int kVectorBytes[] = {4, 16, 8};
  Target t;
  t.vector_bytes = kVectorBytes[seed % std::size(kVectorBytes)];
  t.has_fma = seed % 2 == 0;
  t.max_group_size = 256;
  t.subgroup_size = 8;
  t.local_bytes = 64 << 10;
  t.async_copy_bytes = seed % 4 == 1 ? 0 : 16;
  t.ops.set();
  t.ops.set(static_cast<size_t>(Op::SubgroupShuffle), seed % 5 != 0);
  t.dtypes.set();
  return t;
}

class RandomWorkItems : public testing::TestWithParam<std::tuple<int, uint64_t>> {};

TEST_P(RandomWorkItems, GiveTheValuesOfThePlainSchedule) {
  const auto [kind, block] = GetParam();
  const uint64_t first = test::first_seed();
  test::Tally tally("schedules with work-items of kind " + std::to_string(kind));
  int with_work_items = 0;
  for (uint64_t k = 0; k < kSchedules || (with_work_items == 0 && k < kMostSchedules); ++k) {
    const uint64_t seed = first + block * kSchedules + k;
    const test::DrawnSchedule d = test::draw_schedule(kind, seed, nullptr, true);
    SCOPED_TRACE(d.text);
    const auto linear =
        test::lower_or_refuse(d.kernel.ast, d.schedule, work_items_target(seed), tally);
    if (linear) test::expect_values(*linear, d.kernel);
    if (HasFatalFailure()) return;
    with_work_items += linear && linear->group_size > 1;
  }
  EXPECT_GT(with_work_items, 0) << "no schedule with work-items was run";
}

INSTANTIATE_TEST_SUITE_P(Zoo, RandomWorkItems,
                         testing::Combine(testing::Range(0, test::Zoo::kKinds),
                                          testing::Range<uint64_t>(0, 4)));

// A schedule's copies are made some steps ahead: by registers, or by asynchronous copies that the
// interpreter lets arrive as late as they may.
TEST_P(RandomWorkItems, MayHaveStepsInFlight) {
  const auto [kind, block] = GetParam();
  const uint64_t first = test::first_seed();
  test::Tally tally("schedules with steps in flight of kind " + std::to_string(kind));
  const auto in_flight = [](const KernelSchedule& s) {
    return std::ranges::any_of(s.stages, [](const Staging& st) { return st.depth > 1; });
  };
  // Products and sums have loads that change from step to step.
  constexpr int kWithSteps = 5;
  const auto is_enough = [&] { return kind >= kWithSteps || tally.run() > 0; };
  for (uint64_t k = 0; k < kSchedules || (!is_enough() && k < kMostSchedules); ++k) {
    const uint64_t seed = first + block * kSchedules + k;
    const test::ZooKernel z = test::Zoo(seed).make(kind);
    test::ScheduleMaker maker(z.ast, seed);
    const KernelSchedule made = maker.make(1 + static_cast<int>(seed % 6), seed % 3 != 0);
    for (int tries = 0; tries < 4; ++tries) {
      const KernelSchedule s = maker.with_steps_in_flight(made);
      SCOPED_TRACE(z.name + " seed " + std::to_string(seed) + ": " + opts_text(s));
      if (!in_flight(s)) continue;
      const auto linear = test::lower_or_refuse(z.ast, s, work_items_target(seed), tally);
      if (linear) test::expect_values(*linear, z);
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_TRUE(is_enough()) << "all schedules were refused";
}

class RandomKernelsOnWorkItems : public testing::TestWithParam<uint64_t> {};

TEST_P(RandomKernelsOnWorkItems, HaveTheirValues) {
  constexpr uint64_t kGraphs = test::trials(40);
  const uint64_t first = test::first_seed();
  test::Tally tally("schedules with work-items of kernels of random graphs");
  for (uint64_t k = 0; k < kGraphs; ++k) {
    const uint64_t seed = first + GetParam() * kGraphs + k;
    for (const test::ZooKernel& z : test::random_graph_kernels(seed, work_items_target(seed))) {
      const KernelSchedule s =
          test::ScheduleMaker(z.ast, seed).make(1 + static_cast<int>(seed % 6), true);
      SCOPED_TRACE(z.name + " of graph " + std::to_string(seed) + ": " + opts_text(s));
      const auto linear = test::lower_or_refuse(z.ast, s, work_items_target(seed), tally);
      if (linear) test::expect_values(*linear, z);
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_TRUE(tally.half_ran()) << tally.run() << " ran, " << tally.refused() << " were refused";
}

INSTANTIATE_TEST_SUITE_P(Graphs, RandomKernelsOnWorkItems, testing::Range<uint64_t>(0, 20));

class ChosenWorkItems : public testing::TestWithParam<int> {};

TEST_P(ChosenWorkItems, AreLegalAndGiveTheValuesOfThePlainSchedule) {
  const uint64_t first = test::first_seed();
  for (uint64_t seed = first; seed < first + test::trials(40); ++seed) {
    const test::ZooKernel z = test::Zoo(seed).make(GetParam());
    const KernelSchedule s = choose_schedule(z.ast, work_items_target(seed));
    SCOPED_TRACE(z.name + " seed " + std::to_string(seed) + ": " + opts_text(s));
    test::expect_values(lower(z.ast, s, work_items_target(seed)), z);
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Zoo, ChosenWorkItems, testing::Range(0, test::Zoo::kKinds));

class ChosenWorkItemsOfGraphs : public testing::TestWithParam<uint64_t> {};

TEST_P(ChosenWorkItemsOfGraphs, AreLegalAndGiveTheValuesOfThePlainSchedule) {
  const uint64_t first = test::first_seed();
  for (uint64_t k = 0; k < test::trials(40); ++k) {
    const uint64_t seed = first + GetParam() * 40 + k;
    for (const test::ZooKernel& z : test::random_graph_kernels(seed, work_items_target(seed))) {
      const KernelSchedule s = choose_schedule(z.ast, work_items_target(seed));
      SCOPED_TRACE(z.name + " of graph " + std::to_string(seed) + ": " + opts_text(s));
      test::expect_values(lower(z.ast, s, work_items_target(seed)), z);
      if (HasFatalFailure()) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Graphs, ChosenWorkItemsOfGraphs, testing::Range<uint64_t>(0, 10));

}  // namespace
}  // namespace tg

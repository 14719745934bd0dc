// Whatever the schedule, the values are the same: random sequences of Opts on the kernels of the
// zoo, lowered and run by the interpreter, which checks every access, against the evaluator of
// ranged kernels. GTEST_RANDOM_SEED=n draws other sequences, so a loop over n runs as long as one
// likes; without it they are those of the day.
#include <gtest/gtest.h>

#include <set>

#include "codegen/heuristics.h"
#include "support/effort.h"
#include "support/kernel_values.h"
#include "support/schedule_fuzz.h"
#include "support/seeds_of_the_day.h"

namespace tg {
namespace {

constexpr uint64_t kDrawnSchedules = test::trials(24);  // a case
constexpr uint64_t kMostSchedules = 1000;               // where those are refused

Target drawn_target(uint64_t seed) {
  static constexpr int kVectorBytes[] = {16, 32, 64, 4, 8};
  Target t;
  t.vector_bytes = kVectorBytes[seed % std::size(kVectorBytes)];
  t.has_fma = seed % 2 == 0;
  t.has_masked_access = seed % 3 == 0;
  t.has_masked_loads = seed % 3 != 1;
  t.threads = 1 + static_cast<int>(seed % 4);
  t.ops.set();
  t.dtypes.set();
  return t;
}

class RandomSchedules : public testing::TestWithParam<std::tuple<int, uint64_t>> {};

TEST_P(RandomSchedules, GiveTheValuesOfThePlainOne) {
  const auto [kind, block] = GetParam();
  const uint64_t first = test::first_seed();
  test::Tally tally("schedules of kind " + std::to_string(kind));
  for (uint64_t k = 0; k < kDrawnSchedules || (tally.run() == 0 && k < kMostSchedules); ++k) {
    const uint64_t seed = first + block * kDrawnSchedules + k;
    const test::DrawnSchedule d = test::draw_schedule(kind, seed);
    SCOPED_TRACE(d.text);
    const auto linear = test::lower_or_refuse(d.kernel.ast, d.schedule, drawn_target(seed), tally);
    if (linear) test::expect_values(*linear, d.kernel);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(tally.run(), 0) << "all schedules were refused";
}

INSTANTIATE_TEST_SUITE_P(Zoo, RandomSchedules,
                         testing::Combine(testing::Range(0, test::Zoo::kKinds),
                                          testing::Range<uint64_t>(0, 16)));

// A draw that ignored its seed would leave the tests above with one schedule a kind.
TEST(DrawnSchedules, DifferFromSeedToSeed) {
  const uint64_t first = test::first_seed();
  for (int kind = 0; kind < test::Zoo::kKinds; ++kind) {
    std::set<std::string> drawn;
    for (uint64_t seed = first; seed < first + kDrawnSchedules; ++seed) {
      const test::DrawnSchedule d = test::draw_schedule(kind, seed);
      drawn.insert(opts_text(d.schedule));
    }
    EXPECT_GT(drawn.size(), kDrawnSchedules / 4) << "kind " << kind;
  }
}

class RandomKernels : public testing::TestWithParam<uint64_t> {};

TEST_P(RandomKernels, HaveTheirValuesUnderRandomSchedules) {
  constexpr uint64_t kGraphs = test::trials(60);
  const uint64_t first = test::first_seed();
  test::Tally tally("schedules of kernels of random graphs");
  for (uint64_t k = 0; k < kGraphs; ++k) {
    const uint64_t seed = first + GetParam() * kGraphs + k;
    for (const test::ZooKernel& z : test::random_graph_kernels(seed, drawn_target(seed))) {
      const int opts = 1 + static_cast<int>(seed % 6);
      const KernelSchedule s = test::ScheduleMaker(z.ast, seed).make(opts);
      SCOPED_TRACE(z.name + " of graph " + std::to_string(seed) + ": " + opts_text(s));
      const auto linear = test::lower_or_refuse(z.ast, s, drawn_target(seed), tally);
      if (linear) test::expect_values(*linear, z);
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_TRUE(tally.half_ran()) << tally.run() << " ran, " << tally.refused() << " were refused";
}

INSTANTIATE_TEST_SUITE_P(Graphs, RandomKernels, testing::Range<uint64_t>(0, 30));

class ChosenSchedules : public testing::TestWithParam<int> {};

TEST_P(ChosenSchedules, AreLegalAndGiveTheValuesOfThePlainOne) {
  const uint64_t first = test::first_seed();
  for (uint64_t seed = first; seed < first + 12; ++seed) {
    const test::ZooKernel z = test::Zoo(seed).make(GetParam());
    const KernelSchedule s = choose_schedule(z.ast, drawn_target(seed));
    SCOPED_TRACE(z.name + " seed " + std::to_string(seed) + ": " + opts_text(s));
    test::expect_values(lower(z.ast, s, drawn_target(seed)), z);
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Zoo, ChosenSchedules, testing::Range(0, test::Zoo::kKinds));

}  // namespace
}  // namespace tg

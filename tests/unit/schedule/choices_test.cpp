// Whatever is materialised, the values are the same: random graphs under every choice, run kernel
// by kernel in the schedule's order, against the evaluator of tensor graphs.
#include <gtest/gtest.h>

#include "rewrite/verify.h"
#include "support/effort.h"
#include "support/random_graph.h"
#include "support/run_schedule.h"
#include "support/same_numbers.h"
#include "support/seeds_of_the_day.h"
#include "tg/ir/text.h"

namespace tg {
namespace {

using test::ChoiceByBits;
using test::RandomGraph;
using test::RandomGraphOptions;
using test::run_schedule;

constexpr int kEnumeratedBits = 6;
constexpr int kSampledChoices = 24;
constexpr uint64_t kChosenGraphs = test::trials(10);  // a case

RandomGraphOptions small_graphs(bool stores) {
  return {.max_ops = 24, .max_rank = 3, .max_extent = 4, .max_elements = 48, .stores = stores};
}

void expect_equal_values(const std::vector<TensorValue>& got, const std::vector<TensorValue>& want,
                         const RandomGraph& g) {
  for (size_t r = 0; r < want.size(); ++r) {
    ASSERT_TRUE(test::same_numbers(got[r], want[r])) << "root " << r << " of\n"
                                                     << print(sink(g.roots));
  }
}

void check_all_choices(const RandomGraph& g) {
  const std::vector<TensorValue> want = evaluate(g.roots, g.contents);
  ChoiceByBits none(0);
  expect_equal_values(
      run_schedule(make_schedule(g.roots, Target{}, none.options()), g.roots, g.contents), want, g);
  const int n = none.asked();
  const uint64_t all = n <= kEnumeratedBits ? uint64_t{1} << n : kSampledChoices;
  std::mt19937_64 rng(g.seed);
  for (uint64_t c = 1; c < all && !testing::Test::HasFatalFailure(); ++c) {
    const uint64_t bits = n <= kEnumeratedBits ? c : rng();
    SCOPED_TRACE("choice " + std::to_string(bits));
    ChoiceByBits choice(bits);
    const Schedule s = make_schedule(g.roots, Target{}, choice.options());
    for (const ScheduleItem& item : s.items) verify_ranged(item.kernel);
    expect_equal_values(run_schedule(s, g.roots, g.contents), want, g);
  }
}

class EveryChoice : public testing::TestWithParam<uint64_t> {};

TEST_P(EveryChoice, GivesTheValuesOfTheTensorGraph) {
  for (uint64_t k = 0; k < kChosenGraphs; ++k) {
    const uint64_t seed = test::first_seed() + GetParam() * kChosenGraphs + k;
    SCOPED_TRACE("seed " + std::to_string(seed));
    check_all_choices(test::random_graph(seed, small_graphs(false)));
  }
}

TEST_P(EveryChoice, GivesTheValuesOfAGraphThatWritesInPlace) {
  for (uint64_t k = 0; k < kChosenGraphs; ++k) {
    const uint64_t seed = test::first_seed() + GetParam() * kChosenGraphs + k;
    SCOPED_TRACE("seed " + std::to_string(seed));
    check_all_choices(test::random_graph(seed, small_graphs(true)));
  }
}

TEST_P(EveryChoice, OfTheSolverGivesTheValuesOfTheTensorGraph) {
  for (uint64_t k = 0; k < kChosenGraphs; ++k) {
    const uint64_t seed = test::first_seed() + GetParam() * kChosenGraphs + k;
    SCOPED_TRACE("seed " + std::to_string(seed));
    const RandomGraph g = test::random_graph(seed, small_graphs(k % 2 == 0));
    const std::vector<TensorValue> want = evaluate(g.roots, g.contents);
    expect_equal_values(run_schedule(make_schedule(g.roots, Target{}), g.roots, g.contents), want,
                        g);
    expect_equal_values(
        run_schedule(make_schedule(g.roots, Target{}, {.fuse = false}), g.roots, g.contents), want,
        g);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, EveryChoice, testing::Range<uint64_t>(1, 201));

}  // namespace
}  // namespace tg

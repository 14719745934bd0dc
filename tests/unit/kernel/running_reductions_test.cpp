// Prefixes become running reductions with the same numbers, where their loop may run in order; what
// only looks like one stays a sum of its own.
#include "kernel/running_reductions.h"

#include <gtest/gtest.h>

#include "kernel/kernel_schedule.h"
#include "rewrite/verify.h"
#include "support/kernel_names.h"
#include "support/kernel_values.h"
#include "tg/ir/walk.h"

namespace tg {
namespace {

using test::kFloat;

constexpr Dim kRows = 3, kLength = 7;

struct Ranges {
  UOp r = range(kRows, 0), i = range(kLength, 1), j = range(kLength, 2), k = range(kLength, 3);
  UOp out = param(0, {kRows, kLength}, kFloat), x = param(1, {kRows, kLength}, kFloat);

  UOp at(const UOp& column) const { return load(x, {{r, column}}); }
  UOp kernel(const UOp& value) const {
    const std::vector<UOp> all = {r, i};
    const UOp root = end(store_at(out, all, value), all);
    return sink(std::span(&root, 1));
  }
};

int64_t running_in(const UOp& kernel) {
  return std::ranges::count_if(toposort(kernel), [](const Node* n) { return is_running(n); });
}

void expect_runs(const UOp& kernel, int64_t running) {
  const UOp runs = running_reductions(kernel);
  EXPECT_EQ(running_in(runs), running) << print(runs);
  EXPECT_EQ(count_nodes(runs, Op::Reduce), running) << print(runs);
  ASSERT_NO_THROW(verify_ranged(runs)) << print(runs);
  std::vector<TensorValue> want = test::whole_params(kernel), got = want;
  evaluate_ranged(kernel, want);
  evaluate_ranged(runs, got);
  EXPECT_EQ(got[0].to_bytes(), want[0].to_bytes());
}
void expect_stays(const UOp& kernel) { EXPECT_EQ(running_reductions(kernel), kernel); }

TEST(RunningReductions, OfSumsProductsAndMaxima) {
  const Ranges a;
  for (const ReduceOp op : {ReduceOp::Add, ReduceOp::Mul, ReduceOp::Max})
    expect_runs(a.kernel(prefix(a.at(a.j), op, a.i, a.j)), 1);
}
TEST(RunningReductions, StandInsideExpressions) {
  const Ranges a;
  expect_runs(a.kernel(prefix(a.at(a.j) * a.at(a.j), ReduceOp::Add, a.i, a.j) * a.at(a.i)), 1);
}
TEST(RunningReductions, OfOneAnotherGoAlongOneRange) {
  const Ranges a;
  const UOp inner = prefix(a.at(a.k), ReduceOp::Max, a.j, a.k);
  expect_runs(a.kernel(prefix(inner + a.at(a.j), ReduceOp::Add, a.i, a.j)), 2);
}
TEST(RunningReductions, TwoInOneKernel) {
  const Ranges a;
  const UOp sums = prefix(a.at(a.j), ReduceOp::Add, a.i, a.j),
            most = prefix(a.at(a.k), ReduceOp::Max, a.i, a.k);
  expect_runs(a.kernel(sums * most), 2);
}
TEST(RunningReductions, KeepTheirRangeOpenAndInsideTheOthers) {
  const Ranges a;
  const UOp first = range(kLength, 1), column = range(kRows, 2);  // along the outer dimension
  const UOp out = param(0, {kLength, kRows}, kFloat), x = param(1, {kLength, kRows}, kFloat);
  const UOp sum = prefix(load(x, {{a.k, column}}), ReduceOp::Add, first, a.k);
  const std::vector<UOp> all = {first, column};
  const UOp root = end(store_at(out, all, sum), all);
  const UOp runs = running_reductions(sink(std::span(&root, 1)));
  ASSERT_EQ(running_in(runs), 1);
  const KernelSchedule s = plain_schedule(runs);
  ASSERT_EQ(s.bases.size(), 2u);
  EXPECT_EQ(s.bases[0].range, column);
  EXPECT_EQ(s.bases[1].range, first);
}

TEST(RunningReductions, StandBesideStoresOfOtherLoops) {
  const Ranges a;
  const std::vector<UOp> all = {a.r, a.i}, rows = {a.r};
  const UOp sums = end(store_at(a.out, all, prefix(a.at(a.j), ReduceOp::Add, a.i, a.j)), all);
  const UOp first = end(store_at(param(2, {kRows}, kFloat), rows, a.at(index_const(0))), rows);
  expect_runs(sink(std::vector{sums, first}), 1);
}

TEST(RunningReductions, AreNoSumsWithAnotherValueBehindThePlace) {
  const Ranges a;
  const UOp one = constant(1.0, kFloat);
  expect_stays(
      a.kernel(reduce_ranges(where(lt(a.i, a.j), one, a.at(a.j)), ReduceOp::Add, {{a.j}})));
  expect_stays(a.kernel(reduce_ranges(where(lt(a.i, a.j), constant(0.0, kFloat), a.at(a.j)),
                                      ReduceOp::Mul, {{a.j}})));
}
TEST(RunningReductions, AreNoSumsWhoseTermsDependOnThePlace) {
  const Ranges a;
  expect_stays(a.kernel(prefix(a.at(a.j) * a.at(a.i), ReduceOp::Add, a.i, a.j)));
}
TEST(RunningReductions, AreNoSumsOfWhatStandsBehind) {
  const Ranges a;
  expect_stays(a.kernel(reduce_ranges(where(lt(a.j, a.i), constant(0.0, kFloat), a.at(a.j)),
                                      ReduceOp::Add, {{a.j}})));
}
TEST(RunningReductions, AreNotWhatAnotherReductionAddsUp) {
  const Ranges a;  // Σ_i of the sums up to i: i is closed by the outer sum
  const UOp inner = prefix(a.at(a.j), ReduceOp::Add, a.k, a.j);
  expect_stays(a.kernel(reduce_ranges(inner, ReduceOp::Add, {{a.k}}) + cast(a.i, kFloat)));
}
TEST(RunningReductions, AreNotWhereAReductionAddsUpWhatStandsBesideThem) {
  // out[i] = Σ_r of the maxima of x[r, 0 … i]: the loop over r is inside that over i.
  const Ranges a;
  const UOp most = prefix(a.at(a.j), ReduceOp::Max, a.i, a.j);
  const UOp sum = reduce_ranges(most, ReduceOp::Add, {{a.r}});
  const UOp root = end(store_at(param(0, {kLength}, kFloat), {{a.i}}, sum), {{a.i}});
  expect_stays(sink(std::span(&root, 1)));
}
TEST(RunningReductions, GoAlongOneRangeOnly) {
  const UOp i = range(4, 0), j = range(4, 1), m = range(4, 2), n = range(4, 3);
  const UOp x = param(1, {4, 4}, kFloat), out = param(0, {4, 4}, kFloat);
  const std::vector<UOp> all = {i, j};
  const UOp down = prefix(load(x, {{m, j}}), ReduceOp::Add, i, m),
            right = prefix(load(x, {{i, n}}), ReduceOp::Add, j, n);
  const UOp root = end(store_at(out, all, down * right), all), kernel = sink(std::span(&root, 1));
  const UOp runs = running_reductions(kernel);
  EXPECT_EQ(running_in(runs), 1);
  EXPECT_EQ(count_nodes(runs, Op::Reduce), 2);
  std::vector<TensorValue> want = test::whole_params(kernel), got = want;
  evaluate_ranged(kernel, want);
  evaluate_ranged(runs, got);
  EXPECT_EQ(got[0].to_bytes(), want[0].to_bytes());
}
TEST(RunningReductions, AreNotWhereTheOrderOfStoresCounts) {
  const Ranges a;  // every i writes the element of r
  const std::vector<UOp> all = {a.r, a.i};
  const UOp sum = prefix(a.at(a.j), ReduceOp::Add, a.i, a.j);
  const UOp root = end(store_at(a.out, {{a.r, index_const(0)}}, sum), all);
  expect_stays(sink(std::span(&root, 1)));
}

}  // namespace
}  // namespace tg

// Phases have the value of the kernel that they replace, for sizes around the cuts; small kernels
// stay one.
#include "kernel/split_reductions.h"

#include <gtest/gtest.h>

#include <cmath>

#include "rewrite/verify.h"
#include "tg/ir/text.h"
#include "uop/evaluate_ranged.h"

namespace tg {
namespace {

UOp stored(const UOp& value, const Shape& shape, const std::vector<UOp>& at) {
  const UOp store = store_at(param(0, shape, value.dtype()), at, value, {}, Combine::Set);
  const UOp root = at.empty() ? store : end(store, at);
  return sink(std::span(&root, 1));
}

TensorValue numbers(const Shape& shape) {
  int64_t n = 1;
  for (Dim d : shape) n *= d;
  std::vector<double> v;
  for (int64_t i = 0; i < n; ++i) v.push_back(static_cast<double>(i * 7919 % 31 - 15));
  return TensorValue::of(shape, DType::Float32, v);
}

std::vector<double> run_phases(const KernelPhases& phases, std::vector<TensorValue> params) {
  for (const Workspace& w : phases.workspaces)
    params.push_back(TensorValue::zeros(w.shape, w.dtype));
  for (const UOp& k : phases.kernels) {
    verify_ranged(k);
    evaluate_ranged(k, params);
  }
  return params[0].doubles();
}

void expect_same_sums(const UOp& kernel, const std::vector<TensorValue>& params, size_t phases,
                      const Target& target = {}) {
  const KernelPhases split = split_reductions(kernel, target);
  EXPECT_EQ(split.kernels.size(), phases) << print(split.kernels.back());
  std::vector<TensorValue> whole = params;
  evaluate_ranged(kernel, whole);
  const std::vector<double> got = run_phases(split, params), want = whole[0].doubles();
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i)
    EXPECT_NEAR(got[i], want[i], 1e-4 * std::max(1.0, std::abs(want[i])));
}

class SplitSum : public testing::TestWithParam<std::tuple<int64_t, ReduceOp>> {};

TEST_P(SplitSum, OfAVectorIsEqual) {
  const auto [n, op] = GetParam();
  const UOp r = range(n, 0), x = param(1, {n}, DType::Float32);
  const UOp sum = reduce_ranges(load(x, std::vector<UOp>{r}), op, std::vector<UOp>{r});
  expect_same_sums(stored(sum, {}, {}), {TensorValue::zeros({}, DType::Float32), numbers({n})},
                   n < (1 << 17) ? 1 : 2);
}

INSTANTIATE_TEST_SUITE_P(Sizes, SplitSum,
                         testing::Combine(testing::Values(1, 1000, (1 << 17) - 1, 1 << 17,
                                                          (1 << 17) + 1, 200003),
                                          testing::Values(ReduceOp::Add, ReduceOp::Max)));

TEST(SplitReductions, FewRowsAreCutInEachRow) {
  const UOp row = range(3, 0), r = range(50001, 1), x = param(1, {3, 50001}, DType::Float32);
  const UOp sum =
      reduce_ranges(load(x, std::vector<UOp>{row, r}), ReduceOp::Add, std::vector<UOp>{r});
  expect_same_sums(stored(sum, {3}, {row}),
                   {TensorValue::zeros({3}, DType::Float32), numbers({3, 50001})}, 2);
}

TEST(SplitReductions, ManyRowsAreWorkEnough) {
  const UOp row = range(64, 0), r = range(4000, 1), x = param(1, {64, 4000}, DType::Float32);
  const UOp sum =
      reduce_ranges(load(x, std::vector<UOp>{row, r}), ReduceOp::Add, std::vector<UOp>{r});
  EXPECT_EQ(split_reductions(stored(sum, {64}, {row}), Target{}).kernels.size(), 1u);
}

TEST(SplitReductions, AReductionThatNeedsAnotherComesAfterIt) {
  constexpr int64_t kN = 140001;
  const UOp a = range(kN, 0), b = range(kN, 1), x = param(1, {kN}, DType::Float32);
  const UOp largest =
      reduce_ranges(load(x, std::vector<UOp>{a}), ReduceOp::Max, std::vector<UOp>{a});
  const UOp gap = largest - load(x, std::vector<UOp>{b});  // small enough for exact sums
  const UOp sum = reduce_ranges(gap, ReduceOp::Add, std::vector<UOp>{b});
  expect_same_sums(stored(sum, {}, {}), {TensorValue::zeros({}, DType::Float32), numbers({kN})}, 3);
}

TEST(SplitReductions, RowsInsideASumAreNotCut) {
  const UOp i = range(700, 0), j = range(300, 1), x = param(1, {700, 300}, DType::Float32);
  const UOp row =
      reduce_ranges(load(x, std::vector<UOp>{i, j}), ReduceOp::Max, std::vector<UOp>{j});
  const UOp sum = reduce_ranges(row, ReduceOp::Add, std::vector<UOp>{i});
  expect_same_sums(stored(sum, {}, {}),
                   {TensorValue::zeros({}, DType::Float32), numbers({700, 300})}, 2);
}

TEST(SplitReductions, TwoSumsOverTheSameLoopShareAPhase) {
  constexpr int64_t kN = 150000;
  const UOp r = range(kN, 0), x = load(param(1, {kN}, DType::Float32), std::vector<UOp>{r});
  const UOp s1 = reduce_ranges(x, ReduceOp::Add, std::vector<UOp>{r});
  const UOp s2 = reduce_ranges(x * x, ReduceOp::Add, std::vector<UOp>{r});
  const KernelPhases split = split_reductions(stored(s1 + s2, {}, {}), Target{});
  EXPECT_EQ(split.kernels.size(), 2u);
  EXPECT_EQ(split.workspaces.size(), 2u);
  EXPECT_EQ(split.first_workspace, 2);
  expect_same_sums(stored(s1 + s2, {}, {}), {TensorValue::zeros({}, DType::Float32), numbers({kN})},
                   2);
}

// [m, terms] · [terms, n], the terms as the outer and the inner loop of a reduction.
UOp product_of(int64_t around, int64_t m, int64_t n, int64_t outer, int64_t inner) {
  const UOp b = range(around, 0), i = range(m, 1), j = range(n, 2), r = range(outer, 3),
            s = range(inner, 4);
  const UOp x =
      load(param(1, {around, outer, inner, m}, DType::Float32), std::vector<UOp>{b, r, s, i});
  const UOp y =
      load(param(2, {around, outer, inner, n}, DType::Float32), std::vector<UOp>{b, r, s, j});
  return stored(reduce_ranges(x * y, ReduceOp::Add, std::vector<UOp>{r, s}), {around, m, n},
                {b, i, j});
}

TEST(SplitReductions, ALongContractionIsCutAlthoughItHasManyResults) {
  const UOp k = product_of(1, 5, 7, 64, 256);
  expect_same_sums(k,
                   {TensorValue::zeros({1, 5, 7}, DType::Float32), numbers({1, 64, 256, 5}),
                    numbers({1, 64, 256, 7})},
                   2);
  const KernelPhases split = split_reductions(product_of(1, 32, 800, 512, 400), Target{});
  ASSERT_EQ(split.workspaces.size(), 1u);
  EXPECT_EQ(split.workspaces[0].shape[0], 16);
}
TEST(SplitReductions, ShortContractionsAndLargeResultsStayWhole) {
  EXPECT_EQ(split_reductions(product_of(1, 32, 32, 32, 500), Target{}).kernels.size(), 1u);
  EXPECT_EQ(split_reductions(product_of(1, 300, 300, 512, 400), Target{}).kernels.size(), 1u);
}
// On targets with work-items hundreds of groups are wanted.
TEST(SplitReductions, WorkItemsWantMoreParts) {
  const Target work_items = {.max_group_size = 256};
  const UOp r = range(1 << 22, 0), x = load(param(1, {1 << 22}, DType::Float32), std::vector{r});
  const UOp sum = stored(reduce_ranges(x, ReduceOp::Add, std::vector{r}), {}, {});
  EXPECT_EQ(split_reductions(sum, Target{}).workspaces.at(0).shape[0], 64);
  EXPECT_EQ(split_reductions(sum, work_items).workspaces.at(0).shape[0], 512);
  const UOp row = range(100, 0), c = range(2000, 1);
  const UOp y = load(param(1, {100, 2000}, DType::Float32), std::vector{row, c});
  const UOp rows = stored(reduce_ranges(y, ReduceOp::Add, std::vector{c}), {100}, {row});
  EXPECT_EQ(split_reductions(rows, Target{}).kernels.size(), 1u);
  EXPECT_EQ(split_reductions(rows, work_items).workspaces.at(0).shape, (Shape{5, 100}));
  expect_same_sums(rows, {TensorValue::zeros({100}, DType::Float32), numbers({100, 2000})}, 2,
                   work_items);
}
TEST(SplitReductions, WorkItemsCutContractionsAsFineAsTheirResultsAreFew) {
  const Target work_items = {.max_group_size = 256};
  const auto parts = [&](const UOp& k) {
    const KernelPhases split = split_reductions(k, work_items);
    return split.workspaces.empty() ? 1 : split.workspaces[0].shape[0];
  };
  EXPECT_EQ(parts(product_of(1, 32, 800, 512, 400)), 128);
  EXPECT_EQ(parts(product_of(1, 512, 512, 512, 400)), 16);
  EXPECT_EQ(parts(product_of(1, 1000, 1000, 512, 400)), 4);
  EXPECT_EQ(parts(product_of(1, 1100, 1000, 512, 400)), 1);
}
// Nothing is left over where a number of parts that divides the steps is not much smaller.
TEST(SplitReductions, PartsAreEqualWhereTheyCanBe) {
  const Target work_items = {.max_group_size = 256};
  const KernelPhases split = split_reductions(product_of(1, 900, 900, 36, 64), work_items);
  ASSERT_EQ(split.workspaces.size(), 1u);
  EXPECT_EQ(split.workspaces[0].shape[0], 4) << "of 36 steps, where five would be asked for";
}
TEST(SplitReductions, ContractionsInsideManyLoopsStayWhole) {
  EXPECT_EQ(split_reductions(product_of(16, 32, 32, 512, 400), Target{}).kernels.size(), 1u);
  EXPECT_EQ(split_reductions(product_of(15, 32, 32, 512, 400), Target{}).kernels.size(), 2u);
}

}  // namespace
}  // namespace tg

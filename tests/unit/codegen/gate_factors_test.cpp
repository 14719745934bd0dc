// Where a sum of products ends moves to its factors, with the same values and whatever stands
// behind the end; other sums stay as they are.
#include "kernel/gate_factors.h"

#include <gtest/gtest.h>

#include <limits>

#include "codegen/heuristics.h"
#include "support/kernel_names.h"
#include "support/kernel_values.h"
#include "support/run_linear.h"
#include "support/same_numbers.h"
#include "support/tensors.h"
#include "tg/ir/walk.h"
#include "unit/codegen/support/kernels.h"
#include "uop/evaluate_ranged.h"

namespace tg {
namespace {

using test::kFloat;

constexpr int64_t kRows = 24, kColumns = 64, kTerms = 48;
const UOp i = range(kRows, 0), j = range(kColumns, 1), k = range(kTerms, 2);
const UOp n = variable("n", 1, kTerms);

UOp a(const UOp& row) { return load(param(1, {kRows, kTerms}, kFloat), {{row, k}}); }
UOp b() { return load(param(2, {kTerms, kColumns}, kFloat), {{k, j}}); }

// p0 = Σ over k of where(condition, product, 0)
UOp sum_of(const UOp& product, const UOp& condition) {
  const UOp term = where(condition, product, constant(0, kFloat));
  const UOp sum = reduce_ranges(term, ReduceOp::Add, {{k}});
  const UOp root = end(store_at(param(0, {kRows, kColumns}, kFloat), {{i, j}}, sum), {{i, j}});
  return sink(std::span(&root, 1));
}

std::vector<TensorValue> arrays() {
  std::mt19937_64 rng(7);
  return {test::random_tensor(rng, {kRows, kColumns}, kFloat),
          test::random_tensor(rng, {kRows, kTerms}, kFloat),
          test::random_tensor(rng, {kTerms, kColumns}, kFloat)};
}

TEST(GateFactors, OfAVariableNumberOfTermsGiveAContraction) {
  const UOp kernel = sum_of(a(i) * b(), lt(k, n)), gated = gate_factors(kernel);
  ASSERT_NE(gated, kernel);
  const KernelSchedule s = choose_schedule(gated, test::kTwoThreads);
  EXPECT_FALSE(s.stages.empty()) << opts_text(s);
  const LinearKernel linear = lower(gated, s, test::kTwoThreads);
  for (const int64_t terms : {int64_t{1}, int64_t{17}, kTerms}) {
    std::vector<TensorValue> want = arrays();
    evaluate_ranged(kernel, want, {{n.node(), terms}});
    const std::vector<TensorValue> got = test::run_linear(linear, arrays(), {{terms}});
    EXPECT_TRUE(test::same_numbers(got[0], want[0])) << terms << " terms";
  }
}

// As a cache of keys has it: behind the end stands what an earlier text left.
TEST(GateFactors, DoNotReadWhatStandsBehindTheEnd) {
  const UOp kernel = sum_of(a(i) * b(), lt(k, n)), gated = gate_factors(kernel);
  std::vector<TensorValue> values = arrays();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (int64_t row = 20; row < kTerms; ++row) {
    for (int64_t column = 0; column < kColumns; ++column)
      values[2].set(row * kColumns + column, Scalar::of_double(nan, kFloat));
  }
  std::vector<TensorValue> want = values, got = values;
  evaluate_ranged(kernel, want, {{n.node(), 20}});
  evaluate_ranged(gated, got, {{n.node(), 20}});
  EXPECT_EQ(got[0].to_bytes(), want[0].to_bytes());
}

TEST(GateFactors, LeaveOtherSumsAlone) {
  const UOp data = load(param(3, {kTerms}, DType::Bool), {{k}});
  for (const UOp& kernel : {
           sum_of(a(i) * b(), data),                   // data says what counts
           sum_of(a(i) * b(), lt(k, i)),               // not of both factors
           sum_of(a(index_const(0)) * b(), lt(k, n)),  // one factor has no loop of its own
           sum_of(b() * b(), lt(k, n)),                // a square
           sum_of(a(i) + b(), lt(k, n)),               // no product
       }) {
    EXPECT_EQ(gate_factors(kernel), kernel);
  }
}

}  // namespace
}  // namespace tg

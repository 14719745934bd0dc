// Selects with a value that takes long: it is made under the condition, once for all selects of the
// same values, and the results are those of the plain kernel however the selects stand in each
// other's arms.
#include <gtest/gtest.h>

#include <random>

#include "codegen/decompose/decompose.h"
#include "codegen/heuristics.h"
#include "codegen/lower.h"
#include "rewrite/verify.h"
#include "support/effort.h"
#include "support/kernel_values.h"
#include "support/random_schedule.h"
#include "support/schedule_fuzz.h"
#include "support/seeds_of_the_day.h"

namespace tg {
namespace {

constexpr Dim kRows = 6, kColumns = 37;

UOp whole(int64_t v) { return constant(v, DType::Int32); }

// Some hundred operations whose results are small whole numbers.
UOp long_value(UOp x) {
  for (int i = 0; i < 35; ++i) x = (x ^ (x + whole(7 * i + 1))) & whole(1023);
  return x;
}

UOp element(int slot, const UOp& r, const UOp& c) {
  return load(param(slot, {kRows, kColumns}, DType::Int32), std::vector{r, c});
}

// p2[r, c], p3[r, c], … = values of p0 and p1.
UOp kernel_of(const UOp& r, const UOp& c, const std::vector<UOp>& values) {
  std::vector<UOp> roots;
  for (const UOp& v : values) {
    const UOp out = param(static_cast<int>(2 + roots.size()), {kRows, kColumns}, v.dtype());
    roots.push_back(end(store_at(out, std::vector{r, c}, v), std::vector{r, c}));
  }
  return sink(roots);
}

// Loops whose number of rounds is known when they run.
int64_t loops_under_a_condition(const LinearKernel& k) {
  return std::ranges::count_if(
      k.ops, [](const UOp& u) { return u.is(Op::Range) && u.src(0).is(Op::Cast); });
}

class LongArmsOfKernels : public testing::Test {
 protected:
  static LinearKernel lowered(const UOp& kernel) {
    const Target t = test::processor();
    const KernelSchedule s = choose_schedule(kernel, t);
    EXPECT_TRUE(test::has_option(s, "VECTOR(")) << opts_text(s);
    test::expect_values(kernel, s, t);
    return lower(kernel, s, t);
  }
  const UOp r = range(kRows, 0), c = range(kColumns, 1);
  const UOp x = element(0, r, c), y = element(1, r, c);
  const UOp positive = lt(whole(0), x);
};

TEST_F(LongArmsOfKernels, AreMadeUnderTheirCondition) {
  const int64_t unrolled =
      loops_under_a_condition(lowered(kernel_of(r, c, {where(positive, long_value(x), y)})));
  EXPECT_GT(unrolled, 0);
  EXPECT_EQ(loops_under_a_condition(lowered(kernel_of(r, c, {where(positive, y, long_value(x))}))),
            unrolled);
}

TEST_F(LongArmsOfKernels, AreMadeAnywayWhereOthersNeedThem) {
  const UOp v = long_value(x);
  EXPECT_EQ(loops_under_a_condition(lowered(kernel_of(r, c, {where(positive, v, y), v + y}))), 0);
  EXPECT_EQ(loops_under_a_condition(lowered(kernel_of(r, c, {where(positive, v, v + y)}))), 0);
}

TEST_F(LongArmsOfKernels, AreMadeOnceForEqualSelects) {
  const UOp v = where(positive, long_value(x), y);
  const int64_t one = loops_under_a_condition(lowered(kernel_of(r, c, {v})));
  EXPECT_EQ(loops_under_a_condition(lowered(kernel_of(r, c, {v, v * y}))), one);
}

TEST_F(LongArmsOfKernels, WaitForOneConditionTogether) {
  const UOp v = long_value(x);
  const UOp kernel = kernel_of(r, c, {where(positive, v, y), where(positive, v + x, x)});
  EXPECT_GT(loops_under_a_condition(lowered(kernel)), 0);
}

// Two conditions that are one comparison of lane numbers: the loop holds that once.
TEST_F(LongArmsOfKernels, ShareInputsOfOneValue) {
  const UOp left = lt(c, index_const(20)), same = lt(c + index_const(-20), index_const(0));
  const UOp arm = where(left, long_value(x), y) + where(same, long_value(y), x);
  const UOp others = where(left, x, y) + where(same, y, x);
  const LinearKernel k = lowered(kernel_of(r, c, {where(positive, arm, others)}));
  EXPECT_GT(loops_under_a_condition(k), 0);
  EXPECT_NO_THROW(verify_linear(k.ops));
}

TEST_F(LongArmsOfKernels, HaveLargeArgumentsOfSinesForAnExample) {
  Target t = test::processor();
  t.has_fma = true;
  t.ops.reset(static_cast<size_t>(Op::Sin));
  const auto angle = [&](int slot) {
    return load(param(slot, {kRows, kColumns}, DType::Float32), std::vector{r, c});
  };
  const UOp kernel = decompose(kernel_of(r, c, {sin(angle(0)) + angle(1)}), t);
  const KernelSchedule s = choose_schedule(kernel, t);
  const LinearKernel k = lower(kernel, s, t);
  EXPECT_GT(loops_under_a_condition(k), 0);
  std::vector<TensorValue> params(3, TensorValue::zeros({kRows, kColumns}, DType::Float32));
  for (Dim i = 0; i < kRows * kColumns; ++i)
    params[0].set(i,
                  Scalar::of_double(std::ldexp(1.2345, static_cast<int>(i % 120)), DType::Float32));
  test::expect_values(k, kernel, params);
}

// Selects in each other's arms, with few conditions and shared values.
UOp random_kernel(std::mt19937_64& rng) {
  const UOp r = range(kRows, 0), c = range(kColumns, 1);
  std::vector<UOp> pool = {element(0, r, c), element(1, r, c)};
  const auto any = [&] { return pool[rng() % pool.size()]; };
  std::vector<UOp> conditions;
  for (int i = 0; i < 3; ++i) conditions.push_back(lt(pool[0] * whole(i - 1), pool[1]));
  for (int i = 0; i < 14; ++i) {
    switch (rng() % 4) {
      case 0:
        pool.push_back(long_value(any()));
        break;
      case 1:
        pool.push_back((any() + any()) & whole(1023));
        break;
      default:
        pool.push_back(where(conditions[rng() % conditions.size()], any(), any()));
    }
  }
  return kernel_of(r, c, {pool.back() + pool[0], pool[pool.size() - 2] + pool[1]});
}

// The points of an unrolled loop have one condition, and long values that differ in a constant.
TEST(LongArmsOfUnrolledLoops, AreMadeForEachPoint) {
  const UOp r = range(kRows, 0), c = range(kColumns, 1), k = range(3, 2);
  const UOp wanted = lt(element(0, r, c), whole(5));
  const UOp v = where(wanted, long_value(cast(c + k * 7, DType::Int32)), whole(0));
  const UOp sum = reduce_ranges(v, ReduceOp::Add, std::vector{k});
  const UOp root = end(store_at(param(1, {kRows, kColumns}, DType::Int32), std::vector{r, c}, sum),
                       std::vector{r, c});
  const UOp kernel = sink(std::span(&root, 1));
  const Target target = test::processor();
  KernelSchedule s = plain_schedule(kernel);
  opt_unroll(s, 2, 3);
  opt_vector(s, 1, 8, Tail::Peel);
  test::expect_values(kernel, s, target);
}

TEST(RandomLongArms, GiveTheValuesOfTheirKernel) {
  const uint64_t first = test::first_seed();
  const Target t = test::processor();
  test::Tally tally("schedules of selects");
  int64_t loops = 0;
  for (uint64_t seed = first;
       seed < first + test::trials(200) || (loops == 0 && seed < first + 1000); ++seed) {
    std::mt19937_64 rng(seed);
    const UOp kernel = random_kernel(rng);
    const KernelSchedule s =
        seed % 2 == 0 ? choose_schedule(kernel, t) : test::ScheduleMaker(kernel, seed).make(3);
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + opts_text(s));
    const auto linear = test::lower_or_refuse(kernel, s, t, tally);
    if (!linear) continue;
    test::expect_values(*linear, kernel, test::whole_params(kernel));
    if (HasFatalFailure()) return;
    loops += loops_under_a_condition(*linear);
  }
  EXPECT_GT(loops, 0);
}

}  // namespace
}  // namespace tg

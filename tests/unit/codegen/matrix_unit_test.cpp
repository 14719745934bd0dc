// Products by matrix units, whatever the unit: the schedules that are chosen and random ones give
// the values of the plain schedule, run by the interpreter, which multiplies fragments by the maps;
// what a unit cannot do is refused.
#include <gtest/gtest.h>

#include "codegen/heuristics.h"
#include "support/options.h"
#include "support/product_kernels.h"
#include "support/same_numbers.h"
#include "support/schedule_fuzz.h"
#include "uop/evaluate_ranged.h"
#include "uop/text.h"

namespace tg {
namespace {

Target unit_target(const MatrixUnit& unit, int64_t subgroups = 2) {
  Target t;
  t.vector_bytes = 16;
  t.vector_registers = 64;
  t.threads = 1;
  t.max_items = 32 * subgroups;
  t.subgroup_items = 32;
  t.local_bytes = 48 << 10;
  t.matrix_units = {&unit};
  t.has_fma = true;
  t.ops.set();
  t.dtypes.set();
  t.dtypes.reset(static_cast<size_t>(DType::Float16));
  t.dtypes.reset(static_cast<size_t>(DType::BFloat16));
  return t;
}

int64_t count(const LinearKernel& k, Op op) {
  return std::ranges::count_if(k.ops, [&](const UOp& u) { return u.is(op); });
}

void expect_values(const LinearKernel& linear, const test::ZooKernel& z) {
  ASSERT_NO_THROW(verify_linear(linear.ops)) << print(linear.ops);
  std::vector<TensorValue> want = z.params, got;
  evaluate_ranged(z.ast, want);
  ASSERT_NO_THROW(got = test::run_linear(linear, z.params)) << print(linear.ops);
  for (size_t i = 0; i < want.size(); ++i)
    ASSERT_TRUE(test::same_numbers(got[i], want[i])) << "argument " << i << "\n"
                                                     << print(linear.ops);
}

using UnitAndKind = std::tuple<std::string, int>;
std::vector<std::string> unit_names() {
  std::vector<std::string> out;
  for (const MatrixUnit& u : matrix_units()) out.push_back(u.name);
  return out;
}
std::string case_name(const testing::TestParamInfo<UnitAndKind>& info) {
  return std::get<0>(info.param) + "_" + test::Products::name_of(std::get<1>(info.param));
}
const auto kAllCases =
    testing::Combine(testing::ValuesIn(unit_names()), testing::Range(0, test::Products::kKinds));

class ChosenUnits : public testing::TestWithParam<UnitAndKind> {};

TEST_P(ChosenUnits, GiveTheValuesOfThePlainSchedule) {
  const MatrixUnit& unit = *find_matrix_unit(std::get<0>(GetParam()));
  Options o = options();
  o.allow_tf32 = true;
  const OptionsScope scope(o);
  int used = 0;
  for (uint64_t seed = 0; seed < 4; ++seed) {
    const Target target = unit_target(unit, 1 << seed % 3);
    const test::ZooKernel z = test::Products(seed).make(std::get<1>(GetParam()), unit.input);
    const UOp ast = decompose(z.ast, target);
    const KernelSchedule s = choose_schedule(ast, target);
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + test::log_of(s));
    const LinearKernel linear = lower(ast, s, target);
    used += s.unit && count(linear, Op::Mma) > 0;
    expect_values(linear, z);
    if (HasFatalFailure()) return;
  }
  EXPECT_EQ(used, 4);
}

INSTANTIATE_TEST_SUITE_P(All, ChosenUnits, kAllCases, case_name);

class RandomUnits : public testing::TestWithParam<UnitAndKind> {};

TEST_P(RandomUnits, GiveTheValuesOfThePlainSchedule) {
  constexpr uint64_t kSeedsARun = 1'000'000;
  const MatrixUnit& unit = *find_matrix_unit(std::get<0>(GetParam()));
  const uint64_t first = kSeedsARun * static_cast<uint64_t>(GTEST_FLAG_GET(random_seed));
  test::Tally tally("schedules with " + unit.name);
  for (uint64_t seed = first; seed < first + 8; ++seed) {
    const Target target = unit_target(unit, 4);
    const test::ZooKernel z = test::Products(seed).make(std::get<1>(GetParam()), unit.input);
    const UOp ast = decompose(z.ast, target);
    const KernelSchedule s =
        test::ScheduleMaker(ast, seed).make_with_unit(unit, static_cast<int>(seed % 6));
    if (!s.unit) continue;
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + test::log_of(s));
    const auto linear = test::lower_or_refuse(ast, s, target, tally);
    if (!linear) continue;
    EXPECT_GT(count(*linear, Op::Mma), 0);
    expect_values(*linear, z);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(tally.run(), 0) << "no schedule with a unit was run";
}

INSTANTIATE_TEST_SUITE_P(All, RandomUnits, kAllCases, case_name);

}  // namespace
}  // namespace tg

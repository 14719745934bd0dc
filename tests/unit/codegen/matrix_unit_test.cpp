// Products by matrix units, whatever the unit: the schedules that are chosen and random ones give
// the values of the plain schedule, run by the interpreter, which multiplies fragments by the maps;
// what a unit cannot do is refused.
#include <gtest/gtest.h>

#include "codegen/heuristics.h"
#include "support/effort.h"
#include "support/kernel_values.h"
#include "support/options.h"
#include "support/product_kernels.h"
#include "support/schedule_fuzz.h"
#include "support/seeds_of_the_day.h"
#include "tg/ir/text.h"

namespace tg {
namespace {

Target unit_target(const MatrixUnit& unit, int64_t subgroups = 2) {
  Target t;
  t.vector_bytes = 16;
  t.vector_registers = 64;
  t.threads = 1;
  t.max_group_size = 32 * subgroups;
  t.subgroup_size = 32;
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

using UnitAndKind = std::tuple<std::string, int>;
std::vector<std::string> unit_names() {
  std::vector<std::string> out;
  for (const MatrixUnit& u : matrix_units()) {
    // Those: dots_test.cpp and async_products_test.cpp.
    if (!u.is_of_one() && !u.reads_scratch) out.push_back(u.name);
  }
  return out;
}
std::string case_name(const testing::TestParamInfo<UnitAndKind>& info) {
  return std::get<0>(info.param) + "_" + test::Products::name_of(std::get<1>(info.param));
}
const auto kAllCases =
    testing::Combine(testing::ValuesIn(unit_names()), testing::Range(0, test::Products::kKinds));

/// Extent of the longest reduced range.
int64_t most_terms(const UOp& kernel) {
  int64_t most = 0;
  for (const BaseRange& b : plain_schedule(kernel).bases) {
    if (b.role == Role::Red) most = std::max(most, b.extent);
  }
  return most;
}

// A unit is used wherever there are terms for one instruction.
class ChosenUnits : public testing::TestWithParam<UnitAndKind> {};

TEST_P(ChosenUnits, GiveTheValuesOfThePlainSchedule) {
  const MatrixUnit& unit = *find_matrix_unit(std::get<0>(GetParam()));
  Options o = options();
  o.allow_tf32 = true;
  const OptionsScope scope(o);
  int used = 0;
  const uint64_t first = test::first_seed();
  for (uint64_t seed = first; seed < first + test::trials(4) || (used == 0 && seed < first + 100);
       ++seed) {
    const Target target = unit_target(unit, 1 << seed % 3);
    const test::ZooKernel z = test::Products(seed).make(std::get<1>(GetParam()), unit.input);
    const UOp ast = decompose(z.ast, target);
    const KernelSchedule s = choose_schedule(ast, target);
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + opts_text(s));
    const LinearKernel linear = lower(ast, s, target);
    const bool has_unit = s.unit && count(linear, Op::Mma) > 0;
    EXPECT_EQ(has_unit, most_terms(ast) >= unit.k);
    used += has_unit;
    test::expect_values(linear, z);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(used, 0);
}

INSTANTIATE_TEST_SUITE_P(All, ChosenUnits, kAllCases, case_name);

class RandomUnits : public testing::TestWithParam<UnitAndKind> {};

TEST_P(RandomUnits, GiveTheValuesOfThePlainSchedule) {
  const MatrixUnit& unit = *find_matrix_unit(std::get<0>(GetParam()));
  const uint64_t first = test::first_seed();
  test::Tally tally("schedules with " + unit.name);
  // More where the first were all refused.
  for (uint64_t seed = first;
       seed < first + test::trials(8) || (tally.run() == 0 && seed < first + 1000); ++seed) {
    const Target target = unit_target(unit, 4);
    const test::ZooKernel z = test::Products(seed).make(std::get<1>(GetParam()), unit.input);
    const UOp ast = decompose(z.ast, target);
    const KernelSchedule s =
        test::ScheduleMaker(ast, seed).make_with_unit(unit, static_cast<int>(seed % 6));
    if (!s.unit) continue;
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + opts_text(s));
    const auto linear = test::lower_or_refuse(ast, s, target, tally);
    if (!linear) continue;
    EXPECT_GT(count(*linear, Op::Mma), 0);
    test::expect_values(*linear, z);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(tally.run(), 0) << "no schedule with a unit was run";
}

INSTANTIATE_TEST_SUITE_P(All, RandomUnits, kAllCases, case_name);

// ---- what is refused

using test::refusal;

class RefusedUnits : public testing::Test {
 protected:
  const MatrixUnit& half_ = *find_matrix_unit("m16n8k16_f16");
  const MatrixUnit& single_ = *find_matrix_unit("m8n8k8_f32");

  static std::string opt_refusal(const UOp& kernel, const MatrixUnit& unit,
                                 std::array<int, 3> bases, Tail tail = Tail::Mask) {
    KernelSchedule s = plain_schedule(kernel);
    try {
      opt_matrix(s, unit, bases, tail);
    } catch (const ArgumentError& e) {
      return e.what();
    }
    return {};
  }
  static KernelSchedule with_unit(const UOp& kernel, const MatrixUnit& unit,
                                  std::array<int, 3> bases = {0, 1, 2}) {
    KernelSchedule s = plain_schedule(kernel);
    opt_matrix(s, unit, bases);
    return s;
  }
  static test::ZooKernel plain(DType t) { return test::Products(3).make(0, t); }
};

#define TG_EXPECT_SAYS(text, what) \
  EXPECT_NE((text).find(what), std::string::npos) << "it says: " << (text)

TEST_F(RefusedUnits, NeedATargetThatHasThem) {
  const test::ZooKernel z = plain(DType::Float32);
  TG_EXPECT_SAYS(refusal(z.ast, with_unit(z.ast, single_), unit_target(half_)),
                 "TC: the target has no unit m8n8k8_f32");
}

TEST_F(RefusedUnits, NeedSubgroupsOfTheirSize) {
  const test::ZooKernel z = plain(DType::Float32);
  Target t = unit_target(single_);
  t.subgroup_size = 16;
  TG_EXPECT_SAYS(refusal(z.ast, with_unit(z.ast, single_), t), "the target has no unit");
}

TEST_F(RefusedUnits, NeedParallelRowsAndColumns) {
  const test::ZooKernel z = plain(DType::Float32);
  TG_EXPECT_SAYS(opt_refusal(z.ast, single_, {2, 1, 0}), "r2 is reduced");
  TG_EXPECT_SAYS(opt_refusal(z.ast, single_, {0, 0, 2}), "one axis is both rows and columns");
}

TEST_F(RefusedUnits, NeedAReducedAxisForTheirTerms) {
  const test::ZooKernel z = plain(DType::Float32);
  TG_EXPECT_SAYS(opt_refusal(z.ast, single_, {0, 1, 1}), "is parallel");
}

TEST_F(RefusedUnits, AreOneAtATime) {
  const test::ZooKernel z = plain(DType::Float32);
  KernelSchedule s = with_unit(z.ast, single_);
  const KernelSchedule before = s;
  EXPECT_THROW(opt_matrix(s, single_, {0, 1, 2}), ArgumentError);
  EXPECT_TRUE(test::same_table(s, before));
}

TEST_F(RefusedUnits, DoNotShift) {
  const test::ZooKernel z = plain(DType::Float32);
  TG_EXPECT_SAYS(opt_refusal(z.ast, single_, {0, 1, 2}, Tail::Shift),
                 "several work-items would store");
}

TEST_F(RefusedUnits, MultiplyOnlyWhatIsExactInTheirDtype) {
  const test::ZooKernel z = plain(DType::Float32);
  TG_EXPECT_SAYS(refusal(z.ast, with_unit(z.ast, half_), unit_target(half_)),
                 "TC: a factor is not exact in float16");
}

TEST_F(RefusedUnits, AddOnlyProducts) {
  test::Leaves leaves;
  std::mt19937_64 rng(1);
  const UOp x =
      expand(leaves.add(test::random_tensor(rng, {16, 16, 1}, DType::Float32)), {16, 16, 16});
  const UOp y =
      expand(leaves.add(test::random_tensor(rng, {1, 16, 16}, DType::Float32)), {16, 16, 16});
  const std::vector<int64_t> axis = {1};
  for (const UOp& root : {reduce(x + y, ReduceOp::Add, axis), reduce(x * y, ReduceOp::Max, axis)}) {
    const std::vector<UOp> roots = {root};
    const UOp kernel = make_schedule(roots, Target{}).items.back().kernel;
    TG_EXPECT_SAYS(refusal(kernel, with_unit(kernel, single_), unit_target(single_)),
                   "the reduction adds up no products");
  }
}

TEST_F(RefusedUnits, NeedAFactorForEachSide) {
  test::Leaves leaves;
  std::mt19937_64 rng(1);
  const UOp x = leaves.add(test::random_tensor(rng, {16, 16, 16}, DType::Float32));
  const UOp y = leaves.add(test::random_tensor(rng, {16, 16, 16}, DType::Float32));
  const std::vector<int64_t> axis = {2};
  const std::vector<UOp> roots = {reduce(x * y, ReduceOp::Add, axis)};
  const UOp kernel = make_schedule(roots, Target{}).items.back().kernel;
  TG_EXPECT_SAYS(refusal(kernel, with_unit(kernel, single_), unit_target(single_)),
                 "no factor has the rows and the other the columns");
}

TEST_F(RefusedUnits, HaveNoLanesInTheirProducts) {
  const test::ZooKernel z = test::Products(4).make(3, DType::Float32);
  KernelSchedule s = plain_schedule(z.ast);
  opt_vector(s, 0, 2, Tail::Mask);
  opt_matrix(s, single_, {1, 2, 3});
  TG_EXPECT_SAYS(refusal(z.ast, s, unit_target(single_)), "lanes of their own");
}

// ---- what they are made of

TEST(UnitCode, ReadsPairsOfHalvesFromCopiesAtOnce) {
  const MatrixUnit& unit = *find_matrix_unit("m16n8k16_f16");
  const Target t = unit_target(unit);
  int staged = 0;
  const uint64_t first = test::first_seed();
  for (uint64_t seed = first; seed < first + 8 || (staged == 0 && seed < first + 200); ++seed) {
    const test::ZooKernel z = test::Products(seed).make(1, DType::Float16);
    const UOp ast = decompose(z.ast, t);
    const KernelSchedule s = choose_schedule(ast, t);
    if (s.stages.size() != 2) continue;
    SCOPED_TRACE("seed " + std::to_string(seed));
    ++staged;
    const LinearKernel k = lower(ast, s, t);
    const auto pairs = std::ranges::count_if(k.ops, [&](const UOp& u) {
      return u.is(Op::Load) && u.src(0).space() == Space::Scratch && u.lanes() == 2;
    });
    // Each instruction's share of whole steps, which several have in common.
    EXPECT_GE(pairs, unit.a.registers() / 2 + unit.b.registers() / 2) << opts_text(s);
  }
  EXPECT_GT(staged, 0);
}

TEST(UnitCode, KeepsTheWorkItemsOfASubgroupTogetherWhateverLocalAdds) {
  const MatrixUnit& unit = *find_matrix_unit("m8n8k8_f32");
  const test::ZooKernel z = test::Products(8).make(6, DType::Float32);
  KernelSchedule s = plain_schedule(z.ast);
  opt_matrix(s, unit, {0, 1, 2});
  opt_local(s, 0, 2);
  opt_local(s, 1, 2);
  const LinearKernel k = lower(z.ast, s, unit_target(unit, 4));
  EXPECT_EQ(k.group_size, 128);
  test::expect_values(k, z);
}

TEST(UnitCode, SplitsTheReductionAmongSubgroups) {
  const MatrixUnit& unit = *find_matrix_unit("m8n8k8_f32");
  const test::ZooKernel z = test::Products(8).make(6, DType::Float32);
  KernelSchedule s = plain_schedule(z.ast);
  opt_matrix(s, unit, {0, 1, 2});
  opt_group(s, 2, 2);
  const LinearKernel k = lower(z.ast, s, unit_target(unit, 2));
  EXPECT_EQ(k.group_size, 64);
  test::expect_values(k, z);
}

}  // namespace
}  // namespace tg

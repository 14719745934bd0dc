// Whatever the schedule, the values are the same: random sequences of Opts on the kernels of the
// zoo, lowered and run by the interpreter, which checks every access, against the evaluator of
// ranged kernels.
#include <gtest/gtest.h>

#include "support/kernel_zoo.h"
#include "support/random_schedule.h"
#include "support/run_linear.h"
#include "support/same_numbers.h"
#include "uop/evaluate_ranged.h"

namespace tg {
namespace {

constexpr uint64_t kSchedules = 12;  // a case

Target target_of(uint64_t seed) {
  Target t;
  t.has_fma = seed % 2 == 0;
  t.has_masked_access = seed % 3 == 0;
  t.ops.set();
  t.dtypes.set();
  return t;
}

// Empty if the schedule is illegal for the kernel, which only an ArgumentError may say.
std::optional<LinearKernel> lowered(const UOp& kernel, const KernelSchedule& s, const Target& t) {
  try {
    return lower(kernel, s, t);
  } catch (const ArgumentError&) {
    return {};
  } catch (const InternalError& e) {
    ADD_FAILURE() << e.what();
    return {};
  }
}

// The zoo's kernel `kind` under the schedules of a block of seeds, with or without staged operands.
void check_schedules(int kind, uint64_t block, bool stages) {
  for (uint64_t k = 0; k < kSchedules; ++k) {
    const uint64_t seed = block * kSchedules + k;
    const test::ZooKernel z = test::Zoo(seed).make(kind);
    std::vector<TensorValue> want = z.params;
    evaluate_ranged(z.ast, want);
    const KernelSchedule s =
        test::ScheduleMaker(z.ast, seed, stages).make(1 + static_cast<int>(seed % 6));
    SCOPED_TRACE(z.name + " seed " + std::to_string(seed) + ": " + test::log_of(s));
    const auto linear = lowered(z.ast, s, target_of(seed));
    if (!linear) continue;
    verify_linear(linear->ops);
    std::vector<TensorValue> got;
    ASSERT_NO_THROW(got = test::run_linear(*linear, z.params));
    for (size_t i = 0; i < want.size(); ++i)
      ASSERT_TRUE(test::same_numbers(got[i], want[i])) << "argument " << i;
  }
}

class RandomSchedules : public testing::TestWithParam<std::tuple<int, uint64_t>> {};

TEST_P(RandomSchedules, GiveTheValuesOfThePlainOne) {
  check_schedules(std::get<0>(GetParam()), std::get<1>(GetParam()), false);
}

INSTANTIATE_TEST_SUITE_P(Zoo, RandomSchedules,
                         testing::Combine(testing::Values(0, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11),
                                          testing::Range<uint64_t>(0, 20)));

class StagedSchedules : public testing::TestWithParam<std::tuple<int, uint64_t>> {};

TEST_P(StagedSchedules, GiveTheValuesOfThePlainOne) {
  check_schedules(std::get<0>(GetParam()), std::get<1>(GetParam()), true);
}

// Kernels that read an element more than once.
INSTANTIATE_TEST_SUITE_P(Zoo, StagedSchedules,
                         testing::Combine(testing::Values(0, 1, 6, 7, 8, 9),
                                          testing::Range<uint64_t>(100, 140)));

}  // namespace
}  // namespace tg

// Random legal schedules with work-items, as CUDA C, MSL and OpenCL C, run work-item by work-item
// with every access checked: the kernels that the code generator can make hold no race, no stray
// access and no divergent barrier, and give the values of the plain schedule.
#include <gtest/gtest.h>

#include "codegen/heuristics.h"
#include "drawn.h"
#include "schedule/schedule.h"
#include "support/same_numbers.h"
#include "support/seeds_of_the_day.h"
#include "support/tensors.h"
#include "uop/evaluate_ranged.h"

namespace tg::emulator {
namespace {

// Of a kind, compiled together; less of OpenCL C, of which each is a compiler's run.
uint64_t schedules_of(Language language) { return language == Language::OpenCl ? 3 : 6; }

Target gpu(Language language) {
  Target t;
  t.vector_bytes = 16;
  t.has_fma = true;
  t.max_group_size = 64;
  t.subgroup_size = 8;
  t.local_bytes = 32 << 10;
  for (int i = 0; i < kNumOps; ++i)
    t.ops.set(static_cast<size_t>(i), c_supports(static_cast<Op>(i)));
  t.ops.set(static_cast<size_t>(Op::SubgroupShuffle), language != Language::OpenCl);
  if (language == Language::Cuda) t.async_copy_bytes = 16;
  for (int i = 0; i < kNumDTypes; ++i)
    t.dtypes.set(static_cast<size_t>(i), c_supports(static_cast<DType>(i)));
  if (language == Language::Metal) t.dtypes.reset(static_cast<size_t>(DType::Float64));
  return t;
}

// Metal's vectors have at most four lanes.
bool can_be_rendered(Language language, const LinearKernel& k) {
  return language != Language::Metal ||
         std::ranges::all_of(k.ops, [](const UOp& u) { return u.lanes() <= 4; });
}

using Case = std::tuple<Language, int>;
class RandomSchedules : public testing::TestWithParam<Case> {};

// Kernels that are compiled together.
struct Batch {
  Language language;
  std::vector<Drawn> drawn;
  std::vector<Program> programs;

  void add(const test::ZooKernel& kernel, LinearKernel linear, const std::string& text) {
    linear.name += "_" + std::to_string(drawn.size());
    programs.push_back({linear.name, render(language, linear)});
    drawn.push_back({kernel, std::move(linear), text});
  }
  // What the kernel did wrong, or nothing.
  std::string run(const Module& module, size_t i, std::vector<TensorValue>& params) const {
    const Shape shape{.groups = (drawn[i].linear.chunks + 1) / 2, .lanes = 8};
    return run_drawn(language, module.kernels()[i], drawn[i], params, shape);
  }
  void expect_plain_values() const {
    ASSERT_FALSE(drawn.empty());
    const Module module(language, programs);
    for (size_t i = 0; i < drawn.size(); ++i) {
      const test::ZooKernel& z = drawn[i].kernel;
      SCOPED_TRACE(drawn[i].text + "\n" + programs[i].text);
      std::vector<TensorValue> want = z.params, got = z.params;
      evaluate_ranged(z.ast, want);
      ASSERT_EQ(run(module, i, got), "");
      for (size_t p = 0; p < want.size(); ++p)
        ASSERT_TRUE(test::same_numbers(got[p], want[p])) << "argument " << p;
    }
  }
};

TEST_P(RandomSchedules, RunWithoutARaceAndGiveTheValuesOfThePlainOne) {
  const auto [language, kind] = GetParam();
  TG_NEEDS(language);
  const Target target = gpu(language);
  const uint64_t first = test::first_seed();
  test::Tally tally("schedules of kind " + std::to_string(kind));
  const uint64_t count = schedules_of(language);
  Batch batch{language, {}, {}};
  for (uint64_t seed = first; seed < first + 1000 && batch.drawn.size() < count; ++seed) {
    const test::DrawnSchedule d = test::draw_schedule(kind, seed, &target, true);
    SCOPED_TRACE(d.text);
    auto linear = test::lower_or_refuse(d.kernel.ast, d.schedule, target, tally);
    if (linear && can_be_rendered(language, *linear))
      batch.add(d.kernel, std::move(*linear), d.text);
  }
  batch.expect_plain_values();
}

// Copies of some steps in flight; in CUDA C they arrive as late as they may.
Batch with_steps_in_flight(Language language, int kind, uint64_t first, size_t count) {
  const Target target = gpu(language);
  test::Tally tally("schedules with steps in flight of kind " + std::to_string(kind));
  Batch batch{language, {}, {}};
  for (uint64_t seed = first; seed < first + 1000 && batch.drawn.size() < count; ++seed) {
    const test::DrawnSchedule d = test::draw_schedule(kind, seed, &target, true);
    const KernelSchedule s =
        test::ScheduleMaker(d.kernel.ast, seed).with_steps_in_flight(d.schedule);
    if (s.opts == d.schedule.opts) continue;
    auto linear = test::lower_or_refuse(d.kernel.ast, s, target, tally);
    const std::string text = d.kernel.name + " seed " + std::to_string(seed) + ": " + opts_text(s);
    if (linear && linear->group_size > 1 && can_be_rendered(language, *linear))
      batch.add(d.kernel, std::move(*linear), text);
  }
  return batch;
}

class StepsInFlight : public testing::TestWithParam<Case> {};

TEST_P(StepsInFlight, AreCopiedInTimeAndOverwrittenInTime) {
  const auto [language, kind] = GetParam();
  TG_NEEDS(language);
  const uint64_t first = test::first_seed();
  with_steps_in_flight(language, kind, first, schedules_of(language)).expect_plain_values();
}

// Products, sums of rows and of windows.
INSTANTIATE_TEST_SUITE_P(Zoo, StepsInFlight,
                         testing::Combine(testing::Values(Language::Cuda, Language::Metal,
                                                          Language::OpenCl),
                                          testing::Range(0, 9)),
                         [](const auto& info) {
                           return name_of(std::get<0>(info.param)) +
                                  std::to_string(std::get<1>(info.param));
                         });

// A product that the heuristics copy some steps ahead: where one batch more may be on its way,
// something is read before it arrives.
TEST(StepsInFlight, AreFoundWrongWhereTheyAreNotWaitedFor) {
  TG_NEEDS(Language::Cuda);
  std::mt19937_64 rng;
  test::Leaves leaves;
  const UOp x = leaves.add(test::random_tensor(rng, {64, 128}, DType::Float32)),
            w = leaves.add(test::random_tensor(rng, {128, 64}, DType::Float32));
  const UOp product = expand(reshape(x, {64, 128, 1}), {64, 128, 64}) *
                      expand(reshape(w, {1, 128, 64}), {64, 128, 64});
  const std::vector<UOp> roots = {reduce(product, ReduceOp::Add, std::vector<int64_t>{1})};
  const Target target = gpu(Language::Cuda);
  const Schedule schedule = make_schedule(roots, target);
  const UOp kernel = schedule.items.back().kernel;
  std::vector<TensorValue> params;
  for (int b : schedule.items.back().buffers) {
    const auto leaf = leaves.contents.find(schedule.buffers[static_cast<size_t>(b)].node);
    params.push_back(leaf != leaves.contents.end()
                         ? leaf->second
                         : test::random_tensor(rng, {64, 64}, DType::Float32));
  }
  Batch batch{Language::Cuda, {}, {}};
  const test::ZooKernel z{"product", kernel, params};
  for (int k = 0; k < 2; ++k)
    batch.add(z, lower(kernel, choose_schedule(kernel, target), target), "chosen");
  std::string& text = batch.programs[1].text;
  const std::string_view wait = "tg_async_wait<2>";
  ASSERT_NE(text.find("tg_async_copy16"), std::string::npos) << text;
  ASSERT_NE(text.find(wait), std::string::npos) << text;
  text.replace(text.find(wait), wait.size(), "tg_async_wait<3>");
  const Module module(Language::Cuda, batch.programs);
  for (size_t i = 0; i < 2; ++i) {
    std::vector<TensorValue> got = params;
    const std::string wrong = batch.run(module, i, got);
    EXPECT_EQ(wrong.find("nobody has written") != std::string::npos, i == 1) << wrong;
  }
}

INSTANTIATE_TEST_SUITE_P(Zoo, RandomSchedules,
                         testing::Combine(testing::Values(Language::Cuda, Language::Metal,
                                                          Language::OpenCl),
                                          testing::Range(0, test::Zoo::kKinds)),
                         [](const auto& info) {
                           return name_of(std::get<0>(info.param)) +
                                  std::to_string(std::get<1>(info.param));
                         });

// The barriers that the code generator places are all needed somewhere: without them the emulator
// finds something wrong in some kernels that hold any.
class RandomSchedulesWithoutBarriers : public testing::TestWithParam<Language> {};

TEST_P(RandomSchedulesWithoutBarriers, AreFoundWrong) {
  const Language language = GetParam();
  TG_NEEDS(language);
  const Target target = gpu(language);
  const std::string_view barrier = language == Language::Cuda ? "__syncthreads(" : "barrier(";
  test::Tally tally("schedules without barriers");
  std::vector<Drawn> drawn;
  std::vector<Program> programs;
  for (uint64_t seed = 1; seed < 60 && drawn.size() < 8; ++seed) {
    const test::DrawnSchedule d =
        test::draw_schedule(static_cast<int>(2 + seed % 4), seed, &target, true);
    auto linear = test::lower_or_refuse(d.kernel.ast, d.schedule, target, tally);
    if (!linear || linear->scratch_bytes == 0 || linear->group_size == 1 || linear->chunks == 1)
      continue;
    linear->name += "_" + std::to_string(drawn.size());
    std::string text = render(language, *linear);
    for (size_t at; (at = text.find(barrier)) != std::string::npos;)
      text.erase(at, text.find(';', at) + 1 - at);
    programs.push_back({linear->name, std::move(text)});
    drawn.push_back({d.kernel, std::move(*linear), d.text});
  }
  ASSERT_GE(drawn.size(), 4u);
  const Module module(language, programs);
  for (size_t i = 0; i < drawn.size(); ++i) {
    std::vector<TensorValue> got = drawn[i].kernel.params;
    EXPECT_NE(run_drawn(language, module.kernels()[i], drawn[i], got, {.groups = 1, .lanes = 8}),
              "")
        << drawn[i].text << "\n"
        << programs[i].text;
  }
}

INSTANTIATE_TEST_SUITE_P(Each, RandomSchedulesWithoutBarriers,
                         testing::Values(Language::Cuda, Language::OpenCl),
                         [](const auto& info) { return name_of(info.param); });

}  // namespace
}  // namespace tg::emulator

// What kernels compute in PTX, work-item by work-item with every access checked, against the
// interpreter of linear code and the ops' own evaluation: the hand-written kernels, every operation
// in every dtype, masked accesses, random schedules with work-items, and products by matrix units.
#include "../../unit/renderer/elementwise_cases.h"
#include "../../unit/renderer/masked_cases.h"
#include "codegen/heuristics.h"
#include "ptx/launch.h"
#include "runtime/c_language.h"
#include "support/options.h"
#include "support/product_kernels.h"
#include "support/run_linear.h"
#include "support/same_numbers.h"
#include "support/schedule_fuzz.h"
#include "support/seeds_of_the_day.h"
#include "uop/evaluate_ranged.h"

namespace tg::emulator::ptx {
namespace {

// ---- kernels written by hand
std::vector<LinearKernel> hand_written() {
  std::vector<LinearKernel> all = testing::all_kernels();
  std::erase_if(all, [](const LinearKernel& k) { return k.name == "row_sum"; });
  all.push_back(testing::row_sum(4));  // memory of vectors begins at multiples of 16 bytes
  all.push_back(testing::reversed_by_work_items());
  all.push_back(testing::wrapping_sums());
  all.push_back(testing::async_copied_rows());
  all.push_back(testing::staged_reverse(tg::Space::Scratch, 20000));
  all.push_back(testing::staged_reverse(tg::Space::Scratch, 60000));
  all.push_back(testing::masked_axpy(4));
  all.push_back(testing::gather_scatter(4));
  for (const LinearKernel& k : testing::unit_products(16)) all.push_back(k);
  return all;
}

// Small numbers, which are places in the arrays that kernels read places from.
std::vector<TensorValue> arrays_of(const LinearKernel& k, uint64_t seed) {
  std::mt19937_64 rng(seed);
  std::vector<TensorValue> out(k.params.size());
  for (const UOp& u : k.ops) {
    if (!u.is(Op::Param)) continue;
    const int64_t n = u.numel();
    std::vector<std::byte> bytes(static_cast<size_t>(n * dtype_size(u.dtype())));
    for (int64_t i = 0; i < n; ++i) {
      const auto v = static_cast<int64_t>(rng() % 11) - 1;
      const Scalar s = is_bool(u.dtype()) ? Scalar::of_int(v & 1, u.dtype())
                       : is_float(u.dtype())
                           ? Scalar::of_double(static_cast<double>(v) / 2, u.dtype())
                           : Scalar::of_int(v, u.dtype());
      const uint64_t raw = s.to_memory();
      const auto size = static_cast<size_t>(dtype_size(u.dtype()));
      std::memcpy(bytes.data() + static_cast<size_t>(i) * size, &raw, size);
    }
    const std::vector<int64_t> shape(u.shape().begin(), u.shape().end());
    out.at(static_cast<size_t>(u.arg(0))) = TensorValue::from_bytes(shape, u.dtype(), bytes);
  }
  return out;
}

class PtxKernels : public ::testing::TestWithParam<int> {};

TEST_P(PtxKernels, ComputeWhatTheInterpreterDoes) {
  const LinearKernel k = hand_written().at(static_cast<size_t>(GetParam()));
  const std::string text = text_of(k);
  SCOPED_TRACE(text);
  const std::vector<int64_t> vars(k.vars.size(), 20);
  std::vector<TensorValue> got = arrays_of(k, 7);
  const std::vector<TensorValue> want = test::run_linear(k, got, vars);
  ASSERT_EQ(run_values(k, text, got, vars), "");
  for (size_t p = 0; p < want.size(); ++p)
    EXPECT_TRUE(test::same_numbers(got[p], want[p])) << "argument " << p;
}

INSTANTIATE_TEST_SUITE_P(All, PtxKernels,
                         ::testing::Range(0, static_cast<int>(hand_written().size())),
                         [](const auto& info) {
                           const auto i = static_cast<size_t>(info.param);
                           return hand_written().at(i).name + "_" + std::to_string(i);
                         });

// ---- operations
class PtxElementwise : public ::testing::TestWithParam<testing::Group> {};

TEST_P(PtxElementwise, EqualsTheRecordsEvaluation) {
  for (const testing::Case& c : testing::cases_of(GetParam())) {
    if (c.lanes > 4) continue;
    const LinearKernel k = testing::kernel_of(c);
    const std::string text = text_of(k);
    SCOPED_TRACE(text);
    const auto launch = [&](testing::Contents& memory) {
      std::vector<std::span<std::byte>> arrays;
      for (auto& m : memory) arrays.push_back(std::as_writable_bytes(std::span(m)));
      ASSERT_EQ(run_bytes(k, text, arrays), "");
    };
    testing::check_run(launch, c, 20240117);
  }
}

INSTANTIATE_TEST_SUITE_P(All, PtxElementwise, ::testing::ValuesIn(testing::all_groups()),
                         [](const auto& info) {
                           return fmt::format("{}_{}", op_name(info.param.first),
                                              dtype_name(info.param.second));
                         });

// ---- masked accesses
class PtxMemory : public ::testing::TestWithParam<DType> {};

TEST_P(PtxMemory, TouchesOnlyWhatTheMaskAllows) {
  for (const LinearKernel& k : testing::masked_kernels(GetParam())) {
    SCOPED_TRACE(k.name);
    const auto launch = [&](const std::vector<void*>& buffers, const testing::Arrays& a) {
      const std::array<size_t, 4> bytes = {a.out.size(), a.in.size(), a.mask.size(),
                                           a.index.size() * sizeof(int32_t)};
      std::vector<std::span<std::byte>> arrays;
      for (size_t i = 0; i < k.params.size(); ++i)
        arrays.emplace_back(static_cast<std::byte*>(buffers[i]), bytes.at(i));
      // One group: its chunks write to the same places, in order.
      ASSERT_EQ(run_bytes(k, text_of(k), arrays, {}, 1), "");
    };
    testing::check_masked(launch, k, GetParam());
  }
}

INSTANTIATE_TEST_SUITE_P(All, PtxMemory, ::testing::ValuesIn(testing::stored_dtypes()),
                         [](const auto& info) { return std::string(dtype_name(info.param)); });

// ---- schedules
Target gpu(const MatrixUnit* unit) {
  Target t;
  t.vector_bytes = 16;
  t.vector_registers = 64;
  t.threads = 1;
  t.has_fma = true;
  t.max_group_size = unit != nullptr ? 128 : 64;
  t.subgroup_size = 32;
  t.async_copy_bytes = 16;
  t.local_bytes = 32 << 10;
  if (unit != nullptr) t.matrix_units = {unit};
  set_c_language(t);
  t.ops.set(static_cast<size_t>(Op::SubgroupShuffle));
  return t;
}

void check_values(const test::ZooKernel& z, const LinearKernel& linear) {
  const std::string text = text_of(linear);
  SCOPED_TRACE(text);
  std::vector<TensorValue> want = z.params, got = z.params;
  evaluate_ranged(z.ast, want);
  ASSERT_EQ(run_values(linear, text, got), "");
  for (size_t p = 0; p < want.size(); ++p)
    ASSERT_TRUE(test::same_numbers(got[p], want[p])) << "argument " << p;
}

class PtxSchedules : public ::testing::TestWithParam<int> {};

TEST_P(PtxSchedules, RunWithoutARaceAndGiveTheValuesOfThePlainOne) {
  const Target target = gpu(nullptr);
  const uint64_t first = test::first_seed();
  test::Tally tally("schedules of kind " + std::to_string(GetParam()));
  // Products and sums have loads that change from step to step.
  constexpr int kWithSteps = 5;
  const int least_ahead = GetParam() < kWithSteps ? 1 : 0;
  int ran = 0, ran_ahead = 0;
  for (uint64_t seed = first; seed < first + 1000; ++seed) {
    if ((ran >= 16 || seed >= first + 48) && ran > 0 && ran_ahead >= least_ahead) break;
    const test::DrawnSchedule d = test::draw_schedule(GetParam(), seed, &target, true);
    const KernelSchedule ahead =
        test::ScheduleMaker(d.kernel.ast, seed).with_steps_in_flight(d.schedule);
    for (const KernelSchedule& s : {d.schedule, ahead}) {
      SCOPED_TRACE(d.kernel.name + " seed " + std::to_string(seed) + ": " + opts_text(s));
      const auto linear = test::lower_or_refuse(d.kernel.ast, s, target, tally);
      if (!linear) continue;
      ++ran;
      if (s.opts != d.schedule.opts) ++ran_ahead;
      check_values(d.kernel, *linear);
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_GT(ran, 0);
  EXPECT_GE(ran_ahead, least_ahead);
}

INSTANTIATE_TEST_SUITE_P(Zoo, PtxSchedules, ::testing::Range(0, test::Zoo::kKinds));

std::vector<std::string> unit_names() {
  std::vector<std::string> out;
  for (const MatrixUnit& u : matrix_units()) {
    if (u.m == 16 && !u.is_of_one()) out.push_back(u.name);
  }
  return out;
}

// mma.sync of the interpreter is written from the manual, not from the maps that the kernels are
// made from, so both must agree.
class PtxUnits : public ::testing::TestWithParam<std::string> {};

TEST_P(PtxUnits, MultiplyAllKindsOfProducts) {
  const MatrixUnit& unit = *find_matrix_unit(GetParam());
  Options o = options();
  o.allow_tf32 = true;
  const OptionsScope scope(o);
  const Target target = gpu(&unit);
  test::Tally tally("products with " + unit.name);
  for (int kind = 0; kind < test::Products::kKinds; ++kind) {
    const test::ZooKernel z = test::Products(static_cast<uint64_t>(kind)).make(kind, unit.input);
    SCOPED_TRACE(z.name);
    const UOp ast = decompose(z.ast, target);
    const auto linear = test::lower_or_refuse(ast, choose_schedule(ast, target), target, tally);
    ASSERT_TRUE(linear);
    EXPECT_NE(text_of(*linear).find("mma.sync"), std::string::npos);
    check_values(z, *linear);
  }
}

INSTANTIATE_TEST_SUITE_P(All, PtxUnits, ::testing::ValuesIn(unit_names()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace tg::emulator::ptx

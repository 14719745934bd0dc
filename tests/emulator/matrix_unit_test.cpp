// Products by matrix units as CUDA C and MSL, run work-item by work-item: mma.sync and
// simdgroup_matrix are written for the emulator from the vendors' manuals, not from the maps that
// the kernels are made from, so both must agree; and with every access checked, no schedule holds a
// race.
#include <gtest/gtest.h>

#include <array>
#include <bit>

#include "codegen/heuristics.h"
#include "drawn.h"
#include "runtime/c_language.h"
#include "support/options.h"
#include "support/product_kernels.h"
#include "support/same_numbers.h"
#include "support/seeds_of_the_day.h"

namespace tg::emulator {
namespace {

Target gpu(Language language, const MatrixUnit& unit) {
  Target t;
  t.vector_bytes = 16;
  t.vector_registers = 64;
  t.threads = 1;
  t.has_fma = true;
  t.max_group_size = 128;
  t.subgroup_size = 32;
  t.local_bytes = 32 << 10;
  t.matrix_units = {&unit};
  set_c_language(t);
  if (language == Language::Metal) t.dtypes.reset(static_cast<size_t>(DType::Float64));
  return t;
}

Language language_of(const MatrixUnit& unit) {
  return unit.m == 16 ? Language::Cuda : Language::Metal;
}

std::vector<std::string> unit_names() {
  std::vector<std::string> out;
  for (const MatrixUnit& u : matrix_units()) {
    if (!u.is_of_one() && !u.reads_scratch) out.push_back(u.name);
  }
  return out;
}

class EmulatedUnits : public testing::TestWithParam<std::string> {
 protected:
  const MatrixUnit& unit() const { return *find_matrix_unit(GetParam()); }
  Language language() const { return language_of(unit()); }
  Target target() const { return gpu(language(), unit()); }

  void add(const test::ZooKernel& z, const UOp& ast, const KernelSchedule& s,
           const std::string& text) {
    auto linear = test::lower_or_refuse(ast, s, target(), tally_);
    if (!linear) return;
    linear->name += "_" + std::to_string(drawn_.size());
    programs_.push_back({linear->name, render(language(), *linear)});
    EXPECT_NE(programs_.back().text.find("tg_mma_" + unit().name + "("), std::string::npos);
    drawn_.push_back({z, std::move(*linear), text + opts_text(s)});
  }

  void run_all() {
    ASSERT_FALSE(drawn_.empty());
    const Module module(language(), programs_);
    for (size_t i = 0; i < drawn_.size(); ++i) {
      const Drawn& d = drawn_[i];
      SCOPED_TRACE(d.text + "\n" + programs_[i].text);
      std::vector<TensorValue> want = d.kernel.params, got = d.kernel.params;
      evaluate_ranged(d.kernel.ast, want);
      ASSERT_EQ(run_drawn(language(), module.kernels()[i], d, got,
                          {.groups = (d.linear.chunks + 1) / 2, .lanes = 32}),
                "");
      for (size_t p = 0; p < want.size(); ++p)
        ASSERT_TRUE(test::same_numbers(got[p], want[p])) << "argument " << p;
    }
  }

  test::Tally tally_{"schedules with " + GetParam()};
  std::vector<Drawn> drawn_;
  std::vector<Program> programs_;
};

TEST_P(EmulatedUnits, RunTheChosenSchedulesOfAllKindsOfProducts) {
  TG_NEEDS(language());
  Options o = options();
  o.allow_tf32 = true;
  const OptionsScope scope(o);
  for (int kind = 0; kind < test::Products::kKinds; ++kind) {
    const test::ZooKernel z = test::Products(static_cast<uint64_t>(kind)).make(kind, unit().input);
    const UOp ast = decompose(z.ast, target());
    add(z, ast, choose_schedule(ast, target()), z.name + ": ");
  }
  EXPECT_EQ(drawn_.size(), static_cast<size_t>(test::Products::kKinds));
  run_all();
}

TEST_P(EmulatedUnits, RunRandomSchedulesWithoutARace) {
  TG_NEEDS(language());
  const uint64_t first = test::first_seed();
  for (uint64_t seed = first; seed < first + 64 && drawn_.size() < 10; ++seed) {
    const int kind = static_cast<int>(seed % test::Products::kKinds);
    const test::ZooKernel z = test::Products(seed).make(kind, unit().input);
    const UOp ast = decompose(z.ast, target());
    const KernelSchedule s =
        test::ScheduleMaker(ast, seed).make_with_unit(unit(), static_cast<int>(seed % 5));
    if (s.unit) add(z, ast, s, z.name + " seed " + std::to_string(seed) + ": ");
  }
  run_all();
}

INSTANTIATE_TEST_SUITE_P(All, EmulatedUnits, testing::ValuesIn(unit_names()),
                         [](const auto& info) { return info.param; });

// Lanes that part ways before a product are found.
TEST(EmulatedUnitsOfCuda, MustBeReachedByAllLanes) {
  TG_NEEDS(Language::Cuda);
  std::vector<float> c(128);
  const std::string wrong = run_text(Language::Cuda, R"(
struct Four { float at[4]; float& operator[](int k) { return at[k]; } };
struct Halves { unsigned short at[8]; unsigned short& operator[](int k) { return at[k]; } };
extern "C" __global__ void k(float* c) {
  Four sum = {};
  Halves a = {}, b = {};
  if (threadIdx.x < 16) sum = tg_mma_m16n8k16_f16(a, b, sum);
  c[threadIdx.x] = sum[0];
})",
                                     {out(c)}, {.group_size = 32});
  EXPECT_NE(wrong.find("part ways"), std::string::npos) << wrong;
}

// tf32 keeps ten bits behind the first, halves are rounded away from zero.
TEST(EmulatedUnitsOfCuda, RoundTheOperandsOfTf32) {
  TG_NEEDS(Language::Cuda);
  std::vector<float> c(32);
  constexpr float kStep = 0x1p-10f;
  const std::vector<float> a = {1 + kStep / 2, 1 + kStep / 4, -1 - kStep / 2, 1 + kStep};
  EXPECT_EQ(run_text(Language::Cuda, R"(
template <int N> struct Floats { float at[N]; float& operator[](int k) { return at[k]; } };
extern "C" __global__ void k(float* c, const float* a) {
  Floats<4> x = {}, sum = {};
  Floats<2> y = {};
  if (threadIdx.x % 4 == 0) x[0] = a[threadIdx.x / 4 % 4];
  if (threadIdx.x == 0) y[0] = 1;
  sum = tg_mma_m16n8k8_tf32(x, y, sum);
  c[threadIdx.x] = sum[0];
})",
                     {out(c), in(a)}, {.group_size = 32}),
            "");
  EXPECT_EQ(c[0], 1 + kStep);
  EXPECT_EQ(c[4], 1);
  EXPECT_EQ(c[8], -1 - kStep);
  EXPECT_EQ(c[12], 1 + kStep);
}

}  // namespace
}  // namespace tg::emulator

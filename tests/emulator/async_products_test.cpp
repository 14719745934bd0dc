// Products of warpgroups as CUDA C, run work-item by work-item: wgmma.mma_async is written for the
// emulator from the PTX manual, by addresses of shared memory, not from the layout that the kernels
// are made from; and what a unit may still read is checked until it is waited for.
#include <gtest/gtest.h>

#include "codegen/heuristics.h"
#include "drawn.h"
#include "runtime/c_language.h"
#include "support/product_kernels.h"
#include "support/same_numbers.h"
#include "support/seeds_of_the_day.h"

namespace tg::emulator {
namespace {

constexpr Language kCuda = Language::Cuda;

Target hopper(const MatrixUnit& unit) {
  Target t;
  t.vector_bytes = 16;
  t.vector_registers = 64;
  t.threads = 1;
  t.has_fma = true;
  t.max_group_size = 256;
  t.subgroup_size = 32;
  t.local_bytes = 227 << 10;
  t.async_copy_bytes = 16;
  t.matrix_units = {&unit};
  set_c_language(t);
  t.ops.set(static_cast<size_t>(Op::SubgroupShuffle));
  return t;
}

struct AsyncProduct {
  const char* unit;
  int kind;
  Dim m, n, k;
};

class EmulatedAsyncProducts : public testing::Test {
 protected:
  // The kernel that is chosen, with each of `replaced` in its text; what it did wrong.
  std::string run_case(const AsyncProduct& c, std::string_view before = {}, std::string_view after = {}) {
    const MatrixUnit& unit = *find_matrix_unit(c.unit);
    const test::ZooKernel z =
        test::Products(test::first_seed()).sized(c.kind, unit.input, unit.input, c.m, c.n, c.k);
    const Target target = hopper(unit);
    const UOp ast = decompose(z.ast, target);
    const LinearKernel linear = lower(ast, choose_schedule(ast, target), target);
    std::string text = render_cuda(linear, {.local_bytes = 227 << 10, .has_async_copy = true});
    EXPECT_NE(text.find("tg_mma_" + unit.name + "<"), std::string::npos) << text;
    if (!before.empty()) {
      const size_t at = text.find(before);
      EXPECT_NE(at, std::string::npos) << text;
      if (at != std::string::npos) text.replace(at, before.size(), after);
    }
    const std::vector<Program> programs = {{linear.name, text}};
    const Module module(kCuda, programs);
    std::vector<TensorValue> want = z.params, got = z.params;
    evaluate_ranged(z.ast, want);
    const std::string wrong =
        run_drawn(kCuda, module.kernels()[0], {z, linear, {}}, got,
                  {.groups = linear.chunks,
                   .lanes = 32,
                   .local_bytes = cuda_dynamic_bytes(linear, {.local_bytes = 227 << 10})});
    if (!wrong.empty()) return wrong;
    for (size_t p = 0; p < want.size(); ++p) {
      if (!test::same_numbers(got[p], want[p])) return "wrong values";
    }
    return {};
  }
};

TEST_F(EmulatedAsyncProducts, GiveTheValuesOfThePlainSchedule) {
  TG_NEEDS(kCuda);
  for (const AsyncProduct& c :
       {AsyncProduct{"m64n64k16_f16", 0, 128, 64, 512}, AsyncProduct{"m64n64k16_bf16", 1, 64, 64, 384},
        AsyncProduct{"m64n64k16_bf16", 2, 64, 128, 384}, AsyncProduct{"m64n128k16_f16", 3, 40, 136, 384},
        AsyncProduct{"m64n256k16_bf16", 0, 64, 256, 384}})
    EXPECT_EQ(run_case(c), "") << c.unit << " " << c.kind;
}

constexpr AsyncProduct kSmall{"m64n64k16_bf16", 0, 64, 64, 512};

TEST_F(EmulatedAsyncProducts, ReadNothingThatHasNotArrived) {
  TG_NEEDS(kCuda);
  const std::string wrong = run_case(kSmall, "tg_async_wait<1>", "tg_async_wait<2>");
  EXPECT_NE(wrong.find("which nobody has written"), std::string::npos) << wrong;
}

TEST_F(EmulatedAsyncProducts, NeedTheirBarrier) {
  TG_NEEDS(kCuda);
  const std::string wrong = run_case(kSmall, "tg_mma_publish(); __syncthreads();", "");
  EXPECT_NE(wrong.find("which nobody has written"), std::string::npos) << wrong;
}

TEST_F(EmulatedAsyncProducts, AreNotOverwrittenWhileTheyRun) {
  TG_NEEDS(kCuda);
  const std::string wrong = run_case(kSmall, "tg_mma_wait<1>", "tg_mma_wait<2>");
  EXPECT_NE(wrong.find("which nobody has written"), std::string::npos) << wrong;
}

TEST_F(EmulatedAsyncProducts, AreReadByTheLayoutOfTheManual) {
  TG_NEEDS(kCuda);
  EXPECT_NE(run_case(kSmall, "tg_mma_m64n64k16_bf16<0, 1>", "tg_mma_m64n64k16_bf16<0, 0>"), "");
}

}  // namespace
}  // namespace tg::emulator

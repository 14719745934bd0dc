// Masked, gathered and scattered memory through C, with each compiler and without special
// instructions.
#include "masked_cases.h"

namespace tg::testing {
namespace {

class MaskedMemory : public ::testing::TestWithParam<std::tuple<CompilerCase, DType>> {};

TEST_P(MaskedMemory, TouchesOnlyWhatTheMaskAllows) {
  const auto& [with, t] = GetParam();
  if (!find_program(with.compiler)) GTEST_SKIP() << with.compiler << " is not installed";
  const std::vector<LinearKernel> kernels = masked_kernels(t);
  const Compiled code(render_c(kernels), with.compiler, {with.flag, "-O1"});
  ASSERT_TRUE(code.ok()) << code.errors();
  ASSERT_FALSE(kernels.empty());
  for (const LinearKernel& k : kernels) check_masked(code.entry(k.name), k, t);
}

INSTANTIATE_TEST_SUITE_P(
    Of, MaskedMemory,
    ::testing::Combine(
        ::testing::Values(CompilerCase{"clang_19_native", "clang-19", "-march=native"},
                          CompilerCase{"clang_19_v3", "clang-19", "-march=x86-64-v3"},
                          CompilerCase{"gcc_native", "gcc", "-march=native"},
                          CompilerCase{"gcc_generic", "gcc", "-march=x86-64"}),
        ::testing::ValuesIn(stored_dtypes())),
    [](const auto& info) {
      return fmt::format("{}_{}", std::get<0>(info.param).name,
                         dtype_name(std::get<1>(info.param)));
    });

}  // namespace
}  // namespace tg::testing

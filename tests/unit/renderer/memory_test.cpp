// Masked, gathered and scattered memory through C, with each compiler and without special
// instructions.
#include "masked_cases.h"

namespace tg::testing {
namespace {

class MaskedMemory : public ::testing::TestWithParam<DType> {};

TEST_P(MaskedMemory, TouchesOnlyWhatTheMaskAllows) {
  const DType t = GetParam();
  const std::vector<LinearKernel> kernels = masked_kernels(t);
  const std::string source = render_c(kernels);
  for (const auto& [compiler, flag] :
       {std::pair<std::string, std::string>{"clang-19", "-march=native"},
        {"gcc", "-march=native"},
        {"clang-19", "-march=x86-64-v3"},
        {"gcc", "-march=x86-64"}}) {
    if (!find_program(compiler)) continue;
    SCOPED_TRACE(compiler + " " + flag);
    const Compiled code(source, compiler, {flag, "-O1"});
    ASSERT_TRUE(code.ok()) << code.errors();
    for (const LinearKernel& k : kernels) {
      check_masked(code.entry(k.name), k, t);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, MaskedMemory, ::testing::ValuesIn(stored_dtypes()),
                         [](const auto& info) { return std::string(dtype_name(info.param)); });

}  // namespace
}  // namespace tg::testing

// Every elementwise op in every dtype: the generated C against the op record's evaluation. The
// kernels of a case share one translation unit.
#include "elementwise_cases.h"

namespace tg::testing {
namespace {

class RenderedElementwise : public ::testing::TestWithParam<std::tuple<CompilerCase, Group>> {};

TEST_P(RenderedElementwise, EqualsTheRecordsEvaluation) {
  const auto& [with, group] = GetParam();
  if (!find_program(with.compiler)) GTEST_SKIP() << with.compiler << " is not installed";
  std::vector<LinearKernel> kernels;
  for (const Case& c : cases_of(group)) kernels.push_back(kernel_of(c));
  const std::string source = render_c(kernels);
  const Compiled code(source, with.compiler, {with.flag, "-O1"});
  ASSERT_TRUE(code.ok()) << code.errors() << source;
  for (const Case& c : cases_of(group)) check(code.entry("k_" + case_name(c)), c, 20240117);
}

INSTANTIATE_TEST_SUITE_P(
    Of, RenderedElementwise,
    ::testing::Combine(::testing::Values(CompilerCase{"clang_native", "clang-19", "-march=native"},
                                         CompilerCase{"gcc_generic", "gcc", "-mtune=generic"}),
                       ::testing::ValuesIn(all_groups())),
    [](const auto& info) {
      const Group& group = std::get<1>(info.param);
      return fmt::format("{}_{}_{}", std::get<0>(info.param).name, op_name(group.first),
                         dtype_name(group.second));
    });

}  // namespace
}  // namespace tg::testing

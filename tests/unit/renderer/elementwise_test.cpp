// Every elementwise op in every dtype: the generated C against the op record's evaluation. The
// kernels of a case share one translation unit a compiler.
#include "elementwise_cases.h"

namespace tg::testing {
namespace {

struct Toolchain {
  std::string name, compiler;
  std::vector<std::string> flags;
};

const std::vector<Toolchain>& toolchains() {
  static const std::vector<Toolchain> found = [] {
    std::vector<Toolchain> out;
    for (const Toolchain& t :
         std::vector<Toolchain>{{"clang_native", "clang-19", {"-march=native", "-O1"}},
                                {"gcc_generic", "gcc", {"-O1"}}}) {
      if (find_program(t.compiler)) out.push_back(t);
    }
    return out;
  }();
  return found;
}

class RenderedElementwise : public ::testing::TestWithParam<Group> {};

TEST_P(RenderedElementwise, EqualsTheRecordsEvaluation) {
  ASSERT_FALSE(toolchains().empty()) << "no C compiler";
  std::vector<LinearKernel> kernels;
  for (const Case& c : cases_of(GetParam())) kernels.push_back(kernel_of(c));
  const std::string source = render_c(kernels);
  for (const Toolchain& t : toolchains()) {
    SCOPED_TRACE(t.name);
    const Compiled code(source, t.compiler, t.flags);
    ASSERT_TRUE(code.ok()) << code.errors() << source;
    for (const Case& c : cases_of(GetParam())) check(code.entry("k_" + case_name(c)), c, 20240117);
  }
}

INSTANTIATE_TEST_SUITE_P(All, RenderedElementwise, ::testing::ValuesIn(all_groups()),
                         [](const auto& info) {
                           return fmt::format("{}_{}", op_name(info.param.first),
                                              dtype_name(info.param.second));
                         });

}  // namespace
}  // namespace tg::testing

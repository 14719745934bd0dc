// Every elementwise op in every dtype through LLVM, of each version that is installed, against the
// op record's evaluation: for this processor, and for the plain one, which lacks half the
// instructions.
#include "../../renderer/elementwise_cases.h"
#include "../../renderer/masked_cases.h"
#include "backends/cpu/llvm_compiler.h"
#include "backends/cpu/object_code.h"
#include "backends/cpu/target.h"
#include "support/options.h"

namespace tg::testing {
namespace {

struct Setting {
  const char* version;
  const char* arch;
};

// Compiles `kernel` and hands its entry to `run`.
template <typename Run>
void with_entry(const cpu::LlvmCompiler& compiler, const LinearKernel& kernel, Run&& run) {
  const std::string object = compiler.compile(compiler.render({&kernel, 1}), kernel.name);
  const cpu::CodeRef code = cpu::load_object(object, kernel.name);
  run(reinterpret_cast<Entry*>(code->symbol(kernel.name)));
}

// Calls `run` with a compiler of each setting that can be had here.
template <typename Run>
void in_all_settings(Run&& run) {
  for (const Setting& s :
       {Setting{"19", "native"}, {"19", "generic"}, {"16", "native"}, {"15", "generic"}}) {
    SCOPED_TRACE(fmt::format("LLVM {}, {}", s.version, s.arch));
    Options o = options();
    o.llvm = s.version;
    const OptionsScope scope(o);
    const auto file = cpu::find_llvm();
    if (file) run(cpu::LlvmCompiler(*file, cpu::detect_target(s.arch)));
  }
}

class LlvmElementwise : public ::testing::TestWithParam<Group> {};

TEST_P(LlvmElementwise, EqualsTheRecordsEvaluation) {
  if (!cpu::find_llvm()) GTEST_SKIP() << "no libLLVM";
  in_all_settings([](const cpu::LlvmCompiler& compiler) {
    for (const Case& c : cases_of(GetParam())) {
      if (c.lanes == 8) continue;
      with_entry(compiler, kernel_of(c), [&](Entry* entry) { check(entry, c, 20240117); });
    }
  });
}

INSTANTIATE_TEST_SUITE_P(All, LlvmElementwise, ::testing::ValuesIn(all_groups()),
                         [](const auto& info) {
                           return fmt::format("{}_{}", op_name(info.param.first),
                                              dtype_name(info.param.second));
                         });

class LlvmMaskedMemory : public ::testing::TestWithParam<DType> {};

TEST_P(LlvmMaskedMemory, TouchesOnlyWhatTheMaskAllows) {
  if (!cpu::find_llvm()) GTEST_SKIP() << "no libLLVM";
  in_all_settings([](const cpu::LlvmCompiler& compiler) {
    for (const LinearKernel& k : masked_kernels(GetParam()))
      with_entry(compiler, k, [&](Entry* entry) { check_masked(entry, k, GetParam()); });
  });
}

INSTANTIATE_TEST_SUITE_P(All, LlvmMaskedMemory, ::testing::ValuesIn(stored_dtypes()),
                         [](const auto& info) { return std::string(dtype_name(info.param)); });

}  // namespace
}  // namespace tg::testing

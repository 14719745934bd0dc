// The assembler makes machine code of everything that is written in PTX, for an A100 and an H100,
// on any machine, of what cubins_test.cpp gives NVRTC; whole programs are there, for both. Skipped,
// with what to install, where there is no assembler.
#include "../../renderer/elementwise_cases.h"
#include "../../renderer/kernels.h"
#include "backends/nvidia/choice.h"
#include "backends/nvidia/cubin_device.h"
#include "codegen/heuristics.h"
#include "codegen/lower.h"
#include "codegen/pipeline.h"
#include "needs.h"
#include "renderer/ptx.h"
#include "support/device_error.h"
#include "support/options.h"
#include "support/product_kernels.h"

namespace tg::testing {
namespace {

using namespace tg::nvidia;

class Assembled : public ::testing::TestWithParam<int> {
 public:
  static LinearKernel kernel(int i) {
    std::vector<LinearKernel> all = all_kernels();
    all.push_back(reversed_by_work_items());
    all.push_back(async_copied_rows());
    all.push_back(wrapping_sums());
    all.push_back(staged_reverse(Space::Scratch, 20000));
    for (const LinearKernel& k : unit_products(16)) all.push_back(k);
    return all.at(static_cast<size_t>(i));
  }
};

TEST_P(Assembled, AreTheHandWrittenKernels) {
  TG_NEEDS_ASSEMBLER();
  for (const char* arch : {"sm_80", "sm_90a"}) {
    const CompiledImage made = assemble_image(*find_assembler(), kernel(GetParam()), arch);
    EXPECT_TRUE(
        made.image.bytes.starts_with("\x7f"
                                     "ELF"))
        << arch;
    EXPECT_GT(made.image.use.registers, 0) << arch;
    EXPECT_EQ(made.image.use.spilled_bytes, 0) << arch;
    // An array of a work-item's own may come to lie in registers; nothing else may come to lie
    // outside.
    if (made.source.find(".local") == std::string::npos) {
      EXPECT_EQ(made.image.use.stack_bytes, 0) << arch;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Assembled, ::testing::Range(0, 25),
                         [](const auto& info) { return "k" + std::to_string(info.param); });

TEST(AssembledPtx, ThatIsNoneIsAnErrorWithTheAssemblersWords) {
  TG_NEEDS_ASSEMBLER();
  const std::string text = test::device_error([] {
    std::string source = render_ptx(row_sum(), {});
    source.replace(source.find("bra loop"), 8, "brx loop");
    find_assembler()->assemble(source, "sm_80", "kernel row_sum");
  });
  EXPECT_NE(text.find("cannot compile kernel row_sum"), std::string::npos) << text;
  EXPECT_NE(text.find("ptx input, line "), std::string::npos) << text;
  const size_t at = text.find("kept in "), end = text.find(".ptx.", at);
  ASSERT_NE(end, std::string::npos) << text;
  std::filesystem::remove(text.substr(at + 8, end + 4 - at - 8));
}

TEST(AssembledPtx, OfAnArchitectureThatTheAssemblerDoesNotKnowIsAnError) {
  TG_NEEDS_ASSEMBLER();
  Options o = options();
  const TempDir folder("tg-assembled");
  o.temp_dir = folder.path().string();
  const OptionsScope scope(o);
  const std::string text = test::device_error(
      [] { find_assembler()->assemble(render_ptx(row_sum(), {}), "sm_61", "kernel row_sum"); });
  EXPECT_NE(text.find("sm_61"), std::string::npos) << text;
}

TEST(AssembledPtx, ForTuringHasItsMatrixUnit) {
  TG_NEEDS_ASSEMBLER();
  const LinearKernel k = unit_product(*find_matrix_unit("m16n8k8_f16"));
  EXPECT_GT(assemble_image(*find_assembler(), k, "sm_75").image.use.registers, 0);
}

// One module of all operations on a dtype: with 1 and 4 lanes, as the target has them.
class AssembledElementwise : public ::testing::TestWithParam<DType> {};

TEST_P(AssembledElementwise, IsEveryOperation) {
  TG_NEEDS_ASSEMBLER();
  std::string text;
  const std::string end_of_head = ".address_size 64\n";
  for (const Group& g : all_groups()) {
    if (g.second != GetParam()) continue;
    for (const Case& c : cases_of(g)) {
      if (c.lanes > 4) continue;
      const std::string one = render_ptx(kernel_of(c), {});
      text += text.empty() ? one : one.substr(one.find(end_of_head) + end_of_head.size());
    }
  }
  EXPECT_NO_THROW(find_assembler()->assemble(text, "sm_80", "the operations"));
}

INSTANTIATE_TEST_SUITE_P(All, AssembledElementwise, ::testing::ValuesIn(dtypes_of_groups()),
                         [](const auto& info) { return std::string(dtype_name(info.param)); });

// Every kind of product in every dtype that has units.
class AssembledUnits : public ::testing::TestWithParam<std::tuple<std::string, DType>> {};

TEST_P(AssembledUnits, MultiplyByTensorCores) {
  TG_NEEDS_ASSEMBLER();
  const auto& [arch, dtype] = GetParam();
  Options o = options();
  o.allow_tf32 = true;
  const OptionsScope scope(o);
  const Target target = cuda_target(typical_facts(capability_of(arch)), arch, true);
  for (int kind = 0; kind < test::Products::kKinds; ++kind) {
    const test::ZooKernel z = test::Products(static_cast<uint64_t>(kind)).make(kind, dtype);
    const UOp ast = run_kernel_passes(z.ast, target);
    const LinearKernel k = lower(ast, choose_schedule(ast, target), target);
    const CompiledImage made = assemble_image(*find_assembler(), k, arch);
    EXPECT_NE(made.source.find("mma.sync.aligned.m16n8k"), std::string::npos);
    EXPECT_EQ(made.image.use.spilled_bytes, 0) << z.name;
    EXPECT_EQ(made.image.use.stack_bytes, 0) << z.name << ": a fragment lies in memory";
  }
}

INSTANTIATE_TEST_SUITE_P(All, AssembledUnits,
                         ::testing::Combine(::testing::Values("sm_80", "sm_90a"),
                                            ::testing::Values(dtypes::float16, dtypes::bfloat16,
                                                              dtypes::float32)),
                         [](const auto& info) {
                           return std::get<0>(info.param) + "_" +
                                  std::string(dtype_name(std::get<1>(info.param)));
                         });

}  // namespace
}  // namespace tg::testing

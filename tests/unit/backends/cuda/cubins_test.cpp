// NVRTC makes machine code of everything that the renderer writes, for an A100 and an H100, on any
// machine: of the hand-written kernels, of every elementwise op in every dtype, and of the kernels
// of whole programs. Skipped, with what to install, where there is no NVRTC.
#include "../../renderer/elementwise_cases.h"
#include "../../renderer/kernels.h"
#include "backends/cuda/cubin_device.h"
#include "renderer/c_kernel.h"
#include "support/device_error.h"
#include "support/gpu_workloads.h"
#include "support/options.h"

namespace tg::testing {
namespace {

using namespace tg::cuda;

#define TG_NEEDS_NVRTC() \
  if (find_nvrtc() == nullptr) GTEST_SKIP() << "needs NVRTC: " << missing_nvrtc_advice()

const std::vector<std::string>& archs() {
  static const std::vector<std::string> both = {"sm_80", "sm_90a"};
  return both;
}

class Cubins : public ::testing::TestWithParam<int> {
 public:
  static LinearKernel kernel(int i) {
    std::vector<LinearKernel> all = all_kernels();
    all.push_back(reversed_by_items());
    all.push_back(wrapping_sums());
    all.push_back(staged_reverse(Space::Scratch, 20000));
    return all.at(static_cast<size_t>(i));
  }
};

TEST_P(Cubins, AreMadeOfTheHandWrittenKernels) {
  TG_NEEDS_NVRTC();
  for (const std::string& arch : archs()) {
    const CompiledImage made = compile_image(*find_nvrtc(), kernel(GetParam()), arch);
    EXPECT_TRUE(
        made.image.bytes.starts_with("\x7f"
                                     "ELF"))
        << arch;
    EXPECT_GT(made.image.use.registers, 0) << arch;
    EXPECT_EQ(made.image.use.spilled_bytes, 0) << arch;
    EXPECT_EQ(made.image.use.stack_bytes, 0) << arch << ": a vector lies in memory";
  }
}

INSTANTIATE_TEST_SUITE_P(All, Cubins, ::testing::Range(0, 21),
                         [](const auto& info) { return "k" + std::to_string(info.param); });

TEST(Cubin, ReportsSharedMemory) {
  TG_NEEDS_NVRTC();
  const KernelUse small = compile_image(*find_nvrtc(), reversed_by_items(), "sm_80").image.use;
  EXPECT_EQ(small.shared_bytes, 32);
  const LinearKernel k = staged_reverse(Space::Scratch, 20000);
  EXPECT_EQ(compile_image(*find_nvrtc(), k, "sm_80").image.use.shared_bytes, k.scratch_bytes);
}

TEST(Cubin, OfWhatIsNoCudaCIsAnErrorWithTheCompilersWords) {
  TG_NEEDS_NVRTC();
  const std::string text = test::device_error(
      [] { find_nvrtc()->compile("__global__ void k() { return 1; }", "sm_80", "kernel k"); });
  EXPECT_NE(text.find("cannot compile kernel k: NVRTC_ERROR_COMPILATION"), std::string::npos)
      << text;
  EXPECT_NE(text.find("return value type"), std::string::npos) << text;
  const size_t at = text.find("kept in "), end = text.find(".cu.", at);
  ASSERT_NE(end, std::string::npos) << text;
  std::filesystem::remove(text.substr(at + 8, end + 3 - at - 8));
}

// One unit a dtype: 1 and 4 lanes, as the target has them, and 16.
class ElementwiseCubins : public ::testing::TestWithParam<DType> {};

TEST_P(ElementwiseCubins, AreMadeOfEveryOperation) {
  TG_NEEDS_NVRTC();
  const auto dialect = cuda_c({});
  CUnit unit(*dialect);
  std::string text;
  for (const Group& g : all_groups()) {
    if (g.second != GetParam()) continue;
    for (const Case& c : cases_of(g)) {
      if (c.lanes == 1 || c.lanes == 4 || (c.lanes == 16 && g.first == Op::Where))
        text += c_kernel(unit, kernel_of(c));
    }
  }
  EXPECT_NO_THROW(find_nvrtc()->compile(unit.preamble() + text, "sm_80", "the operations"));
}

std::vector<DType> all_dtypes() {
  std::vector<DType> out = arithmetic();
  for (DType t : {dtypes::float16, dtypes::bfloat16, dtypes::fp8e4m3}) out.push_back(t);
  return out;
}

INSTANTIATE_TEST_SUITE_P(All, ElementwiseCubins, ::testing::ValuesIn(all_dtypes()),
                         [](const auto& info) { return std::string(dtype_name(info.param)); });

/// A few accumulators in slow memory are no loss; more would be.
constexpr int64_t kFewSpilledBytes = 64;

// Whole programs: their kernels compile and fit; the long one for one processor only.
class WorkloadCubins : public ::testing::TestWithParam<std::tuple<int, std::string>> {};

TEST_P(WorkloadCubins, AreMade) {
  TG_NEEDS_NVRTC();
  const auto& [index, name] = GetParam();
  if (index == 0 && name != "CUDA:SM_90A") GTEST_SKIP() << "the training step: only for SM_90A";
  Options o = options();
  o.device = name;
  const OptionsScope scope(o);
  auto& d = dynamic_cast<CubinDevice&>(device(name));
  const size_t before = d.reports().size();
  test::gpu_workloads().at(static_cast<size_t>(index)).run();
  const std::vector<CubinDevice::Report> reports = d.reports();
  for (size_t i = before; i < reports.size(); ++i) {
    EXPECT_LE(reports[i].use.spilled_bytes, kFewSpilledBytes) << reports[i].kernel;
    EXPECT_LE(reports[i].use.registers * reports[i].items, 65536) << reports[i].kernel;
    EXPECT_LE(reports[i].use.shared_bytes, d.target().local_bytes) << reports[i].kernel;
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, WorkloadCubins,
    ::testing::Combine(::testing::Range(0, static_cast<int>(test::gpu_workloads().size())),
                       ::testing::Values("CUDA:SM_80", "CUDA:SM_90A")),
    [](const auto& info) {
      std::string name;
      const auto all = test::gpu_workloads();
      for (char c : all.at(static_cast<size_t>(std::get<0>(info.param))).name) {
        if (std::isalnum(static_cast<unsigned char>(c)) != 0) name += c;
      }
      return name + "_" + std::get<1>(info.param).substr(5);
    });

}  // namespace
}  // namespace tg::testing

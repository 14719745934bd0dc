// NVRTC makes machine code of everything that the renderer writes, for an A100 and an H100, on any
// machine: of the hand-written kernels, of every elementwise op in every dtype, and of the kernels
// of whole programs. Skipped, with what to install, where there is no NVRTC.
#include <charconv>

#include "../../renderer/elementwise_cases.h"
#include "../../renderer/kernels.h"
#include "backends/nvidia/choice.h"
#include "backends/nvidia/cubin_device.h"
#include "codegen/heuristics.h"
#include "codegen/lower.h"
#include "codegen/pipeline.h"
#include "needs.h"
#include "renderer/c_kernel.h"
#include "support/device_error.h"
#include "support/gpu_workloads.h"
#include "support/options.h"
#include "support/product_kernels.h"
#include "support/text.h"

namespace tg::testing {
namespace {

using namespace tg::nvidia;

const std::vector<std::string>& archs() {
  static const std::vector<std::string> both = {"sm_80", "sm_90a"};
  return both;
}

class Cubins : public ::testing::TestWithParam<int> {
 public:
  static LinearKernel kernel(int i) {
    std::vector<LinearKernel> all = all_kernels();
    all.push_back(reversed_by_work_items());
    all.push_back(async_copied_rows());
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
  const KernelUse small = compile_image(*find_nvrtc(), reversed_by_work_items(), "sm_80").image.use;
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

INSTANTIATE_TEST_SUITE_P(All, ElementwiseCubins, ::testing::ValuesIn(dtypes_of_groups()),
                         [](const auto& info) { return std::string(dtype_name(info.param)); });

// Instructions in machine code: of 16 bytes each, with `code` in the lowest ones.
int64_t instructions(std::string_view cubin, std::string_view code) {
  int64_t n = 0;
  for (size_t at = 0; at + 16 <= cubin.size(); at += 16) n += cubin.substr(at).starts_with(code);
  return n;
}
int64_t tensor_instructions(std::string_view cubin) { return instructions(cubin, "\x3c\x72"); }
int64_t warpgroup_products(std::string_view cubin) { return instructions(cubin, "\xf0\x79"); }
/// Where a warpgroup begins products, or waits for some.
int64_t warpgroup_turns(std::string_view cubin) { return instructions(cubin, "\xc5\x79"); }

Target target_for(const std::string& arch) {
  return cuda_target(typical_facts(capability_of(arch)), arch, false);
}

// Every kind of product in every dtype that has units: the kernel's text calls them, and machine
// code has their instruction.
class UnitCubins : public ::testing::TestWithParam<std::tuple<std::string, DType>> {};

TEST_P(UnitCubins, HaveInstructionsOfTensorCores) {
  TG_NEEDS_NVRTC();
  const auto& [arch, dtype] = GetParam();
  Options o = options();
  o.allow_tf32 = true;
  const OptionsScope scope(o);
  const Target target = target_for(arch);
  for (int kind = 0; kind < test::Products::kKinds; ++kind) {
    const test::ZooKernel z = test::Products(static_cast<uint64_t>(kind)).make(kind, dtype);
    const UOp ast = run_kernel_passes(z.ast, target);
    const LinearKernel k = lower(ast, choose_schedule(ast, target), target);
    const auto calls = std::ranges::count_if(k.ops, [](const UOp& u) { return u.is(Op::Mma); });
    ASSERT_GT(calls, 0) << z.name;
    const CompiledImage made = compile_image(*find_nvrtc(), k, arch);
    EXPECT_NE(made.source.find("mma.sync.aligned.m16n8k"), std::string::npos);
    EXPECT_GE(tensor_instructions(made.image.bytes), calls) << z.name << "\n" << made.source;
    EXPECT_EQ(made.image.use.spilled_bytes, 0) << z.name;
    EXPECT_EQ(made.image.use.stack_bytes, 0) << z.name << ": a fragment lies in memory";
  }
}

INSTANTIATE_TEST_SUITE_P(All, UnitCubins,
                         ::testing::Combine(::testing::Values("sm_80", "sm_90a"),
                                            ::testing::Values(dtypes::float16, dtypes::bfloat16,
                                                              dtypes::float32)),
                         [](const auto& info) {
                           return std::get<0>(info.param) + "_" +
                                  std::string(dtype_name(std::get<1>(info.param)));
                         });

// Factors that the unit reads by itself: an instruction of four warps, none of which waits for the
// one before it, and no sum in memory.
TEST(CubinsOfUnits, AreThoseOfWarpgroupsWhereSizesSuitThem) {
  TG_NEEDS_NVRTC();
  const Target target = target_for("sm_90a");
  for (const DType t : {dtypes::float16, dtypes::bfloat16}) {
    for (const int kind : {0, 1, 2}) {
      const test::ZooKernel z = test::Products(1).sized(kind, t, t, 2048, 2048, 4096);
      const UOp ast = run_kernel_passes(z.ast, target);
      const LinearKernel k = lower(ast, choose_schedule(ast, target), target);
      EXPECT_EQ(std::ranges::count_if(k.ops, [](const UOp& u) { return u.is(Op::MmaAsync); }), 4);
      const CompiledImage made = compile_image(*find_nvrtc(), k, "sm_90a");
      EXPECT_NE(made.source.find("wgmma.mma_async.sync.aligned.m64n256k16"), std::string::npos);
      EXPECT_EQ(made.image.use.spilled_bytes, 0) << z.name;
      EXPECT_EQ(made.image.use.stack_bytes, 0) << z.name;
      // Other bytes may look the same.
      EXPECT_GE(warpgroup_products(made.image.bytes), 4) << z.name;
      EXPECT_GE(warpgroup_turns(made.image.bytes), 3) << z.name;
      EXPECT_LE(warpgroup_turns(made.image.bytes), 5) << z.name << ": products wait for each other";
    }
  }
}

TEST(CubinsOfUnits, OfHalvesAreMadeForTuring) {
  TG_NEEDS_NVRTC();
  const LinearKernel k = unit_product(*find_matrix_unit("m16n8k8_f16"));
  EXPECT_EQ(tensor_instructions(compile_image(*find_nvrtc(), k, "sm_75").image.bytes), 1);
}

TEST(CubinsOfUnits, OfFloat32NeedTheOption) {
  const Target target = target_for("sm_80");
  const test::ZooKernel z = test::Products(1).make(0, dtypes::float32);
  Options o = options();
  o.allow_tf32 = false;
  {
    const OptionsScope scope(o);
    EXPECT_FALSE(choose_schedule(z.ast, target).unit);
  }
  o.allow_tf32 = true;
  const OptionsScope scope(o);
  EXPECT_TRUE(choose_schedule(z.ast, target).unit);
}

TEST(CubinsOfUnits, HaveNoTensorInstructionsWithoutUnits) {
  TG_NEEDS_NVRTC();
  EXPECT_EQ(tensor_instructions(compile_image(*find_nvrtc(), small_matmul(), "sm_80").image.bytes),
            0);
}

TEST(UnitFacts, FollowTheComputeCapability) {
  const auto names = [](int capability) {
    std::string out;
    for (const MatrixUnit* u : cuda_target(typical_facts(capability), "sm_80", false).matrix_units)
      out += u->name + " ";
    return out;
  };
  EXPECT_EQ(names(70), "");
  EXPECT_EQ(names(75), "m16n8k8_f16 ");
  EXPECT_EQ(names(80), "m16n8k16_f16 m16n8k16_bf16 m16n8k8_tf32 ");
  EXPECT_EQ(names(90), "m16n8k16_f16 m16n8k16_bf16 m16n8k8_tf32 ") << "for sm_80's code";
  const auto of_hopper = [](bool ptx) {
    return cuda_target(typical_facts(90), "sm_90a", ptx).matrix_units.front()->name;
  };
  EXPECT_EQ(of_hopper(false), "m64n256k16_f16");
  EXPECT_EQ(of_hopper(true), "m16n8k16_f16");
}

// Short kernels are compiled once for all sizes; a gate on each element would double the time of
// long ones.
TEST(CubinsOfSizes, AreOneForShortKernelsOnly) {
  TG_NEEDS_NVRTC();
  Options o = options();
  o.device = "CUDA:SM_90A";
  const OptionsScope scope(o);
  auto& d = dynamic_cast<CubinDevice&>(device(o.device));
  const auto kernel_of = [&](int64_t n) {
    const Tensor x = Tensor::empty({n});
    const size_t before = d.reports().size();
    (x * x + 1.0).realize();
    const std::vector<CubinDevice::Report> reports = d.reports();
    return reports.size() == before ? std::string() : reports.back().kernel;
  };
  EXPECT_TRUE(kernel_of(1000).starts_with("e_n_"));
  EXPECT_EQ(kernel_of(1004), "");
  EXPECT_TRUE(kernel_of(int64_t{1} << 26).starts_with("e_67108864_"));
}

// Points of all loops of a kernel, by its name: 1024 of "r_16_64_4f3b0a12".
double points_of(std::string_view kernel) {
  double points = 1;
  for (std::string_view part : split(kernel.substr(0, kernel.rfind('_')), '_')) {
    int64_t n = 0;
    if (std::from_chars(part.data(), part.data() + part.size(), n).ec == std::errc()) points *= n;
  }
  return points;
}

/// A few accumulators in slow memory are no loss; more would be.
constexpr int64_t kFewSpilledBytes = 64;

// Whole programs, in both languages: their kernels compile and fit. A workload by its index, and
// the device.
using WorkloadAndDevice = std::tuple<int, std::string>;
class WorkloadCubins : public ::testing::TestWithParam<WorkloadAndDevice> {};

TEST_P(WorkloadCubins, AreMade) {
  const auto& [index, name] = GetParam();
  if (name.find("PTX") == std::string::npos) {
    TG_NEEDS_NVRTC();
  } else {
    TG_NEEDS_ASSEMBLER();
  }
  Options o = options();
  o.device = name;
  const OptionsScope scope(o);
  auto& d = dynamic_cast<CubinDevice&>(device(name));
  const size_t before = d.reports().size();
  test::gpu_workloads().at(static_cast<size_t>(index)).run();
  const std::vector<CubinDevice::Report> reports = d.reports();
  for (size_t i = before; i < reports.size(); ++i) {
    EXPECT_LE(reports[i].use.spilled_bytes, kFewSpilledBytes) << reports[i].kernel;
    EXPECT_LE(reports[i].use.registers * reports[i].group_size, 65536) << reports[i].kernel;
    EXPECT_LE(reports[i].use.shared_bytes, d.target().local_bytes) << reports[i].kernel;
    EXPECT_TRUE(reports[i].group_size > 1 || points_of(reports[i].kernel) < 1 << 16)
        << reports[i].kernel << " is run by one work-item";
  }
}

/// All on each device; but the first, the training step, which has the most kernels, for one
/// processor only.
std::vector<WorkloadAndDevice> workloads_on_devices() {
  std::vector<WorkloadAndDevice> out;
  for (int i = 0; i < static_cast<int>(test::gpu_workloads().size()); ++i) {
    for (const std::string device :
         {"CUDA:SM_80", "CUDA:SM_90A", "CUDA:PTX:SM_80", "CUDA:PTX:SM_90A"}) {
      if (i > 0 || device.ends_with("SM_90A")) out.emplace_back(i, device);
    }
  }
  return out;
}

INSTANTIATE_TEST_SUITE_P(All, WorkloadCubins, ::testing::ValuesIn(workloads_on_devices()),
                         [](const auto& info) {
                           std::string name;
                           const auto all = test::gpu_workloads();
                           for (char c :
                                all.at(static_cast<size_t>(std::get<0>(info.param))).name) {
                             if (std::isalnum(static_cast<unsigned char>(c)) != 0) name += c;
                           }
                           std::string device = std::get<1>(info.param).substr(5);
                           std::ranges::replace(device, ':', '_');
                           return name + "_" + device;
                         });

}  // namespace
}  // namespace tg::testing

// What needs neither a driver nor a compiler: facts of a processor as a target, names of
// architectures, settings, the assembler's report.
#include <gtest/gtest.h>

#include "backends/nvidia/choice.h"
#include "backends/nvidia/facts.h"
#include "backends/nvidia/nvrtc.h"
#include "support/device_error.h"

namespace tg::testing {
namespace {

using namespace tg::nvidia;

TEST(CudaTarget, CountsItsMultiprocessorsAsCores) {
  const Target t = cuda_target(typical_facts(80), "sm_80", false);
  EXPECT_EQ(t.threads, 108);
  EXPECT_EQ(t.arch, "sm_80");
  EXPECT_EQ(t.max_groups, 108 * 32);
  EXPECT_EQ(t.subgroup_size, 32);
  EXPECT_EQ(t.max_group_size, 1024);
}

TEST(CudaTarget, MultipliesClockUnitsAndTwoOperations) {
  const Target a = cuda_target(typical_facts(80), "sm_80", false),
               h = cuda_target(typical_facts(90), "sm_90a", false);
  EXPECT_NEAR(a.flops_per_second * a.threads, 19.5e12, 0.1e12);  // as the A100 is sold
  EXPECT_NEAR(h.flops_per_second * h.threads, 59.3e12, 0.1e12);
}

TEST(CudaTarget, MultipliesMemoryClockWidthAndTwoTransfers) {
  EXPECT_NEAR(cuda_target(typical_facts(80), "sm_80", false).bytes_per_second, 1555e9, 1e9);
  EXPECT_NEAR(cuda_target(typical_facts(90), "sm_90a", false).bytes_per_second, 3352e9, 1e9);
}

TEST(CudaTarget, SharesMemoryThatABlockCanAskFor) {
  EXPECT_EQ(cuda_target(typical_facts(80), "sm_80", false).local_bytes, 163 << 10);
  EXPECT_EQ(cuda_target(typical_facts(90), "sm_90a", false).local_bytes, 227 << 10);
  EXPECT_EQ(machine_of(typical_facts(75)).local_bytes, 64 << 10);
  EXPECT_EQ(machine_of(typical_facts(86)).local_bytes, 99 << 10);
}

TEST(CudaTarget, SpellsWhatTheRendererSpells) {
  const Target t = cuda_target(typical_facts(80), "sm_80", false);
  EXPECT_TRUE(t.supports(Op::Fma));
  EXPECT_FALSE(t.supports(Op::Exp2));
  EXPECT_TRUE(t.supports(DType::Float64));
  EXPECT_FALSE(t.supports(DType::BFloat16));
}

TEST(CudaTarget, IsAnotherMachineWithAnotherName) {
  CudaFacts a = typical_facts(80), b = a;
  b.name = "another";
  EXPECT_NE(cuda_target(a, "sm_80", false).machine, cuda_target(b, "sm_80", false).machine);
}

struct Arch {
  int capability;
  std::string name;
};
class CudaArch : public ::testing::TestWithParam<Arch> {};

TEST_P(CudaArch, IsNamedAsTheCompilerKnowsIt) {
  EXPECT_EQ(arch_for(GetParam().capability, {75, 80, 86, 90, 100}), GetParam().name);
}

INSTANTIATE_TEST_SUITE_P(All, CudaArch,
                         ::testing::Values(Arch{75, "sm_75"}, Arch{80, "sm_80"}, Arch{86, "sm_86"},
                                           Arch{90, "sm_90a"}, Arch{100, "sm_100"},
                                           Arch{87, "compute_86"}, Arch{89, "compute_86"},
                                           Arch{120, "compute_100"}),
                         [](const auto& info) { return std::to_string(info.param.capability); });

TEST(CudaArchs, ThatAreTooOldAreRefusedWithAWayOut) {
  const std::string text = test::device_error([] { arch_for(70, {75, 80}); });
  EXPECT_NE(text.find("compute capability 7.0"), std::string::npos) << text;
  EXPECT_NE(text.find("CUDA_PATH"), std::string::npos) << text;
}

TEST(CudaArchs, AreReadBackFromTheirNames) {
  EXPECT_EQ(capability_of("sm_80"), 80);
  EXPECT_EQ(capability_of("sm_90a"), 90);
  EXPECT_EQ(capability_of("sm_120"), 120);
  for (const char* wrong : {"sm_", "sm_x", "sm_9", "80", "compute_80", "sm_-80", "", "sm_aa"})
    EXPECT_EQ(capability_of(wrong), 0) << wrong;
}

TEST(CudaUse, IsReadFromTheAssemblersReport) {
  const KernelUse use = parse_use(
      "ptxas info    : 0 bytes gmem\nptxas info    : Compiling entry function 'k' for 'sm_80'\n"
      "ptxas         .     96 bytes stack frame, 40 bytes spill stores, 44 bytes spill loads\n"
      "ptxas info    : Used 255 registers, used 1 barriers, 20048 bytes smem, 376 bytes cmem[0]\n");
  EXPECT_EQ(use.registers, 255);
  EXPECT_EQ(use.stack_bytes, 96);
  EXPECT_EQ(use.spilled_bytes, 40);
  EXPECT_EQ(use.shared_bytes, 20048);
}

TEST(CudaUse, IsNothingWhereTheReportIsSilent) {
  const KernelUse use = parse_use("Used 8 registers, 376 bytes cmem[0]");
  EXPECT_EQ(use.registers, 8);
  EXPECT_EQ(use.shared_bytes, 0);
  EXPECT_EQ(parse_use("").registers, 0);
  EXPECT_EQ(parse_use(" registers").registers, 0);
}

TEST(CudaSettings, AreADeviceOrAnArchitecture) {
  EXPECT_EQ(choice_text(parse_choice("0")), "");
  EXPECT_EQ(choice_text(parse_choice("3")), "3");
  EXPECT_EQ(choice_text(parse_choice("sm_80")), "SM_80");
  EXPECT_EQ(choice_text(parse_choice("Sm_90A")), "SM_90A");
  EXPECT_EQ(parse_choice("SM_90A").arch, "sm_90a");
}

TEST(CudaSettings, MayAskForPtx) {
  EXPECT_EQ(choice_text(parse_choice("ptx")), "PTX");
  EXPECT_EQ(choice_text(parse_choice("PTX:0")), "PTX");
  EXPECT_EQ(choice_text(parse_choice("PTX:3")), "PTX:3");
  EXPECT_EQ(choice_text(parse_choice("Ptx:Sm_90a")), "PTX:SM_90A");
  EXPECT_TRUE(parse_choice("PTX:SM_80").ptx);
  EXPECT_EQ(parse_choice("PTX:SM_80").arch, "sm_80");
  EXPECT_FALSE(parse_choice("SM_80").ptx);
}

class WrongCudaSettings : public ::testing::TestWithParam<const char*> {};

TEST_P(WrongCudaSettings, AreRefusedWithWhatThereIs) {
  const std::string text = test::device_error([&] { parse_choice(GetParam()); });
  EXPECT_NE(text.find("takes [:PTX][:INDEX|"), std::string::npos) << text;
  EXPECT_NE(text.find("DEV=CUDA:1"), std::string::npos) << text;
}

INSTANTIATE_TEST_SUITE_P(All, WrongCudaSettings,
                         ::testing::Values("fast", "-1", "1000", "1:2", "sm_", "compute_80", "0x1",
                                           "ptx:", "ptx80", "ptx:ptx", "ptx:fast"));

TEST(CudaVersions, AreTwoNumbersInOne) {
  EXPECT_EQ(version_text(13000), "13.0");
  EXPECT_EQ(version_text(12040), "12.4");
}

}  // namespace
}  // namespace tg::testing

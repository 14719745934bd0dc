// What stands behind "CPU:": which devices it names, that each runs what it compiled, errors.
#include "backends/cpu/settings.h"

#include <gtest/gtest.h>

#include "../../renderer/kernels.h"
#include "backends/cpu/archs.h"
#include "backends/cpu/cpu_device.h"
#include "backends/cpu/llvm_library.h"
#include "backends/cpu/target.h"
#include "backends/cpu/toolchain.h"
#include "support/device_error.h"
#include "support/options.h"
#include "target/matrix_unit.h"
#include "tg/error.h"

namespace tg::cpu {
namespace {

TEST(CpuSettings, AreReadInAnyCase) {
  EXPECT_EQ(parse_settings("llvm:GENERIC"), (Settings{false, "generic"}));
  EXPECT_EQ(parse_settings("Clang:Native"), (Settings{true, "native"}));
}
TEST(CpuSettings, AreWrittenInOneForm) {
  EXPECT_EQ(parse_settings("clang:generic").text(), "CLANG:generic");
  EXPECT_EQ(parse_settings(parse_settings("LLVM:native").text()).text(), "LLVM:native");
}
TEST(CpuSettings, TakeTheArchOfTheOptionsIfTheyNameNone) {
  Options o = options();
  for (const char* arch : {"native", "generic"}) {
    o.arch = arch;
    const OptionsScope scope(o);
    EXPECT_EQ(parse_settings("CLANG").arch, arch);
  }
}
TEST(CpuSettings, OfTheDefaultAreTheCpuAlone) {
  EXPECT_EQ(normalise_settings(default_settings().text()), "");
  EXPECT_EQ(&device("CPU:" + default_settings().text()), &device("CPU"));
}
TEST(CpuSettings, OfTheOptionsFollowThem) {
  Options o = options();
  o.clang = true;
  o.arch = "generic";
  const OptionsScope scope(o);
  EXPECT_EQ(settings_of_options(), (Settings{true, "generic"}));
}

TEST(CpuSettings, MayNameOneOfSeveralDevices) {
  EXPECT_EQ(parse_settings("2:clang:generic"), (Settings{true, "generic", 2}));
  EXPECT_EQ(parse_settings("2:clang:generic").text(), "2:CLANG:generic");
  EXPECT_EQ(normalise_settings("3"), "3");
  EXPECT_EQ(normalise_settings("3:" + default_settings().text()), "3");
  EXPECT_EQ(normalise_settings("0"), "");
  EXPECT_EQ(normalise_settings("0:clang:generic"), normalise_settings("clang:generic"));
}
TEST(CpuSettings, OfAnotherNumberAreAnotherDevice) {
  Device &first = device("CPU"), &second = device("cpu:1");
  EXPECT_NE(&first, &second);
  EXPECT_EQ(&device("CPU:0"), &first);
  EXPECT_EQ(second.name(), "CPU:1");
  const Allocation there = second.allocator().allocate(64);
  EXPECT_EQ(second.allocator().bytes_in_use(), 64);
  second.allocator().free(there);
}

class BadSettings : public ::testing::TestWithParam<const char*> {};
TEST_P(BadSettings, AreRefusedWithWhatThereIs) {
  const std::string name = std::string("CPU:") + GetParam();
  const std::string message = test::device_error([&] { device(name); });
  EXPECT_TRUE(message.starts_with("CPU: \"" + name + "\": ")) << message;
  EXPECT_NE(message.find("CPU[:INDEX][:LLVM|CLANG[:ARCH]], where ARCH is native, generic"),
            std::string::npos)
      << message;
}
INSTANTIATE_TEST_SUITE_P(All, BadSettings,
                         ::testing::Values("GCC", "1000", "-1", "1:", "1:1", "1:GCC", "LLVM:1",
                                           "native", ":", ":generic", "LLVM:", "LLVM:z80",
                                           "LLVM:native:", "LLVM:native:x", "LLVM:x86-64-v",
                                           "LLVM:x86-64-v9", " LLVM", "LLVM "));

// Every compiler with every processor that it can make code for here.
class CpuDevices : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    if (GetParam() ? !find_compiler() : !find_llvm()) GTEST_SKIP() << "no such compiler";
  }
};
TEST_P(CpuDevices, OfEveryArchRunTheirKernels) {
  for (const std::string_view arch : known_archs()) {
    if (!runs_here(arch)) continue;
    const Settings settings{GetParam(), std::string(arch)};
    SCOPED_TRACE(settings.text());
    Device& d = device("CPU:" + settings.text());
    EXPECT_EQ(d.target().arch, arch);
    EXPECT_EQ(&device(d.name()), &d);
    EXPECT_EQ(d.compiler().find("LLVM") == 0, !GetParam()) << d.compiler();
    const LinearKernel kernel = testing::row_sum();
    EXPECT_TRUE(d.compile({&kernel, 1})[0].program);
  }
}
INSTANTIATE_TEST_SUITE_P(Compilers, CpuDevices, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "Clang" : "Llvm"; });

#if defined(__x86_64__)
TEST(CpuSettings, LevelsOfTheArchitectureHaveTheirVectors) {
  EXPECT_EQ(detect_target("generic").vector_bytes, 16);
  EXPECT_EQ(detect_target("x86-64-v2").vector_bytes, 16);
  EXPECT_FALSE(detect_target("x86-64-v2").has_fma);
  EXPECT_EQ(detect_target("x86-64-v3").vector_bytes, 32);
  EXPECT_TRUE(detect_target("x86-64-v3").has_fma);
  EXPECT_FALSE(detect_target("x86-64-v3").has_masked_access);
  EXPECT_TRUE(detect_target("x86-64-v3").has_masked_loads);
  EXPECT_FALSE(detect_target("x86-64-v2").has_masked_loads);
  EXPECT_EQ(detect_target("x86-64-v4").vector_bytes, 64);
  EXPECT_TRUE(detect_target("x86-64-v4").has_masked_access);
}

TEST(CpuSettings, LevelsOfTheArchitectureHaveTheirProducts) {
  const auto units = [](const char* arch) {
    Target t = detect_target(arch);
    add_matrix_instructions(t);
    return t.matrix_units;
  };
  EXPECT_TRUE(units("x86-64-v2").empty());
  EXPECT_EQ(units("x86-64-v3"), std::vector{find_matrix_unit("m1n8k2_i16")});
  EXPECT_TRUE(units("x86-64-v4").empty());
}
#endif

TEST(CpuSettings, WithoutTheirCompilerSayHowToGetIt) {
  Options o = options();
  o.cc = "/no/such/compiler";
  const OptionsScope scope(o);
  EXPECT_NE(test::device_error([] {
              CpuDevice(Settings{true, "native"});
            }).find("/no/such/compiler"),
            std::string::npos);
}

}  // namespace
}  // namespace tg::cpu

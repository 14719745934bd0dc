// The compiler driver: its disk cache, its errors, and the facts of the machine.
#include <gtest/gtest.h>

#include <filesystem>
#include <thread>

#include "../../renderer/kernels.h"
#include "backends/cpu/arena.h"
#include "backends/cpu/compiler.h"
#include "backends/cpu/cpu_device.h"
#include "backends/cpu/program.h"
#include "backends/cpu/target.h"
#include "support/options.h"
#include "tg/error.h"

namespace tg::cpu {
namespace {

namespace fs = std::filesystem;
using testing::row_sum;

constexpr const char* kSource = "int answer(void) { return 42; }\n";

class CpuCompiler : public ::testing::Test {
 protected:
  Options with_cache(const fs::path& folder) const {
    Options o = options();
    o.cache_dir = folder.string();
    return o;
  }
  static Compiler make() {
    return Compiler(make_toolchain(find_compiler().value(), detect_target("native")));
  }
  static int answer(const CodeRef& code) {
    return reinterpret_cast<int (*)()>(code->symbol("answer"))();
  }

  static std::vector<fs::path> entries(const fs::path& folder) {
    std::vector<fs::path> out;
    for (const auto& e : fs::recursive_directory_iterator(folder)) {
      if (e.is_regular_file()) out.push_back(e.path());
    }
    return out;
  }

  TempDir cache_{"tg-test"};
};

TEST_F(CpuCompiler, RunsWhatItCompiled) {
  EXPECT_EQ(answer(make().load(kSource, "kernel answer")), 42);
}

TEST_F(CpuCompiler, KeepsOneCheckedFileAnEntry) {
  const OptionsScope scope(with_cache(cache_.path()));
  make().load(kSource, "kernel answer");
  ASSERT_EQ(entries(cache_.path()).size(), 1u);
  make().load(kSource, "kernel answer");
  EXPECT_EQ(entries(cache_.path()).size(), 1u);
}

TEST_F(CpuCompiler, LoadsAnEntryWithoutTheCompiler) {
  const OptionsScope scope(with_cache(cache_.path()));
  Toolchain tools = make_toolchain(find_compiler().value(), detect_target("native"));
  Compiler(tools).load(kSource, "kernel answer");
  tools.command[0] = "/nonexistent/compiler";
  EXPECT_EQ(answer(Compiler(tools).load(kSource, "kernel answer")), 42);
}

class DamagedEntry : public CpuCompiler, public ::testing::WithParamInterface<int> {};

TEST_P(DamagedEntry, IsRebuilt) {
  const OptionsScope scope(with_cache(cache_.path()));
  make().load(kSource, "kernel answer");
  const fs::path entry = entries(cache_.path()).at(0);
  const std::string good = read_file(entry);
  std::string bad = good;
  switch (GetParam()) {
    case 0:
      bad.clear();
      break;
    case 1:
      bad.resize(bad.size() / 2);
      break;
    case 2:
      bad[bad.size() / 2] ^= 1;
      break;
    case 3:
      bad[3] ^= 1;
      break;
    case 4:
      bad += "more";
      break;
    default:
      bad = std::string(200, '\n');
      break;
  }
  write_file(entry, bad);
  EXPECT_EQ(answer(make().load(kSource, "kernel answer")), 42);
  EXPECT_EQ(read_file(entry).size(), good.size());
}

INSTANTIATE_TEST_SUITE_P(All, DamagedEntry, ::testing::Range(0, 6));

TEST_F(CpuCompiler, WorksWithoutACache) {
  Options o = options();
  o.cache_dir.clear();
  const OptionsScope scope(o);
  EXPECT_EQ(answer(make().load(kSource, "kernel answer")), 42);
}

TEST_F(CpuCompiler, WorksWhereTheCacheCannotBeMade) {
  write_file(cache_.path() / "file", "not a folder");
  const OptionsScope scope(with_cache(cache_.path() / "file"));
  EXPECT_EQ(answer(make().load(kSource, "kernel answer")), 42);
}

TEST_F(CpuCompiler, NamesKernelErrorsAndKeptSourceWhenItFails) {
  Options o = with_cache(cache_.path() / "cache");
  o.temp_dir = cache_.path().string();
  const OptionsScope scope(o);
  try {
    make().load("int broken(void) { return missing; }\n", "kernel broken");
    FAIL() << "nothing was thrown";
  } catch (const DeviceError& e) {
    const std::string message = e.what();
    EXPECT_NE(message.find("kernel broken"), std::string::npos) << message;
    EXPECT_NE(message.find("missing"), std::string::npos) << message;
    EXPECT_NE(message.find(cache_.path().string()), std::string::npos) << message;
  }
  int kept = 0;
  for (const fs::path& p : entries(cache_.path())) kept += p.extension() == ".c" ? 1 : 0;
  EXPECT_EQ(kept, 1);
}

TEST_F(CpuCompiler, IsSoughtUnderOptionCC) {
  Options o = options();
  o.cc = "no-such-compiler-anywhere";
  o.clang = true;
  const OptionsScope scope(o);
  EXPECT_FALSE(find_compiler());
  EXPECT_NE(missing_compiler_advice().find("no-such-compiler-anywhere"), std::string::npos);
  EXPECT_NE(missing_compiler_advice().find("DEV=INTERP"), std::string::npos);
  EXPECT_THROW(CpuDevice(), DeviceError);
}

TEST_F(CpuCompiler, MayBeEachCompilerOfTheMachine) {
  int found = 0;
  for (std::string_view name : default_compilers()) {
    if (!find_program(name)) continue;
    ++found;
    Options o = options();
    o.cc = name;
    const OptionsScope scope(o);
    EXPECT_EQ(answer(make().load(kSource, "kernel answer")), 42) << name;
  }
  if (found == 0) GTEST_SKIP() << "no C compiler is installed";
}

TEST_F(CpuCompiler, HasAnotherIdentityForOtherFlags) {
  const std::string cc = find_compiler().value();
  EXPECT_NE(make_toolchain(cc, detect_target("native")).identity,
            make_toolchain(cc, detect_target("generic")).identity);
  EXPECT_EQ(make_toolchain(cc, detect_target("native")).identity,
            make_toolchain(cc, detect_target("native")).identity);
}

TEST(CpuTarget, OfGenericArchIsTheBaseline) {
  const Target t = detect_target("generic");
  EXPECT_EQ(t.vector_bytes, 16);
  EXPECT_FALSE(t.has_fma);
  EXPECT_EQ(t.arch, "generic");
}

TEST(CpuTarget, HasPlausibleSizes) {
  const Target t = detect_target("native");
  EXPECT_GE(t.l1_bytes, 8 << 10);
  EXPECT_GE(t.l2_bytes, t.l1_bytes);
  EXPECT_GE(t.threads, 1);
  EXPECT_EQ(t.vector_bytes & (t.vector_bytes - 1), 0);
  EXPECT_TRUE(t.supports(Op::Add));
  EXPECT_FALSE(t.supports(Op::Exp2));
  EXPECT_TRUE(t.supports(dtypes::float64));
  EXPECT_FALSE(t.supports(dtypes::bfloat16));
}

class Cores : public ::testing::TestWithParam<int> {};

TEST_P(Cores, GiveTheSameRows) {
  Options o = options();
  o.threads = GetParam();
  const OptionsScope scope(o);
  LinearKernel k = row_sum();
  k.flops = 1e12;  // as if it were long, so that it is split
  CpuDevice d;
  const auto compiled = d.compile({&k, 1});
  std::vector<float> x(256), y(4, -1);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i / 64 + 1);
  const std::vector<void*> buffers = {y.data(), x.data()};
  // The kernel claims 32 bytes of alignment.
  auto* aligned = static_cast<float*>(std::aligned_alloc(64, 1024));
  std::copy(x.begin(), x.end(), aligned);
  const std::vector<void*> placed = {y.data(), aligned};
  for (int repeat = 0; repeat < 20; ++repeat) {
    std::fill(y.begin(), y.end(), -1.0f);
    compiled[0].program->launch(placed, {});
    EXPECT_EQ(y, (std::vector<float>{64, 128, 192, 256}));
  }
  std::free(aligned);
}

INSTANTIATE_TEST_SUITE_P(All, Cores, ::testing::Values(1, 2, 3, 8));

TEST(CpuProgram, KeepsShortWorkOnTheCallingThread) {
  LinearKernel k = row_sum();
  const Compiler compiler(make_toolchain(find_compiler().value(), detect_target("native")));
  const CodeRef code = compiler.load(render_c({&k, 1}), "row_sum");
  k.flops = 256;
  EXPECT_EQ(CpuProgram(code, k, detect_target("native")).grain(k.chunks), k.chunks);
  k.flops = 1e9;
  EXPECT_EQ(CpuProgram(code, k, detect_target("native")).grain(k.chunks), 1);
  k.least_chunks = 3;
  EXPECT_EQ(CpuProgram(code, k, detect_target("native")).grain(k.chunks), 3);
}

TEST(CpuProgram, RefusesAWrongNumberOfBuffers) {
  const LinearKernel k = row_sum();
  CpuDevice d;
  const auto compiled = d.compile({&k, 1});
  EXPECT_THROW(compiled[0].program->launch({}, {}), InternalError);
}

TEST(ThreadArena, IsAlignedGrowsAndIsReused) {
  char* small = thread_arena(100);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(small) % 64, 0u);
  EXPECT_EQ(thread_arena(50), small);
  char* large = thread_arena(5 << 20);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(large) % (2 << 20), 0u);
  large[(5 << 20) - 1] = 1;
  EXPECT_EQ(thread_arena(100), large);
}

TEST(ThreadArena, BelongsToItsThread) {
  char* mine = thread_arena(100);
  char* other = nullptr;
  std::thread([&] { other = thread_arena(100); }).join();
  EXPECT_NE(mine, other);
}

}  // namespace
}  // namespace tg::cpu

// The LLVM compiler and the loader of its objects: the disk cache, errors that leave the process
// and the caches as they were, and hostile object files.
#include "backends/cpu/llvm_compiler.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "../../renderer/kernels.h"
#include "backends/cpu/cpu_device.h"
#include "backends/cpu/object_code.h"
#include "backends/cpu/target.h"
#include "support/options.h"
#include "tg/error.h"

// LeakSanitizer's, where the program has it, whichever compiler built that.
extern "C" {
__attribute__((weak)) void __lsan_disable();
__attribute__((weak)) void __lsan_enable();
}

namespace tg::cpu {
namespace {

namespace fs = std::filesystem;

constexpr const char* kAnswer = "define i32 @answer() {\n  ret i32 42\n}\n";

// What is allocated meanwhile is no leak.
class UncountedLeaks {
 public:
  UncountedLeaks() {
    if (__lsan_disable != nullptr) __lsan_disable();
  }
  ~UncountedLeaks() {
    if (__lsan_enable != nullptr) __lsan_enable();
  }
  UncountedLeaks(const UncountedLeaks&) = delete;
  UncountedLeaks& operator=(const UncountedLeaks&) = delete;
};

class LlvmTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!find_llvm()) GTEST_SKIP() << "no libLLVM";
  }
  static Options with_cache(const fs::path& folder) {
    Options o = options();
    o.cache_dir = folder.string();
    o.temp_dir = folder.string();
    return o;
  }
  static LlvmCompiler make() { return {find_llvm().value(), detect_target("native")}; }
  static int answer(const CodeRef& code) {
    return reinterpret_cast<int (*)()>(code->symbol("answer"))();
  }
  // LLVM does not free what it was building when it gives up on a module: no leak of ours.
  static std::string error_of(const std::string& source) {
    const UncountedLeaks gives_up;
    try {
      make().load(source, "kernel broken");
    } catch (const DeviceError& e) {
      return e.what();
    }
    return "";
  }

  TempDir folder_{"tg-test"};
  OptionsScope scope_{with_cache(folder_.path())};
};

TEST_F(LlvmTest, RunsWhatItCompiled) { EXPECT_EQ(answer(make().load(kAnswer, "answer")), 42); }

#if defined(__linux__)
// KiB of libLLVM's instructions in this process's memory, by lines "7f…-7f… r-xp … /…/libLLVM…" and
// "Rss:     1234 kB".
int64_t resident_code() {
  std::ifstream map("/proc/self/smaps");
  int64_t all = 0;
  bool is_code = false;
  for (std::string line; std::getline(map, line);) {
    const bool is_head = line.find(':') > line.find(' ');
    if (is_head) {
      is_code =
          line.find(" r-xp ") != std::string::npos && line.find("libLLVM") != std::string::npos;
    } else if (is_code && line.starts_with("Rss:")) {
      all += std::stoll(line.substr(4));
    }
  }
  return all;
}

TEST_F(LlvmTest, RestsAfterManyKernelsWithoutItsPagesAndCompilesOn) {
  const LlvmCompiler c = make();
  for (int i = 0; i < 16; ++i)
    c.load(kAnswer + std::string("; ") + std::to_string(i) + "\n", "answer");
  const int64_t before = resident_code();
  c.rest();
  EXPECT_LT(resident_code(), before / 4) << "of " << before << " KiB";
  EXPECT_EQ(answer(c.load(std::string(kAnswer) + "; more\n", "answer")), 42);
}

TEST_F(LlvmTest, RestsOnlyWhenItPays) {
  const LlvmCompiler c = make();
  c.load(kAnswer, "answer");
  const int64_t before = resident_code();
  c.rest();
  EXPECT_GE(resident_code(), before);
}
#endif

TEST_F(LlvmTest, LoadsACachedObjectWithoutTheLibrary) {
  const fs::path copy = folder_.path() / "libLLVM-19.so";
  write_file(copy, "not a library");
  const LlvmFile fake{copy.string(), 19, find_llvm()->identity};
  EXPECT_THROW(LlvmCompiler(fake, detect_target("native")).load(kAnswer, "answer"), DeviceError);
  make().load(kAnswer, "answer");
  EXPECT_EQ(answer(LlvmCompiler(fake, detect_target("native")).load(kAnswer, "answer")), 42);
}

TEST_F(LlvmTest, RebuildsADamagedEntry) {
  make().load(kAnswer, "answer");
  for (const auto& e : fs::directory_iterator(folder_.path() / kKernelCache))
    write_file(e.path(), "junk");
  EXPECT_EQ(answer(make().load(kAnswer, "answer")), 42);
  EXPECT_EQ(DiskCache(kKernelCache).usage().entries, 1);
}

TEST_F(LlvmTest, SeparatesArchitecturesVersionsAndTexts) {
  make().load(kAnswer, "answer");
  LlvmCompiler(find_llvm().value(), detect_target("generic")).load(kAnswer, "answer");
  make().load(std::string(kAnswer) + "; another\n", "answer");
  EXPECT_EQ(DiskCache(kKernelCache).usage().entries, 3);
}

TEST_F(LlvmTest, NamesKernelReasonAndKeptSourceOfBadText) {
  const std::string message = error_of("define void @broken() {\n  ret i32 1 1\n}\n");
  EXPECT_NE(message.find("compile: LLVM "), std::string::npos) << message;
  EXPECT_NE(message.find("kernel broken"), std::string::npos) << message;
  EXPECT_NE(message.find("result type"), std::string::npos) << message;
  EXPECT_NE(message.find("tg-failed-"), std::string::npos) << message;
  EXPECT_NE(message.find("CLANG=1"), std::string::npos) << message;
}

struct Bad {
  const char* name;
  const char* source;
  const char* reason;
};
class BadModule : public LlvmTest, public ::testing::WithParamInterface<Bad> {};

TEST_P(BadModule, IsAnErrorAndTheNextOneCompiles) {
  for (int repeat = 0; repeat < 3; ++repeat) {
    const std::string message = error_of(GetParam().source);
    EXPECT_NE(message.find(GetParam().reason), std::string::npos) << message;
    EXPECT_EQ(answer(make().load(kAnswer, "answer")), 42);
  }
  EXPECT_EQ(DiskCache(kKernelCache).usage().entries, 1);
}

INSTANTIATE_TEST_SUITE_P(
    All, BadModule,
    ::testing::Values(
        Bad{"Empty", "", "no instructions"}, Bad{"Junk", "\x01\x02 nonsense", "expected"},
        Bad{"Unfinished", "define void @f() {\n", "end of file"},
        Bad{"WrongType", "define i32 @f() {\n  ret float 0.0\n}\n", "result type"},
        Bad{"UseBeforeDefinition",
            "define i32 @f(i1 %c) {\n  br i1 %c, label %a, label %b\na:\n  %x = add i32 1, 2\n"
            "  br label %b\nb:\n  ret i32 %x\n}\n",
            "dominate"},
        Bad{"MissingFunction",
            "declare void @elsewhere()\ndefine void @f() {\n"
            "  call void @elsewhere()\n  ret void\n}\n",
            "it needs \"elsewhere\""},
        Bad{"Variable",
            "@v = global i32 1\ndefine i32 @f() {\n  %x = load i32, ptr @v\n"
            "  ret i32 %x\n}\n",
            "variables"},
        Bad{"Assembly",
            "define void @f() {\n  call void asm \"nonsense here\", \"\"()\n"
            "  ret void\n}\n",
            "kernel broken"},
        Bad{"OtherProcessorsInstruction",
            "declare void @llvm.aarch64.hint(i32)\ndeclare void @llvm.x86.sse2.pause()\n"
            "define void @f() {\n  call void @llvm.aarch64.hint(i32 1)\n"
            "  call void @llvm.x86.sse2.pause()\n  ret void\n}\n",
            "annot select"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST_F(LlvmTest, RefusesALibraryThatIsNone) {
  const fs::path file = folder_.path() / "libLLVM.so.19.1";
  write_file(file, "junk");
  Options o = options();
  o.llvm = file.string();
  const OptionsScope scope(o);
  CpuDevice d;
  EXPECT_NE(d.compiler().find("LLVM 19"), std::string::npos);
  const LinearKernel k = testing::row_sum();
  try {
    d.compile({&k, 1});
    FAIL() << "nothing was thrown";
  } catch (const DeviceError& e) {
    EXPECT_NE(std::string(e.what()).find(file.string()), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find("CLANG=1"), std::string::npos) << e.what();
  }
}

TEST_F(LlvmTest, IsSoughtUnderOptionLlvm) {
  Options o = options();
  o.llvm = "/no/such/libLLVM.so";
  const OptionsScope scope(o);
  EXPECT_FALSE(find_llvm());
  try {
    CpuDevice d;
    FAIL() << "nothing was thrown";
  } catch (const DeviceError& e) {
    EXPECT_NE(std::string(e.what()).find("/no/such/libLLVM.so"), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find("DEV=INTERP"), std::string::npos) << e.what();
  }
}

TEST_F(LlvmTest, CompilesInManyThreadsAtOnce) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, o = options()] {
      const OptionsScope scope(o);
      for (const LinearKernel& k : testing::all_kernels()) {
        const LlvmCompiler c = make();
        EXPECT_NE(c.load(c.render({&k, 1}), k.name)->symbol(k.name), nullptr);
      }
    });
  }
  for (std::thread& t : threads) t.join();
}

TEST_F(LlvmTest, FailureOfOneKernelLeavesTheOthersOfTheCallUsable) {
  CpuDevice d;
  std::vector<LinearKernel> kernels = {testing::row_sum(), testing::masked_axpy()};
  kernels[0].name = "two words";  // no name for a function
  EXPECT_THROW(d.compile(kernels), DeviceError);
  EXPECT_THROW(d.compile(kernels), DeviceError);
  EXPECT_TRUE(d.compile({&kernels[1], 1})[0].program);
}

TEST_F(LlvmTest, ShowsMachineCodeOnlyWhenAsked) {
  CpuDevice d;
  const LinearKernel k = testing::row_sum();
  EXPECT_EQ(d.compile({&k, 1})[0].assembly, "");
  Options o = options();
  o.debug = 7;
  const OptionsScope scope(o);
  const std::string text = d.compile({&k, 1})[0].assembly;
  EXPECT_TRUE(text.starts_with("row_sum:\n    0:\t")) << text;
  EXPECT_NE(text.find("ret"), std::string::npos) << text;
}

class HostileObject : public LlvmTest, public ::testing::WithParamInterface<int> {};

TEST_P(HostileObject, IsRefusedOrHarmless) {
  const LinearKernel k = testing::all_kernels()[static_cast<size_t>(GetParam())];
  const LlvmCompiler compiler = make();
  const std::string good = compiler.compile(compiler.render({&k, 1}), k.name);
  auto attempt = [&](const std::string& bytes) {
    try {
      load_object(bytes, k.name);
    } catch (const DeviceError&) {
    }
  };
  for (size_t cut = 0; cut < good.size(); cut += 7) attempt(good.substr(0, cut));
  uint64_t seed = 99;
  for (int i = 0; i < 3000; ++i) {
    std::string bad = good;
    for (int flips = 0; flips < 3; ++flips) {
      seed = hash_mix(seed);
      bad[seed % bad.size()] = static_cast<char>(seed >> 32);
    }
    attempt(bad);
  }
  EXPECT_NE(load_object(good, k.name)->symbol(k.name), nullptr);
}
INSTANTIATE_TEST_SUITE_P(All, HostileObject, ::testing::Values(0, 1, 5, 10));

}  // namespace
}  // namespace tg::cpu

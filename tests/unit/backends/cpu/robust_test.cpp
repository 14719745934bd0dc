// Whole processes in bad surroundings: each ends in the right numbers or in a clear error, never in
// a signal. The child is this executable, comparing all hand-written kernels with the interpreter.
#include <gtest/gtest.h>

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>

#include "backends/cpu/llvm_library.h"
#include "runtime/disk_cache.h"
#include "support/check.h"
#include "support/effort.h"
#include "support/file.h"
#include "support/subprocess.h"

namespace tg::cpu {
namespace {

namespace fs = std::filesystem;

// `wrap` stands before the child's command line: variables, limits, signals.
std::string child(const std::string& variables) {
  const std::string self = fs::read_symlink("/proc/self/exe").string();
  // All of them, also where this process has a share of the cases.
  return fmt::format(
      "env -u GTEST_TOTAL_SHARDS -u GTEST_SHARD_INDEX {} '{}' --gtest_filter='All/CpuKernel.*'",
      variables, self);
}

ProcessResult shell(const std::string& script) { return run_process({"sh", "-c", script}, {}); }

std::string all_output(const ProcessResult& r) { return r.output + r.errors; }

class Surroundings : public ::testing::Test {
 protected:
  std::string cache() const { return "TG_CACHE=" + folder_.path().string(); }
  void expect_right(const std::string& variables) const {
    const ProcessResult r = shell(child(variables));
    EXPECT_TRUE(r.ok()) << r.describe() << all_output(r);
  }
  TempDir folder_{"tg-test"};
};

// By the number of files in the cache at which the kill strikes, temporary ones included.
class Killed : public Surroundings, public ::testing::WithParamInterface<int> {
 protected:
  fs::path entries() const { return folder_.path() / kKernelCache; }
  std::set<std::string> files() const {
    std::set<std::string> out;
    std::error_code missing;
    for (const auto& e : fs::directory_iterator(entries(), missing))
      out.insert(e.path().filename().string());
    return out;
  }
  // The shell watches the folder without starting other programs, so it sees each file soon; a
  // child that is done (a zombie, until it is waited for) fills it no further.
  ProcessResult kill_at(size_t count, const std::string& variables) const {
    const std::string script = fmt::format(
        "{} & p=$!; n=0; while [ $n -lt {} ]; do set -- '{}'/*; [ -e \"$1\" ] && n=$#; "
        "read -r state </proc/$p/stat; case $state in *') Z '*) break;; esac; done; "
        "kill -KILL $p; wait $p",
        child(variables), count, entries().string());
    return shell(script);
  }
};

// On a busy machine the child may be done before the shell looks again; then it is tried again.
TEST_P(Killed, WhileItCompilesAndFillsTheCacheLeavesAUsableCache) {
  constexpr int kKillStatus = 128 + 9, kTries = 10;
  for (const char* which : {"CLANG=0", "CLANG=1"}) {
    SCOPED_TRACE(which);
    const std::set<std::string> before = files();
    const size_t count = before.size() + static_cast<size_t>(GetParam());
    ProcessResult r;
    for (int i = 0; i < kTries && r.exit_code != kKillStatus; ++i) {
      for (const std::string& name : files()) {
        if (!before.contains(name)) fs::remove(entries() / name);
      }
      r = kill_at(count, cache() + " " + which);
      if (files().size() < count) break;  // it never fills the cache so far
    }
    ASSERT_EQ(r.exit_code, kKillStatus) << r.describe() << all_output(r);
    const size_t left = files().size();
    EXPECT_GE(left, count);
    expect_right(cache() + " " + which);
    EXPECT_GT(files().size(), left) << "the child was done before it was killed";
  }
}

INSTANTIATE_TEST_SUITE_P(AtFiles, Killed, ::testing::Values(0, 1, 2, 5, 9));

TEST_F(Surroundings, TwoProcessesFillOneCache) {
  for (const char* which : {"CLANG=0", "CLANG=1"}) {
    const std::string one = child(cache() + " " + which);
    const ProcessResult r = shell(fmt::format("{0} & p=$!; {0} && wait $p", one));
    EXPECT_TRUE(r.ok()) << r.describe() << all_output(r);
  }
}

TEST_F(Surroundings, ACacheFullOfJunkIsRepaired) {
  expect_right(cache());
  int i = 0;
  for (const auto& e : fs::directory_iterator(folder_.path() / kKernelCache)) {
    const fs::path path = e.path();
    fs::remove(path);
    if (i % 4 == 0) write_file(path, std::string(5000, '\xff'));
    if (i % 4 == 1) fs::create_directories(path / "folder");
    if (i % 4 == 2) {
      EXPECT_EQ(mkfifo(path.c_str(), 0600), 0);
    }
    if (i % 4 == 3) write_file(path, "");
    ++i;
  }
  EXPECT_GE(i, 10);
  expect_right(cache());
}

TEST_F(Surroundings, ACacheThatCannotBeWrittenIsDoneWithout) {
  write_file(folder_.path() / "file", "no folder");
  expect_right(cache() + "/file");
  expect_right("TG_CACHE=/proc/nowhere");
  expect_right("-u TG_CACHE -u XDG_CACHE_HOME HOME=/proc");
  expect_right("-u TG_CACHE -u XDG_CACHE_HOME -u HOME true=1");
}

TEST_F(Surroundings, ATemporaryFolderThatCannotBeWrittenStopsOnlyTheCPath) {
  if (find_llvm()) expect_right(cache() + " TMPDIR=/proc/nowhere");
  const ProcessResult r = shell(child(cache() + " TMPDIR=/proc/nowhere CLANG=1"));
  EXPECT_FALSE(r.ok());
  EXPECT_NE(all_output(r).find("TMPDIR"), std::string::npos) << all_output(r);
}

TEST_F(Surroundings, WithoutAnyCompilerTheErrorSaysWhatToDo) {
  const ProcessResult r = shell(child(cache() + " PATH=/nonexistent CLANG=1"));
  EXPECT_FALSE(r.ok());
  EXPECT_NE(all_output(r).find("DEV=INTERP"), std::string::npos) << all_output(r);
  const ProcessResult m = shell(child(cache() + " TG_LLVM=/no/libLLVM.so"));
  EXPECT_FALSE(m.ok());
  EXPECT_NE(all_output(m).find("TG_LLVM"), std::string::npos) << all_output(m);
}

// Surroundings that only mounts can make, seen by the child alone.
class OtherMounts : public Surroundings {
 protected:
  void SetUp() override {
    if (test::kSanitized) GTEST_SKIP() << "sanitizers ask more of a system than these leave";
    if (!shell("unshare -rm true").ok())
      GTEST_SKIP() << "namespaces of mounts are not allowed here";
  }
  ProcessResult mounted(const std::string& mounts, const std::string& command) const {
    write_file(script_path(), "set -eu\n" + mounts + "\n" + command + "\n");
    return shell(fmt::format("unshare -rm sh '{}'", script_path().string()));
  }
  void expect_right_in(const std::string& mounts, const std::string& command) const {
    const ProcessResult r = mounted(mounts, command);
    EXPECT_TRUE(r.ok()) << r.describe() << all_output(r);
  }
  fs::path script_path() const { return script_folder_.path() / "script"; }
  TempDir script_folder_{"tg-test"};
};

TEST_F(OtherMounts, AReadOnlyHomeIsDoneWithout) {
  const std::string home = folder_.path().string();
  expect_right_in(fmt::format("mount -t tmpfs -o ro none '{}'", home),
                  child(fmt::format("-u TG_CACHE -u XDG_CACHE_HOME 'HOME={}'", home)));
}

TEST_F(OtherMounts, ADiskThatIsFullIsDoneWithout) {
  expect_right_in(fmt::format("mount -t tmpfs -o size=16k none '{}'", folder_.path().string()),
                  child(cache()));
}

// Not a regular file any more: a library that is not there.
constexpr const char* kHideLlvm = R"sh(
for file in /usr/lib/*/libLLVM* /usr/lib/llvm*/lib/libLLVM* /usr/lib/libLLVM* /usr/lib64/libLLVM* /usr/local/lib/libLLVM*; do
  if [ -f "$file" ]; then mount --bind /dev/null "$(readlink -f "$file")"; fi
done)sh";

TEST_F(OtherMounts, WithoutLlvmKernelsGoThroughACompiler) {
  if (!shell("gcc --version").ok()) GTEST_SKIP() << "gcc is not installed; clang needs libLLVM too";
  expect_right_in(kHideLlvm, child(cache() + " CC=gcc"));
}

TEST_F(OtherMounts, ACompilerThatDoesNotRunIsNamedWithTheReason) {
  if (!shell("clang --version").ok()) GTEST_SKIP() << "clang is not installed";
  const ProcessResult r = mounted(kHideLlvm, child(cache() + " CC=clang"));
  if (r.ok()) GTEST_SKIP() << "this clang needs no libLLVM";
  EXPECT_NE(all_output(r).find("clang cannot compile kernel"), std::string::npos) << all_output(r);
  EXPECT_NE(all_output(r).find("libLLVM"), std::string::npos) << all_output(r);
}

class MemoryLimit : public Surroundings, public ::testing::WithParamInterface<int> {};

// The lines that say why cases of a child failed.
std::vector<std::string> reasons_in(const std::string& output) {
  std::vector<std::string> out;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    if (line.ends_with(": Failure") && std::getline(lines, line)) out.push_back(line);
  }
  return out;
}

// The loader's words, ours, and those of the C library.
bool is_want_of_memory(const std::string& reason) {
  static constexpr std::string_view kWords[] = {"failed to map segment from shared object",
                                                "LLVM needs 96 MiB to work in",
                                                "annot allocate memory"};
  return reason.starts_with("C++ exception with description") &&
         std::ranges::any_of(kWords, [&](auto w) { return reason.find(w) != reason.npos; });
}

TEST_P(MemoryLimit, GivesTheRightNumbersOrAnErrorThatNamesTheWantOfMemory) {
  if (test::kSanitized) GTEST_SKIP() << "sanitizers reserve more than any limit";
  const ProcessResult r = shell(
      fmt::format("ulimit -v {}; {}", GetParam() << 10, child(cache() + " THREADS=2 CLANG=0")));
  if (r.ok()) return;
  EXPECT_EQ(r.exit_code, 1) << r.describe() << all_output(r);
  const std::vector<std::string> reasons = reasons_in(r.output);
  EXPECT_FALSE(reasons.empty()) << all_output(r);
  for (const std::string& reason : reasons) EXPECT_TRUE(is_want_of_memory(reason)) << reason;
}

INSTANTIATE_TEST_SUITE_P(Mebibytes, MemoryLimit,
                         ::testing::Values(120, 160, 200, 240, 260, 280, 300, 320, 360, 400, 600));

}  // namespace
}  // namespace tg::cpu

// Programs: streams, statuses, signals, time limits, and what cannot be started.
#include "support/subprocess.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <thread>
#include <vector>

#include "support/file.h"
#include "support/options.h"
#include "tg/error.h"

namespace tg {
namespace {

TEST(Subprocess, OutputAndErrorsAreCapturedApart) {
  const ProcessResult r = run_process({"sh", "-c", "echo out; echo err >&2; exit 3"});
  EXPECT_EQ(r.output, "out\n");
  EXPECT_EQ(r.errors, "err\n");
  EXPECT_EQ(r.exit_code, 3);
  EXPECT_FALSE(r.ok());
  EXPECT_EQ(r.describe(), "exit status 3");
}

TEST(Subprocess, InputReachesTheProgram) {
  const ProcessResult r = run_process({"cat"}, {.input = "line\n\xff"});
  EXPECT_TRUE(r.ok());
  EXPECT_EQ(r.output, "line\n\xff");
}

TEST(Subprocess, WithoutInputTheProgramSeesTheEndAtOnce) {
  EXPECT_EQ(run_process({"cat"}).output, "");
}

TEST(Subprocess, MegabytesPassThroughBothWays) {
  const std::string big(8 << 20, 'x');
  EXPECT_EQ(run_process({"cat"}, {.input = big}).output.size(), big.size());
}

TEST(Subprocess, AProgramThatIgnoresItsInputIsNoProblem) {
  EXPECT_TRUE(run_process({"true"}, {.input = std::string(4 << 20, 'x')}).ok());
}

TEST(Subprocess, ArgumentsArePassedWithoutAShell) {
  EXPECT_EQ(run_process({"printf", "%s|", "a b", "$HOME", "'q'", ""}).output, "a b|$HOME|'q'||");
}

TEST(Subprocess, ASignalIsReported) {
  const ProcessResult r = run_process({"sh", "-c", "kill -SEGV $$"});
  EXPECT_EQ(r.signal, SIGSEGV);
  EXPECT_EQ(r.exit_code, -1);
  EXPECT_TRUE(r.describe().starts_with("signal 11 (")) << r.describe();
}

TEST(Subprocess, TheTimeLimitKillsTheProgramAndItsChildren) {
  const auto begin = std::chrono::steady_clock::now();
  const ProcessResult r = run_process({"sh", "-c", "echo early; sleep 600 & wait"},
                                      {.timeout = std::chrono::milliseconds(300)});
  EXPECT_TRUE(r.timed_out);
  EXPECT_FALSE(r.ok());
  EXPECT_EQ(r.output, "early\n");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(300));
}

TEST(Subprocess, TheTimeLimitHoldsWhenTheStreamsAreClosed) {
  const ProcessResult r = run_process({"sh", "-c", "exec >&- 2>&-; exec sleep 600"},
                                      {.timeout = std::chrono::milliseconds(300)});
  EXPECT_TRUE(r.timed_out);
}

TEST(Subprocess, AProcessLeftBehindDoesNotHoldUpTheResult) {
  const ProcessResult r = run_process({"sh", "-c", "sleep 600 & echo $!"});
  EXPECT_TRUE(r.ok()) << r.describe();
  const int left_behind = std::stoi(r.output);
  EXPECT_EQ(kill(left_behind, SIGKILL), 0);
}

TEST(Subprocess, AMissingProgramIsAClearError) {
  try {
    run_process({"no-such-program-tg"});
    FAIL() << "no error";
  } catch (const DeviceError& error) {
    EXPECT_STREQ(error.what(),
                 "run_process: program \"no-such-program-tg\" was not found. "
                 "Hint: install it or add its folder to PATH.");
  }
}

TEST(Subprocess, NoArgumentsAreAnError) { EXPECT_THROW(run_process({}), DeviceError); }

TEST(Subprocess, AFileThatIsNoProgramIsAnError) {
  const TempDir dir;
  const std::filesystem::path path = dir.path() / "prog";
  write_file(path,
             "\x7f"
             "ELF garbage");
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  EXPECT_THROW(run_process({path.string()}), DeviceError);
}

TEST(Subprocess, ManyThreadsCanRunPrograms) {
  std::vector<std::thread> threads;
  std::vector<std::string> outputs(6);
  for (size_t t = 0; t < outputs.size(); ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 5; ++i)
        outputs[t] += run_process({"cat"}, {.input = std::to_string(t)}).output;
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (size_t t = 0; t < outputs.size(); ++t) {
    EXPECT_EQ(outputs[t], std::string(5, static_cast<char>('0' + t)));
  }
}

TEST(Subprocess, NoDescriptorsLeak) {
  const auto open_files = [] {
    const std::filesystem::directory_iterator files("/proc/self/fd");
    return std::distance(begin(files), end(files));
  };
  run_process({"true"});
  const auto before = open_files();
  for (int i = 0; i < 10; ++i) {
    run_process({"cat"}, {.input = "x"});
    EXPECT_THROW(run_process({"/dev/null"}), DeviceError);
  }
  EXPECT_EQ(open_files(), before);
}

TEST(FindProgram, LooksThroughThePath) {
  EXPECT_TRUE(find_program("sh")->ends_with("/sh"));
  EXPECT_EQ(find_program("no-such-program-tg"), std::nullopt);
  EXPECT_EQ(find_program(""), std::nullopt);
}

TEST(FindProgram, ASlashMeansAPath) {
  EXPECT_EQ(find_program("/bin/sh"), "/bin/sh");
  EXPECT_EQ(find_program("/bin/no-such-program-tg"), std::nullopt);
}

TEST(FindProgram, FoldersAndPlainFilesAreNoPrograms) {
  const TempDir dir;
  write_file(dir.path() / "plain", "text");
  std::filesystem::create_directory(dir.path() / "folder");
  Options o = options();
  o.search_path = ":" + dir.path().string();
  const OptionsScope scope(o);
  EXPECT_EQ(find_program("plain"), std::nullopt);
  EXPECT_EQ(find_program("folder"), std::nullopt);
}

}  // namespace
}  // namespace tg

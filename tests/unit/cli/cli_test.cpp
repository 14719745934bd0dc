// The tg command as a user sees it: output, errors, exit status.
#include "cli/cli.h"

#include <gtest/gtest.h>

#include <regex>
#include <sstream>

#include "runtime/device.h"
#include "runtime/disk_cache.h"
#include "support/file.h"
#include "support/options.h"
#include "tg/version.h"

namespace tg::cli {
namespace {

struct Outcome {
  int status = 0;
  std::string out;
  std::string errors;
};

Outcome tg(std::vector<std::string> arguments) {
  std::ostringstream out;
  std::ostringstream errors;
  const int status = run(std::move(arguments), out, errors);
  return {status, out.str(), errors.str()};
}

TEST(Cli, VersionPrintsTheLibrarysVersion) {
  const Outcome o = tg({"version"});
  EXPECT_EQ(o.status, 0);
  EXPECT_TRUE(o.out.starts_with("tinygrad.cpp " + std::string(version()) + " (")) << o.out;
  EXPECT_EQ(o.errors, "");
}

TEST(Cli, TheVersionFlagPrintsTheFirstLineOfTheCommandWithTheCommitIfItIsKnown) {
  const Outcome flag = tg({"--version"}), command = tg({"version"});
  EXPECT_EQ(flag.status, 0) << flag.errors;
  EXPECT_TRUE(command.out.starts_with(flag.out)) << flag.out;
  const std::string known = R"(tinygrad\.cpp \d+\.\d+\.\d+ \((gcc|clang) [^,]*, [^,]*)";
  const std::string built = cli::commit().empty() ? "" : ", commit [0-9a-f]{12}(-dirty)?";
  EXPECT_TRUE(std::regex_match(flag.out, std::regex(known + built + "\\)\n"))) << flag.out;
}

TEST(Cli, OptionsPrintsEveryOptionWithItsValue) {
  Options changed = options();
  changed.seed = 1234567;
  const OptionsScope scope(changed);
  const Outcome o = tg({"options"});
  EXPECT_EQ(o.status, 0);
  for (const OptionInfo& row : option_table()) {
    EXPECT_NE(o.out.find(row.name), std::string::npos) << row.name;
    EXPECT_NE(o.out.find(row.help), std::string::npos) << row.name;
  }
  EXPECT_TRUE(std::regex_search(o.out, std::regex("\nSEED +1234567\n"))) << o.out;
}

class Tune : public testing::Test {
 protected:
  Tune() : options_(options()), scope_((options_.cache_dir = folder().string(), options_)) {}
  ~Tune() override { std::filesystem::remove_all(folder()); }
  static std::filesystem::path folder() {
    return std::filesystem::path(options().temp_dir) / "tg-tune-test";
  }
  Options options_;
  const OptionsScope scope_;
};

TEST_F(Tune, RunsTheProgramWithItsArgumentsUnderBeam) {
  const Outcome o = tg({"tune", "--beam", "3", "--seconds", "2", "--", "/bin/sh", "-c",
                        "test \"$BEAM $BEAM_SECONDS $1\" = \"3 2 --beam\"", "sh", "--beam"});
  EXPECT_EQ(o.status, 0) << o.errors;
  EXPECT_TRUE(o.out.starts_with("0 kernels searched for, kept in ")) << o.out;
  EXPECT_TRUE(o.out.ends_with("run with BEAM=3 BEAM_SECONDS=0 to use what was found\n")) << o.out;
}

TEST_F(Tune, SaysHowAProgramEndedThatFailed) {
  const Outcome o = tg({"tune", "--", "/bin/sh", "-c", "exit 7"});
  EXPECT_EQ(o.status, 1);
  EXPECT_EQ(o.errors, "tg: tune: /bin/sh ended with status 7.\n");
  EXPECT_EQ(tg({"tune", "--", "/no/such/program"}).status, 1);
  EXPECT_NE(tg({"tune"}).status, 0);
}

TEST(Cli, OptionsPrintsTheReferencePage) {
  EXPECT_EQ(tg({"options", "--markdown"}).out, options_markdown());
}

TEST(Cli, DevicesPrintsEveryBackendAndTheDefault) {
  Options changed = options();
  changed.device = backends().front()->name;
  const OptionsScope scope(changed);
  const Outcome o = tg({"devices"});
  EXPECT_EQ(o.status, 0) << o.errors;
  for (const Backend* backend : backends()) {
    EXPECT_NE(("\n" + o.out).find("\n" + std::string(backend->name)), std::string::npos) << o.out;
  }
  EXPECT_TRUE(o.out.ends_with("default: " + changed.device + "\n")) << o.out;
}

TEST(Cli, DevicesTellsTheFactsOfEachThatWorks) {
  const std::string out = tg({"devices"}).out;
  for (const Backend* backend : backends()) {
    const std::string head = std::string(backend->name) + ": ";
    const size_t at = ("\n" + out).find("\n" + head);
    ASSERT_NE(at, std::string::npos) << out;
    if (const std::string reason = backend->probe(); !reason.empty()) {
      EXPECT_EQ(out.find(head + "cannot be used here: " + reason), at) << out;
      continue;
    }
    EXPECT_EQ(out.find(head + "works here"), at) << out;
    const std::string facts = out.substr(at, out.find("\n  name", at) - at);
    for (const char* fact : {"processor ", "vectors ", "caches ", "speed "})
      EXPECT_NE(facts.find(fact), std::string::npos) << fact << " of " << backend->name;
    EXPECT_NE(out.find("  name       " + std::string(backend->name) + std::string(backend->takes)),
              std::string::npos);
  }
}

TEST(Cli, DevicesSaysWhyOneCannotBeUsed) {
  Options changed = options();
  changed.device = "INTERP";
  changed.clang = true;
  changed.cc = "/no/such/compiler";
  const OptionsScope scope(changed);
  const std::string out = tg({"devices"}).out;
  EXPECT_NE(out.find("CPU: cannot be used here: the C compiler \"/no/such/compiler\""),
            std::string::npos)
      << out;
}

TEST(Cli, DevicesNamesTheDefaultInFull) {
  Options changed = options();
  changed.device = "CPU:CLANG:GENERIC";
  const OptionsScope scope(changed);
  EXPECT_TRUE(tg({"devices"}).out.ends_with("default: CPU:CLANG:generic\n"));
}

TEST(Cli, DevicesListsThemEvenIfDevIsWrong) {
  Options changed = options();
  changed.device = "TOASTER";
  const OptionsScope scope(changed);
  const Outcome o = tg({"devices"});
  EXPECT_EQ(o.status, 1);
  EXPECT_NE(o.out.find(backends().front()->name), std::string::npos) << o.out;
  EXPECT_TRUE(o.errors.starts_with("tg: device: unknown device \"TOASTER\"")) << o.errors;
}

TEST(Cli, DevicesAndVersionNameTheCompilerOfKernels) {
  Options changed = options();
  changed.device = "CPU";
  const OptionsScope scope(changed);
  const std::string compiler = device("CPU").compiler();
  EXPECT_NE(compiler, "");
  EXPECT_NE(tg({"devices"}).out.find("compiler   " + compiler), std::string::npos);
  EXPECT_NE(tg({"version"}).out.find("kernels for CPU: " + compiler + "\n"), std::string::npos);
}

TEST(Cli, CacheTellsWhatItHoldsAndDeletesIt) {
  const TempDir folder("tg-test");
  Options changed = options();
  changed.cache_dir = folder.path().string();
  const OptionsScope scope(changed);
  EXPECT_NE(tg({"cache", "info"}).out.find(": 0 compiled kernel files, 0 B"), std::string::npos)
      << tg({"cache", "info"}).out;
  const DiskCache cache(kKernelCache);
  cache.store("key", "code");
  EXPECT_NE(tg({"cache", "info"}).out.find(": 1 compiled kernel file, 71 B"), std::string::npos)
      << tg({"cache", "info"}).out;
  const Outcome o = tg({"cache", "clear"});
  EXPECT_EQ(o.status, 0);
  EXPECT_NE(o.out.find("deleted from " + cache.folder().string() + ": 1 "), std::string::npos)
      << o.out;
  EXPECT_EQ(cache.usage().entries, 0);
}

TEST(Cli, CacheWithoutAFolderSaysSo) {
  Options changed = options();
  changed.cache_dir.clear();
  const OptionsScope scope(changed);
  EXPECT_NE(tg({"cache", "info"}).out.find("no cache"), std::string::npos);
  EXPECT_NE(tg({"cache", "clear"}).out.find("no cache"), std::string::npos);
}

class Help : public testing::TestWithParam<std::vector<std::string>> {};
TEST_P(Help, IsPrintedToTheOutput) {
  const Outcome o = tg(GetParam());
  EXPECT_EQ(o.status, 0);
  EXPECT_NE(o.out.find("Usage: tg"), std::string::npos) << o.out;
  EXPECT_EQ(o.errors, "");
}
INSTANTIATE_TEST_SUITE_P(Everywhere, Help,
                         testing::Values(std::vector<std::string>{"--help"},
                                         std::vector<std::string>{"-h"},
                                         std::vector<std::string>{"--help-all"},
                                         std::vector<std::string>{"version", "--help"},
                                         std::vector<std::string>{"devices", "--help"},
                                         std::vector<std::string>{"options", "--help"},
                                         std::vector<std::string>{"cache", "--help"},
                                         std::vector<std::string>{"bench", "--help"}));

TEST(Cli, HelpNamesEveryCommand) {
  const Outcome o = tg({"--help"});
  for (const char* command : {"version", "options", "devices", "cache", "bench"}) {
    EXPECT_NE(o.out.find(command), std::string::npos) << command;
  }
}

TEST(Cli, BenchNamesTheExpressionsItKnows) {
  const Outcome o = tg({"bench", "--only", "naught"});
  EXPECT_NE(o.errors.find("matmul-1024"), std::string::npos) << o.errors;
  EXPECT_NE(o.errors.find("softmax"), std::string::npos) << o.errors;
}

TEST(Cli, BenchRefusesAnUnknownDevice) {
  Options changed = options();
  changed.device = "TOASTER";
  const OptionsScope scope(changed);
  const Outcome o = tg({"bench", "--only", "matmul-256"});
  EXPECT_EQ(o.status, 1);
  EXPECT_NE(o.errors.find("unknown device \"TOASTER\""), std::string::npos) << o.errors;
}

TEST(Cli, OnlyDevicesWithSpeedsAreCalibrated) {
  Options changed = options();
  changed.device = "NULL";
  const OptionsScope scope(changed);
  const Outcome o = tg({"bench", "--calibrate"});
  EXPECT_EQ(o.status, 1);
  EXPECT_EQ(o.errors,
            "tg: bench: NULL has no speeds to measure. Hint: choose another device with DEV.\n");
}

class WrongLine : public testing::TestWithParam<std::vector<std::string>> {};
TEST_P(WrongLine, IsRefusedWithAMessage) {
  const Outcome o = tg(GetParam());
  EXPECT_NE(o.status, 0);
  EXPECT_EQ(o.out, "");
  EXPECT_NE(o.errors.find("--help"), std::string::npos) << o.errors;
}
INSTANTIATE_TEST_SUITE_P(Lines, WrongLine,
                         testing::Values(std::vector<std::string>{},
                                         std::vector<std::string>{"no-such-command"},
                                         std::vector<std::string>{"--no-such-flag"},
                                         std::vector<std::string>{"version", "extra"},
                                         std::vector<std::string>{"options", "--html"},
                                         std::vector<std::string>{"bench", "extra"},
                                         std::vector<std::string>{"bench", "--only"},
                                         std::vector<std::string>{"bench", "--only", "naught"},
                                         std::vector<std::string>{"bench", "--threads", "0"},
                                         std::vector<std::string>{"bench", "--threads", "many"},
                                         std::vector<std::string>{"bench", "--repetitions", "-1"}));

}  // namespace
}  // namespace tg::cli

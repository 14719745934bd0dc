// Options: reading, defaults, aliases, every malformed value, scopes, and the generated page.
#include "support/options.h"

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <set>
#include <string>
#include <thread>

#include "support/file.h"
#include "support/source_dir.h"
#include "support/thread_pool.h"
#include "tg/error.h"

namespace tg {
namespace {

using Environment = std::map<std::string, std::string>;

Options read(const Environment& environment) {
  return read_options([&](const char* name) -> const char* {
    const auto found = environment.find(name);
    return found == environment.end() ? nullptr : found->second.c_str();
  });
}

std::string error_of(const Environment& environment) {
  try {
    read(environment);
  } catch (const ArgumentError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Options, AnEmptyEnvironmentGivesTheDefaults) {
  const Options o = read({});
  EXPECT_EQ(o.debug, 0);
  EXPECT_FALSE(o.noopt);
  EXPECT_EQ(o.device, "");
  EXPECT_EQ(o.seed, 0u);
  EXPECT_EQ(o.threads, 0);
  EXPECT_EQ(o.cc, "");
  EXPECT_EQ(o.arch, "native");
  EXPECT_EQ(o.datasets_dir, "");
  EXPECT_EQ(o.color, ColorMode::Auto);
  EXPECT_EQ(o.temp_dir, "/tmp");
}

TEST(Options, EveryVariableIsRead) {
  const Options o = read({{"DEBUG", "4"},
                          {"NOOPT", "1"},
                          {"DEV", "cpu:llvm"},
                          {"SEED", "18446744073709551615"},
                          {"THREADS", "3"},
                          {"CC", "gcc-12"},
                          {"TG_ARCH", "Generic"},
                          {"TG_CACHE", "/c"},
                          {"TG_DATASETS", "/d"},
                          {"CHECK", "yes"},
                          {"PROFILE", "/t.json"},
                          {"TG_COLOR", "always"},
                          {"PATH", "/p:/q"},
                          {"TMPDIR", "/t"}});
  EXPECT_EQ(o.debug, 4);
  EXPECT_TRUE(o.noopt);
  EXPECT_EQ(o.device, "CPU:LLVM");
  EXPECT_EQ(o.seed, UINT64_MAX);
  EXPECT_EQ(o.thread_count(), 3);
  EXPECT_EQ(o.cc, "gcc-12");
  EXPECT_EQ(o.arch, "generic");
  EXPECT_EQ(o.cache_dir, "/c");
  EXPECT_EQ(o.datasets_dir, "/d");
  EXPECT_TRUE(o.check);
  EXPECT_EQ(o.profile, "/t.json");
  EXPECT_EQ(o.color, ColorMode::Always);
  EXPECT_EQ(o.search_path, "/p:/q");
  EXPECT_EQ(o.temp_dir, "/t");
}

TEST(Options, AnEmptyValueCountsAsNotSet) {
  EXPECT_EQ(read({{"DEBUG", ""}, {"SEED", ""}, {"TG_ARCH", ""}}).arch, "native");
}

TEST(Options, TheAliasIsUsedWhenTheNameIsNotSet) {
  EXPECT_EQ(read({{"TG_DEVICE", "INTERP"}}).device, "INTERP");
  EXPECT_EQ(read({{"DEV", ""}, {"TG_DEVICE", "INTERP"}}).device, "INTERP");
}

TEST(Options, TheNameWinsOverTheAlias) {
  EXPECT_EQ(read({{"DEV", "CPU"}, {"TG_DEVICE", "INTERP"}}).device, "CPU");
}

TEST(Options, TheCacheFollowsXdgThenHomeThenNothing) {
  EXPECT_EQ(read({{"XDG_CACHE_HOME", "/x"}, {"HOME", "/h"}}).cache_dir, "/x/tinygrad.cpp");
  EXPECT_EQ(read({{"HOME", "/h"}}).cache_dir, "/h/.cache/tinygrad.cpp");
  EXPECT_EQ(read({}).cache_dir, "");
}

TEST(Options, RelativeXdgAndHomeFoldersAreIgnored) {
  EXPECT_EQ(read({{"XDG_CACHE_HOME", "x"}, {"HOME", "/h"}}).cache_dir, "/h/.cache/tinygrad.cpp");
  EXPECT_EQ(read({{"HOME", "here"}}).cache_dir, "");
}

TEST(Options, CacheOffMeansNoDiskCache) {
  EXPECT_EQ(read({{"HOME", "/h"}, {"TG_CACHE", "off"}}).cache_dir, "");
}

TEST(Options, NoColorTurnsColoursOffUnlessAskedForExplicitly) {
  EXPECT_EQ(read({{"NO_COLOR", "1"}}).color, ColorMode::Never);
  EXPECT_EQ(read({{"NO_COLOR", ""}}).color, ColorMode::Auto);
  EXPECT_EQ(read({{"NO_COLOR", "1"}, {"TG_COLOR", "always"}}).color, ColorMode::Always);
}

struct Bad {
  const char* name;
  const char* value;
};
class MalformedOption : public testing::TestWithParam<Bad> {};

TEST_P(MalformedOption, IsRefusedWithNameValueAndWhatIsAccepted) {
  const auto [name, value] = GetParam();
  const std::string message = error_of({{name, value}});
  EXPECT_TRUE(message.starts_with("options: ")) << message;
  EXPECT_NE(message.find(std::string(name) + "=\"" + value + "\""), std::string::npos) << message;
  EXPECT_NE(message.find("Hint: unset "), std::string::npos) << message;
}

INSTANTIATE_TEST_SUITE_P(
    Values, MalformedOption,
    testing::Values(Bad{"DEBUG", "x"}, Bad{"DEBUG", "8"}, Bad{"DEBUG", "-1"}, Bad{"DEBUG", "1.5"},
                    Bad{"DEBUG", " 1"}, Bad{"DEBUG", "99999999999999999999"}, Bad{"NOOPT", "2"},
                    Bad{"CLANG", "yes!"}, Bad{"TG_LLVM", "14"}, Bad{"TG_LLVM", "llvm"},
                    Bad{"TG_CACHE_MB", "0"}, Bad{"TG_CACHE_MB", "1GB"}, Bad{"NOOPT", "maybe"},
                    Bad{"DEV", "C PU"}, Bad{"TG_DEVICE", "\n"}, Bad{"SEED", "-1"},
                    Bad{"SEED", "1e3"}, Bad{"SEED", "18446744073709551616"}, Bad{"THREADS", "-2"},
                    Bad{"THREADS", "1025"}, Bad{"THREADS", "all"}, Bad{"TG_ARCH", "x86"},
                    Bad{"CHECK", "?"}, Bad{"TG_COLOR", "blue"}));

TEST(Options, TheMessageIsExactlyThis) {
  EXPECT_EQ(error_of({{"DEBUG", "lots"}}),
            "options: DEBUG=\"lots\" is not accepted. "
            "Hint: unset DEBUG or set it to: 0–7 (default: 0).");
}

class FlagWord : public testing::TestWithParam<std::pair<const char*, bool>> {};

TEST_P(FlagWord, IsUnderstood) {
  EXPECT_EQ(read({{"CHECK", GetParam().first}}).check, GetParam().second);
}

INSTANTIATE_TEST_SUITE_P(Words, FlagWord,
                         testing::Values(std::pair{"1", true}, std::pair{"TRUE", true},
                                         std::pair{"on", true}, std::pair{"Yes", true},
                                         std::pair{"0", false}, std::pair{"false", false},
                                         std::pair{"OFF", false}, std::pair{"no", false}));

TEST(Options, NamesAreUniqueAndDescribed) {
  std::set<std::string_view> names;
  for (const OptionInfo& row : option_table()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    if (!row.alias.empty()) {
      EXPECT_TRUE(names.insert(row.alias).second) << row.alias;
    }
    EXPECT_FALSE(row.type.empty() || row.default_value.empty()) << row.name;
    EXPECT_TRUE(row.help.ends_with('.')) << row.name;
  }
}

TEST(Options, ShowPrintsWhatSetStored) {
  Options o;
  for (const OptionInfo& row : option_table()) {
    const std::string_view value = row.name == "TG_ARCH"    ? "generic"
                                   : row.name == "TG_COLOR" ? "never"
                                   : row.name == "TG_LLVM"  ? "16"
                                                            : "1";
    EXPECT_TRUE(row.set(o, value)) << row.name;
    EXPECT_EQ(row.show(o), value) << row.name;
  }
}

TEST(Options, ThereIsAtLeastOneThread) {
  EXPECT_GE(available_cores(), 1);
  EXPECT_EQ(read({}).thread_count(), available_cores());
}

TEST(OptionsScope, OverridesOnThisThreadAndNests) {
  const int before = options().debug;
  {
    Options changed = options();
    changed.debug = 7;
    const OptionsScope outer(changed);
    EXPECT_EQ(options().debug, 7);
    {
      changed.debug = 3;
      const OptionsScope inner(changed);
      EXPECT_EQ(options().debug, 3);
    }
    EXPECT_EQ(options().debug, 7);
    int elsewhere = -1;
    std::thread([&] { elsewhere = options().debug; }).join();
    EXPECT_EQ(elsewhere, before);
  }
  EXPECT_EQ(options().debug, before);
}

TEST(OptionsScope, ReachesTheWorkersOfTheThreadPool) {
  Options changed = options();
  changed.seed = 4711;
  const OptionsScope scope(changed);
  ThreadPool pool(4);
  std::atomic<int> wrong{0};
  pool.parallel_for(1000, 1, [&](int64_t, int64_t, int) { wrong += options().seed != 4711; });
  EXPECT_EQ(wrong.load(), 0);
}

TEST(OptionsPage, IsTheCommittedOne) {
  EXPECT_EQ(read_file(test::source_dir() / "docs/options.md"), options_markdown())
      << "run: tg options --markdown > docs/options.md";
}

TEST(OptionsPage, NamesEveryOption) {
  const std::string page = options_markdown();
  for (const OptionInfo& row : option_table()) {
    EXPECT_NE(page.find("| `" + std::string(row.name) + "`"), std::string::npos) << row.name;
  }
}

}  // namespace
}  // namespace tg

// Traces: what PROFILE writes is JSON that viewers read, spans nest, and nothing is kept without
// it.
#include "support/profile.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>
#include <vector>

#include "support/file.h"
#include "support/log.h"

namespace tg {
namespace {

Options with_profile(const std::string& file) {
  Options changed = options();
  changed.profile = file;
  return changed;
}

class Profile : public testing::Test {
 protected:
  Profile() : file_((dir_.path() / "trace.json").string()) {}

  nlohmann::json trace() const {
    write_profiles();
    return nlohmann::json::parse(read_file(file_));
  }

  const TempDir dir_;
  const std::string file_;
};

TEST_F(Profile, NothingIsRecordedWithoutAFile) {
  const OptionsScope scope(with_profile(""));
  EXPECT_FALSE(profiling());
  {
    const ProfileSpan span("run", "k");
  }
  write_profiles();
  EXPECT_FALSE(try_read_file(file_).has_value());
}

TEST_F(Profile, ASpanIsACompleteEventWithItsNumbers) {
  const OptionsScope scope(with_profile(file_));
  {
    ProfileSpan span("run", "r_16_4");
    span.note("flops", 128);
  }
  const nlohmann::json t = trace();
  ASSERT_EQ(t["traceEvents"].size(), 1u);
  const nlohmann::json& e = t["traceEvents"][0];
  EXPECT_EQ(e["name"], "r_16_4");
  EXPECT_EQ(e["cat"], "run");
  EXPECT_EQ(e["ph"], "X");
  EXPECT_GE(e["ts"], 0.0);
  EXPECT_GE(e["dur"], 0.0);
  EXPECT_EQ(e["args"]["flops"], 128.0);
  EXPECT_EQ(t["otherData"]["dropped"], 0);
}

TEST_F(Profile, ASpanOfWorkThatABetterClockTimedIsItsLastPart) {
  const OptionsScope scope(with_profile(file_));
  {
    const ProfileSpan outer("run", "outer");
    ProfileSpan span("run", "timed"), longer("run", "longer than the span");
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(2);
    while (std::chrono::steady_clock::now() < until) {
    }
    span.took(1e-3);
    longer.took(3600);
  }
  const nlohmann::json t = trace();
  ASSERT_EQ(t["traceEvents"].size(), 3u);
  const nlohmann::json &longer = t["traceEvents"][0], &timed = t["traceEvents"][1],
                       &outer = t["traceEvents"][2];
  const double begin = outer["ts"].get<double>();
  EXPECT_NEAR(timed["dur"].get<double>(), 1000, 1e-2);
  EXPECT_GE(timed["ts"].get<double>(), begin + 999);
  EXPECT_GE(longer["ts"].get<double>(), begin);
  EXPECT_GE(longer["dur"].get<double>(), 2000);
  EXPECT_LT(longer["dur"].get<double>(), 3.6e9);
}

TEST_F(Profile, AnInnerSpanLiesInsideTheOuterOne) {
  const OptionsScope scope(with_profile(file_));
  {
    const ProfileSpan outer("schedule", "outer");
    const ProfileSpan inner("lower", "inner");
  }
  const nlohmann::json t = trace();
  ASSERT_EQ(t["traceEvents"].size(), 2u);
  const nlohmann::json &inner = t["traceEvents"][0], &outer = t["traceEvents"][1];
  EXPECT_EQ(inner["name"], "inner");
  EXPECT_LE(outer["ts"].get<double>(), inner["ts"].get<double>());
  EXPECT_GE(outer["ts"].get<double>() + outer["dur"].get<double>() + 1e-3,
            inner["ts"].get<double>() + inner["dur"].get<double>());
  EXPECT_EQ(inner["tid"], outer["tid"]);
}

TEST_F(Profile, NamesMayHoldAnything) {
  const OptionsScope scope(with_profile(file_));
  {
    ProfileSpan span("compile", "");
    span.rename("a \"b\" \\ c\n\x01");
  }
  EXPECT_EQ(trace()["traceEvents"][0]["name"], "a \"b\" \\ c\n\x01");
}

TEST_F(Profile, ThreadsRecordSideBySide) {
  constexpr int kThreads = 4, kSpans = 100;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([this] {
      const OptionsScope scope(with_profile(file_));
      for (int i = 0; i < kSpans; ++i) const ProfileSpan span("run", "k");
    });
  }
  for (std::thread& t : threads) t.join();
  std::set<int> numbers;
  const nlohmann::json t = trace();
  for (const nlohmann::json& e : t["traceEvents"]) numbers.insert(e["tid"].get<int>());
  EXPECT_EQ(t["traceEvents"].size(), size_t{kThreads * kSpans});
  EXPECT_EQ(numbers.size(), size_t{kThreads});
}

TEST_F(Profile, AFileThatCannotBeWrittenIsALineInTheLog) {
  const std::string missing = (dir_.path() / "no" / "such" / "folder.json").string();
  {
    const OptionsScope scope(with_profile(missing));
    const ProfileSpan span("run", "k");
  }
  std::vector<std::string> lines;
  const LogSink former = set_log_sink([&](std::string_view line) { lines.emplace_back(line); });
  write_profiles();
  set_log_sink(former);
  EXPECT_EQ(std::ranges::count(lines, "profile: cannot write " + missing), 1);
}

}  // namespace
}  // namespace tg

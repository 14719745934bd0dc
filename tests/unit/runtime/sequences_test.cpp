// What devices make of captured sequences: graphs of nodes, parts between barriers, and commands
// that are written again only where a call has changed.
#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <numeric>

#include "runtime/launch_graph.h"
#include "runtime/launch_parts.h"
#include "runtime/recorded_replay.h"

namespace tg {
namespace {

// Launches of so many calls each; the one variable of a call is its number.
class Launches {
 public:
  explicit Launches(const std::vector<size_t>& counts, std::vector<size_t> varies = {})
      : varying(std::move(varies)) {
    for (const size_t count : counts) {
      for (size_t i = 0; i < count; ++i) {
        numbers.push_back({static_cast<int64_t>(calls.size())});
        calls.push_back({nullptr, {}, numbers.back()});
      }
      ends.push_back(calls.size());
    }
  }
  CallSequence view() const { return {calls, ends, varying}; }

  std::deque<std::array<int64_t, 1>> numbers;
  std::vector<Call> calls;
  std::vector<size_t> ends, varying;
};

// ---- graphs
struct Node {
  int64_t number;  // of the call; −1: joins
  std::vector<int> after;
};

// The nodes of a sequence, by number.
std::vector<Node> graph_of(const Launches& launches, std::vector<int>* of_calls = nullptr) {
  std::vector<Node> nodes;
  const auto made = [&](int64_t number, const std::vector<int>& after) {
    nodes.push_back({number, after});
    return static_cast<int>(nodes.size() - 1);
  };
  const std::vector<int> calls = build_launch_graph<int>(
      launches.view(),
      [&](const Call& c, const std::vector<int>& after) { return made(c.vars[0], after); },
      [&](const std::vector<int>& after) { return made(-1, after); });
  if (of_calls != nullptr) *of_calls = calls;
  return nodes;
}

TEST(LaunchGraph, PutsEachLaunchBehindTheOneBefore) {
  const std::vector<Node> nodes = graph_of(Launches({1, 2, 1}));
  ASSERT_EQ(nodes.size(), 4u);
  EXPECT_EQ(nodes[0].after, std::vector<int>());
  EXPECT_EQ(nodes[1].after, std::vector<int>{0});
  EXPECT_EQ(nodes[2].after, std::vector<int>{0}) << "calls of one launch do not wait";
  EXPECT_EQ(nodes[3].after, (std::vector<int>{1, 2}));
}

TEST(LaunchGraph, JoinsLaunchesOfManyCallsWhereThatSavesEdges) {
  std::vector<int> calls;
  const std::vector<Node> nodes = graph_of(Launches({3, 3}), &calls);
  ASSERT_EQ(nodes.size(), 7u);
  EXPECT_EQ(nodes[3].number, -1);
  EXPECT_EQ(nodes[3].after, (std::vector<int>{0, 1, 2}));
  for (int i = 4; i < 7; ++i) EXPECT_EQ(nodes[static_cast<size_t>(i)].after, std::vector<int>{3});
  EXPECT_EQ(calls, (std::vector<int>{0, 1, 2, 4, 5, 6})) << "those of the calls alone";
  EXPECT_EQ(graph_of(Launches({2, 2})).size(), 4u) << "four edges either way";
}

// ---- parts
TEST(LaunchParts, ChainsLaunchesOfOneCallAndKeepsOthersApart) {
  const Launches launches({1, 1, 3, 2, 1, 1});
  const LaunchParts parts(launches.view());
  std::vector<std::pair<size_t, size_t>> found;
  for (const LaunchPart& p : parts.parts) found.emplace_back(p.first, p.count);
  EXPECT_EQ(found, (std::vector<std::pair<size_t, size_t>>{{0, 2}, {2, 3}, {5, 2}, {7, 2}}));
  std::vector<size_t> waiting;
  for (size_t i = 0; i < parts.waits.size(); ++i) {
    if (parts.waits[i]) waiting.push_back(i);
  }
  EXPECT_EQ(waiting, (std::vector<size_t>{1, 8}));
}

// ---- recorded commands
class NotingReplay final : public RecordedReplay<int64_t> {
 public:
  explicit NotingReplay(const CallSequence& sequence) : RecordedReplay(sequence) { record(); }
  void finish() { wait_quietly(); }

  std::vector<std::string> log;
  uint64_t blocks_gone = 0;
  bool stops = false;

 protected:
  int64_t bind(const Call& call) const override { return call.vars[0]; }
  void write(size_t copy, size_t call, const int64_t& now, const int64_t* before) override {
    log.push_back(std::to_string(copy) + ": call " + std::to_string(call) + " is " +
                  std::to_string(now) +
                  (before == nullptr ? "" : ", was " + std::to_string(*before)));
  }
  uint64_t generation() const override { return blocks_gone; }
  uint64_t launch(size_t copy, const std::vector<int64_t>& written) override {
    log.push_back(std::to_string(copy) + ": run with " +
                  std::to_string(std::accumulate(written.begin(), written.end(), int64_t{0})));
    return ++runs_;
  }
  void wait_for(uint64_t number) override {
    log.push_back("wait for " + std::to_string(number));
    if (stops) throw DeviceError("it stopped");
  }

 private:
  uint64_t runs_ = 0;
};

using Log = std::vector<std::string>;

TEST(RecordedReplay, WithoutAnythingThatVariesHasOneCopyAndNeverWaits) {
  const Launches launches({1, 1});
  NotingReplay replay(launches.view());
  EXPECT_EQ(replay.log, (Log{"0: call 0 is 0", "0: call 1 is 1"}));
  replay.log.clear();
  replay.run(), replay.run();
  EXPECT_EQ(replay.log, (Log{"0: run with 0", "0: run with 0"}));
}

TEST(RecordedReplay, WritesTheOtherCopyWhileTheDeviceMayReadOne) {
  Launches launches({1, 1}, {1});
  NotingReplay replay(launches.view());
  EXPECT_EQ(replay.log.size(), 4u);
  replay.log.clear();
  launches.numbers[1][0] = 10;
  replay.run(), replay.run(), replay.run();
  EXPECT_EQ(replay.log, (Log{"wait for 0", "0: call 1 is 10, was 1", "0: run with 10", "wait for 0",
                             "1: call 1 is 10, was 1", "1: run with 10", "0: run with 10"}));
  replay.log.clear();
  launches.numbers[1][0] = 11;
  replay.run();
  EXPECT_EQ(replay.log, (Log{"wait for 2", "1: call 1 is 11, was 10", "1: run with 11"}));
}

TEST(RecordedReplay, BelievesNothingThatWasWrittenBeforeABlockWent) {
  const Launches launches({1, 1}, {1});
  NotingReplay replay(launches.view());
  replay.log.clear();
  replay.blocks_gone = 1;
  replay.run();
  EXPECT_EQ(replay.log, (Log{"wait for 0", "0: call 1 is 1", "0: run with 1"}));
}

TEST(RecordedReplay, ThatStoppedIsNotWaitedForTwice) {
  const Launches launches({1}, {0});
  NotingReplay replay(launches.view());
  replay.run(), replay.run();
  replay.log.clear();
  replay.stops = true;
  replay.finish();
  EXPECT_EQ(replay.log, Log{"wait for 1"});
}

}  // namespace
}  // namespace tg

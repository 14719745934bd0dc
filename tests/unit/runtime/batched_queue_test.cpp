// Launches in batches, on a device of our own: when batches are handed over, what is waited for,
// and what an error of one means for the next.
#include "runtime/batched_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <vector>

namespace tg {
namespace {

// Batches of numbers. The device runs a batch when it is waited for, or told to.
class NotingQueue final : public BatchedQueue<int> {
 public:
  explicit NotingQueue(int most) : BatchedQueue(most) {}
  ~NotingQueue() override { drain(); }

  uint64_t launch(int number, int kernels = 1, bool at_once = false) {
    return write("k" + std::to_string(number), kernels, at_once, [&](const int& batch, bool first) {
      log.push_back((first ? "first " : "") + std::to_string(number) + " in " +
                    std::to_string(batch));
    });
  }

  std::vector<std::string> log;
  int begun = 0, failing = 0;  // numbers of batches, from 1
  mutable int done = 0;        // the last that has run
  bool takes_commands = true;

 protected:
  int begin() override {
    if (!takes_commands) throw std::runtime_error("no more");
    return ++begun;
  }
  void hand_over(int& batch) override { log.push_back("run " + std::to_string(batch)); }
  State state(const int& batch) const override {
    if (batch > done) return State::Running;
    return batch == failing ? State::Failed : State::Done;
  }
  void wait_until_done(const int& batch) const override { done = std::max(done, batch); }
  double seconds(const int&) const override { return 0.5; }
  void fail(const int& batch, const std::string& kernels) const override {
    throw std::runtime_error(std::to_string(batch) + ": " + kernels);
  }
};

using Log = std::vector<std::string>;

std::string error_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const std::runtime_error& e) {
    return e.what();
  }
  return {};
}

TEST(BatchedQueue, HandsTheFirstLaunchOverAtOnceAndCollectsWhileTheDeviceIsBusy) {
  NotingQueue q(3);
  for (int i = 1; i <= 5; ++i) q.launch(i);
  EXPECT_EQ(q.log, (Log{"first 1 in 1", "run 1", "first 2 in 2", "3 in 2", "4 in 2", "run 2",
                        "first 5 in 3"}));
}

TEST(BatchedQueue, HandsOverWhatIsCollectedWhenItIsTold) {
  NotingQueue q(10);
  q.launch(1), q.launch(2);
  q.submit();
  EXPECT_EQ(q.log.back(), "run 2");
  q.launch(3, 1, true);
  EXPECT_EQ(q.log.back(), "run 3");
}

TEST(BatchedQueue, WaitsForTheBatchOfANumberAndNotForLaterOnes) {
  NotingQueue q(1);
  q.launch(1);
  const uint64_t second = q.launch(2);
  q.launch(3);
  q.wait_for(second);
  EXPECT_EQ(q.done, 2);
  q.wait_for(0);
  EXPECT_EQ(q.done, 2);
  q.wait();
  EXPECT_EQ(q.done, 3);
}

TEST(BatchedQueue, CountsTheSecondsOfWhatWasLaunchedMeanwhile) {
  NotingQueue q(1);
  q.launch(1);
  EXPECT_EQ(q.timed([&] { q.launch(2), q.launch(3); }), 1.0);
  EXPECT_EQ(q.timed([] {}), 0.0);
}

TEST(BatchedQueue, ReportsWhatFailedOnceWithItsKernelsAndGoesOn) {
  NotingQueue q(2);
  q.launch(1), q.launch(2), q.launch(3);
  q.failing = 2;
  EXPECT_EQ(error_of([&] { q.wait(); }), "2: k2 or one of the 1 behind it");
  EXPECT_EQ(error_of([&] { q.wait(); }), "");
  q.failing = 0;
  q.launch(4);
  EXPECT_EQ(q.log.back(), "run 3") << "nothing runs any more";
}

TEST(BatchedQueue, ReportsAtTheNextLaunchWhatFailedBefore) {
  NotingQueue q(1);
  q.launch(1);
  q.failing = q.done = 1;
  EXPECT_EQ(error_of([&] { q.launch(2); }), "1: k1");
  q.failing = 0;
  EXPECT_EQ(error_of([&] { q.launch(2); }), "");
}

TEST(BatchedQueue, IsUsableAfterADeviceTookNoCommands) {
  NotingQueue q(1);
  q.takes_commands = false;
  EXPECT_EQ(error_of([&] { q.launch(1); }), "no more");
  q.takes_commands = true;
  q.launch(2);
  EXPECT_EQ(q.log, (Log{"first 2 in 1", "run 1"}));
}

}  // namespace
}  // namespace tg

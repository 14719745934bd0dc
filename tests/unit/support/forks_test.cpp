// Processes that are forked: marks, and work that goes on in another thread meanwhile. A child's
// loops: thread_pool_test.cpp. Kernels in a child: tests of the Python package.
#include "support/forks.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "tg/error.h"

namespace tg {
namespace {

#if defined(__SANITIZE_THREAD__)
constexpr bool kThreadSanitizer = true;
#elif defined(__has_feature)
constexpr bool kThreadSanitizer = __has_feature(thread_sanitizer);
#else
constexpr bool kThreadSanitizer = false;
#endif

// What `body` gives in a child; a hang becomes a signal.
bool in_child(const std::function<bool()>& body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(30);
    _exit(body() ? 0 : 1);
  }
  int status = 1;
  return waitpid(child, &status, 0) == child && status == 0;
}

bool computing_is_refused() {
  try {
    const Computing mark("realize");
  } catch (const DeviceError& error) {
    return std::string_view(error.what()) ==
           "realize: this process was forked while another thread of its parent was computing, and "
           "what that thread held stays locked. Hint: fork while nothing is computed, or start "
           "processes again (in Python: multiprocessing's \"spawn\").";
  }
  return false;
}

class Forks : public testing::Test {
 protected:
  void SetUp() override {
    if (kThreadSanitizer) GTEST_SKIP() << "ThreadSanitizer does not support fork with threads";
  }
};

TEST_F(Forks, AreCounted) {
  const int before = fork_generation();
  const ForkMark mark;
  EXPECT_FALSE(mark.crossed());
  EXPECT_TRUE(in_child([&] {
    return mark.crossed() && fork_generation() == before + 1 && !ForkMark().crossed() &&
           in_child([&] { return fork_generation() == before + 2; });
  }));
  EXPECT_FALSE(mark.crossed());
}

TEST_F(Forks, OfAThreadThatComputesAloneMayCompute) {
  EXPECT_TRUE(in_child([] { return !computing_is_refused(); }));
  const Computing outer("realize");
  const Computing inner("realize");
  EXPECT_TRUE(in_child([] { return !computing_is_refused(); }));
}

TEST_F(Forks, WhileAnotherThreadComputesMayNotCompute) {
  std::mutex mutex;
  std::condition_variable changed;
  int step = 0;
  const auto reach = [&](int wanted) {
    const std::lock_guard lock(mutex);
    step = wanted;
    changed.notify_all();
  };
  const auto wait_for = [&](int wanted) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return step >= wanted; });
  };
  std::thread other([&] {
    {
      const InsideLibrary mark;  // as Computing, of which it is a part
      reach(1);
      wait_for(2);
    }
    reach(3);
  });
  wait_for(1);
  EXPECT_TRUE(in_child(
      [] { return computing_is_refused() && in_child([] { return computing_is_refused(); }); }));
  EXPECT_FALSE(computing_is_refused()) << "the parent goes on";
  reach(2);
  wait_for(3);
  EXPECT_TRUE(in_child([] { return !computing_is_refused(); }));
  other.join();
}

}  // namespace
}  // namespace tg

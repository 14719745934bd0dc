// The thread pool: every index runs once, whatever the sizes, callers, nesting, exceptions and
// forks.
#include "support/thread_pool.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <numeric>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "support/options.h"

// The search for leaks at the end of a forked child may wait for a lock of the allocator that a
// thread of the parent held when it forked. LeakSanitizer asks here first, by this name.
static bool is_forked_child = false;
extern "C" __attribute__((visibility("default"))) int __lsan_is_turned_off() {
  return is_forked_child ? 1 : 0;
}

namespace tg {
namespace {

// How often each index of [0, count) was run.
std::vector<int> visits(ThreadPool& pool, int64_t count, int64_t grain, int limit = 1 << 16) {
  std::vector<std::atomic<int>> hits(static_cast<size_t>(count));
  pool.parallel_for(
      count, grain,
      [&](int64_t begin, int64_t end, int) {
        for (int64_t i = begin; i < end; ++i) hits[static_cast<size_t>(i)].fetch_add(1);
      },
      limit);
  return {hits.begin(), hits.end()};
}

class Loop : public testing::TestWithParam<std::tuple<int, int64_t, int64_t>> {};

TEST_P(Loop, RunsEveryIndexOnce) {
  const auto [threads, count, grain] = GetParam();
  ThreadPool pool(threads);
  EXPECT_EQ(visits(pool, count, grain), std::vector<int>(static_cast<size_t>(count), 1));
}

INSTANTIATE_TEST_SUITE_P(Sizes, Loop,
                         testing::Combine(testing::Values(1, 2, 3, 8),
                                          testing::Values<int64_t>(0, 1, 2, 7, 64, 1001),
                                          testing::Values<int64_t>(0, 1, 3, 100, 5000)));

TEST(ThreadPool, ANegativeCountRunsNothing) {
  ThreadPool pool(2);
  bool ran = false;
  pool.parallel_for(-3, 1, [&](int64_t, int64_t, int) { ran = true; });
  EXPECT_FALSE(ran);
}

TEST(ThreadPool, RangesHaveAtLeastTheGrainExceptTheLast) {
  ThreadPool pool(3);
  std::atomic<int> small{0};
  pool.parallel_for(1000, 7, [&](int64_t begin, int64_t end, int) {
    if (end - begin < 7 && end != 1000) ++small;
  });
  EXPECT_EQ(small.load(), 0);
}

TEST(ThreadPool, FewGrainsBecomeOneContiguousPartAThread) {
  ThreadPool pool(4);
  std::atomic<int> ranges{0};
  pool.parallel_for(12, 1, [&](int64_t begin, int64_t end, int) {
    ++ranges;
    EXPECT_EQ(end - begin, 3);
  });
  EXPECT_EQ(ranges.load(), 4);
}

TEST(ThreadPool, ManyGrainsAreHandedOutOneByOne) {
  ThreadPool pool(2);
  std::atomic<int> ranges{0};
  pool.parallel_for(80, 10, [&](int64_t begin, int64_t end, int) {
    ++ranges;
    EXPECT_EQ(end - begin, 10);
    EXPECT_EQ(begin % 10, 0);
  });
  EXPECT_EQ(ranges.load(), 8);
}

TEST(ThreadPool, WorkerNumbersAreInRangeAndNeverSharedAtOnce) {
  ThreadPool pool(4);
  std::vector<std::atomic<int>> busy(4);
  std::atomic<int> wrong{0};
  pool.parallel_for(400, 1, [&](int64_t, int64_t, int worker) {
    if (worker < 0 || worker >= 4) {
      ++wrong;
      return;
    }
    auto& mine = busy[static_cast<size_t>(worker)];
    wrong += mine.fetch_add(1) != 0;
    std::this_thread::yield();
    mine.fetch_sub(1);
  });
  EXPECT_EQ(wrong.load(), 0);
}

TEST(ThreadPool, SeveralThreadsTakePart) {
  ThreadPool pool(2);
  std::atomic<int> inside{0};
  std::atomic<bool> met{false};
  // The part that starts first waits for the other one, which only a second thread can run
  // meanwhile.
  pool.parallel_for(2, 1, [&](int64_t, int64_t, int) {
    const bool first = inside.fetch_add(1) == 0;
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (first && !met && std::chrono::steady_clock::now() < deadline) {
      met = inside.load() == 2;
      std::this_thread::yield();
    }
  });
  EXPECT_TRUE(met.load());
}

TEST(ThreadPool, TheLimitKeepsOtherWorkersOut) {
  ThreadPool pool(4);
  std::atomic<int> wrong{0};
  for (int round = 0; round < 50; ++round) {
    pool.parallel_for(100, 1, [&](int64_t, int64_t, int worker) { wrong += worker >= 2; }, 2);
  }
  EXPECT_EQ(wrong.load(), 0);
  EXPECT_EQ(visits(pool, 100, 1, 2), std::vector<int>(100, 1));
}

TEST(ThreadPool, NestedLoopsRunInline) {
  ThreadPool pool(3);
  std::atomic<int> total{0};
  std::atomic<int> moved{0};
  pool.parallel_for(6, 1, [&](int64_t begin, int64_t end, int) {
    const auto self = std::this_thread::get_id();
    EXPECT_TRUE(in_parallel_loop());
    pool.parallel_for(10, 1, [&](int64_t b, int64_t e, int worker) {
      moved += std::this_thread::get_id() != self || worker != 0;
      total += static_cast<int>((e - b) * (end - begin));
    });
  });
  EXPECT_EQ(total.load(), 60);
  EXPECT_EQ(moved.load(), 0);
  EXPECT_FALSE(in_parallel_loop());
}

TEST(ThreadPool, AnExceptionReachesTheCallerAndThePoolStaysUsable) {
  ThreadPool pool(4);
  for (int round = 0; round < 20; ++round) {
    EXPECT_THROW(pool.parallel_for(100, 1,
                                   [](int64_t begin, int64_t end, int) {
                                     if (begin <= 40 && 40 < end) throw std::runtime_error("40");
                                   }),
                 std::runtime_error);
    EXPECT_EQ(visits(pool, 50, 1), std::vector<int>(50, 1));
  }
}

TEST(ThreadPool, AnExceptionOfAnInlineLoopReachesTheCaller) {
  ThreadPool pool(1);
  EXPECT_THROW(
      pool.parallel_for(3, 1, [](int64_t, int64_t, int) { throw std::runtime_error("inline"); }),
      std::runtime_error);
  EXPECT_FALSE(in_parallel_loop());
}

TEST(ThreadPool, SeveralCallersAtOnceAllGetTheirResults) {
  ThreadPool pool(3);
  std::vector<std::thread> callers;
  std::atomic<int> wrong{0};
  for (int caller = 0; caller < 6; ++caller) {
    callers.emplace_back([&] {
      for (int round = 0; round < 100; ++round) {
        std::atomic<int64_t> sum{0};
        pool.parallel_for(64, 4, [&](int64_t begin, int64_t end, int) {
          for (int64_t i = begin; i < end; ++i) sum += i;
        });
        wrong += sum.load() != 64 * 63 / 2;
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(wrong.load(), 0);
}

TEST(ThreadPool, WritesOfTheBodyAreVisibleAfterTheLoop) {
  ThreadPool pool(4);
  std::vector<int64_t> squares(5000);
  for (int round = 0; round < 20; ++round) {
    pool.parallel_for(5000, 16, [&](int64_t begin, int64_t end, int) {
      for (int64_t i = begin; i < end; ++i) squares[static_cast<size_t>(i)] = i * round;
    });
    EXPECT_EQ(std::accumulate(squares.begin(), squares.end(), int64_t{0}),
              int64_t{5000} * 4999 / 2 * round);
  }
}

TEST(ThreadPool, SleepingWorkersWakeForTheNextLoop) {
  ThreadPool pool(3);
  for (int round = 0; round < 20; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_EQ(visits(pool, 30, 1), std::vector<int>(30, 1));
  }
}

TEST(ThreadPool, ResizeChangesTheNumberOfThreads) {
  ThreadPool pool(2);
  for (const int threads : {4, 1, 3, 0, 2}) {
    pool.resize(threads);
    EXPECT_EQ(pool.size(), std::max(1, threads));
    EXPECT_EQ(visits(pool, 100, 1), std::vector<int>(100, 1));
  }
}

TEST(ThreadPool, ResizeWhileOthersUseItLosesNothing) {
  ThreadPool pool(2);
  std::atomic<bool> stop{false};
  std::thread resizer([&] {
    for (int threads = 1; !stop; threads = threads % 4 + 1) pool.resize(threads);
  });
  for (int round = 0; round < 200; ++round) {
    ASSERT_EQ(visits(pool, 33, 1), std::vector<int>(33, 1));
  }
  stop = true;
  resizer.join();
}

TEST(ThreadPool, ResizeInsideALoopIsIgnored) {
  ThreadPool pool(2);
  pool.parallel_for(2, 1, [&](int64_t, int64_t, int) { pool.resize(5); });
  EXPECT_EQ(pool.size(), 2);
}

TEST(ThreadPool, PoolsComeAndGoQuickly) {
  for (int round = 0; round < 50; ++round) {
    ThreadPool pool(4);
    EXPECT_EQ(visits(pool, 8, 1), std::vector<int>(8, 1));
  }
}

TEST(ParallelFor, FollowsTheThreadsOptionOfTheCaller) {
  Options one = options();
  one.threads = 1;
  const OptionsScope scope(one);
  const auto self = std::this_thread::get_id();
  int ranges = 0;
  parallel_for(1000, 1, [&](int64_t, int64_t, int) {
    ++ranges;
    EXPECT_EQ(std::this_thread::get_id(), self);
  });
  EXPECT_EQ(ranges, 1);
}

TEST(ParallelFor, GrowsThePoolWhenTheOptionAsksForMore) {
  Options many = options();
  many.threads = ThreadPool::global().size() + 2;
  const OptionsScope scope(many);
  std::atomic<int64_t> sum{0};
  parallel_for(100, 1, [&](int64_t begin, int64_t end, int) { sum += end - begin; });
  EXPECT_EQ(sum.load(), 100);
  EXPECT_EQ(ThreadPool::global().size(), many.threads);
}

#if defined(__SANITIZE_THREAD__)
constexpr bool kThreadSanitizer = true;
#elif defined(__has_feature)
constexpr bool kThreadSanitizer = __has_feature(thread_sanitizer);
#else
constexpr bool kThreadSanitizer = false;
#endif

TEST(ThreadPool, AForkedChildRunsInlineAndExits) {
  if (kThreadSanitizer) GTEST_SKIP() << "ThreadSanitizer does not support fork with threads";
  ThreadPool::global().resize(3);
  std::atomic<int> warm{0};
  parallel_for(100, 1, [&](int64_t, int64_t, int) { ++warm; });
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    is_forked_child = true;
    alarm(30);  // a hang becomes a signal
    int sum = 0;
    parallel_for(10, 1,
                 [&](int64_t begin, int64_t end, int) { sum += static_cast<int>(end - begin); });
    std::exit(sum == 10 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace tg

// The hook by which programs stop long work. The flag that Ctrl-C sets: log_test.cpp.
#include "support/interrupt.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "tg/error.h"

namespace tg {
namespace {

class InterruptHooks : public testing::Test {
 protected:
  void TearDown() override { set_interrupt_hook({}); }
};

TEST_F(InterruptHooks, StopTheWork) {
  set_interrupt_hook([] { return true; });
  try {
    check_interrupt("realize");
    FAIL() << "nothing was thrown";
  } catch (const CancelledError& error) {
    EXPECT_STREQ(error.what(), "realize: interrupted.");
  }
}

TEST_F(InterruptHooks, LetItGoOn) {
  set_interrupt_hook([] { return false; });
  EXPECT_NO_THROW(check_interrupt("realize"));
}

TEST_F(InterruptHooks, AreAskedAtALowRate) {
  int asked = 0;
  set_interrupt_hook([&] { return ++asked == 0; });
  const auto begin = std::chrono::steady_clock::now();
  while (asked < 3) check_interrupt("realize");
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(40));
}

TEST_F(InterruptHooks, AreAskedAtOnceWhenTheyAreNew) {
  for (int i = 0; i < 3; ++i) {
    bool asked = false;
    set_interrupt_hook([&] { return !(asked = true); });
    check_interrupt("realize");
    EXPECT_TRUE(asked) << i;
  }
}

TEST_F(InterruptHooks, AreAskedByEachThread) {
  std::atomic<int> asked = 0;
  set_interrupt_hook([&] { return ++asked == 0; });
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back([] { check_interrupt("realize"); });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(asked, 4);
}

TEST_F(InterruptHooks, AreNotAskedWhileTheyRun) {
  int asked = 0;
  set_interrupt_hook([&] {
    ++asked;
    EXPECT_TRUE(in_interrupt_hook());
    check_interrupt("realize");
    return false;
  });
  check_interrupt("realize");
  EXPECT_EQ(asked, 1);
  EXPECT_FALSE(in_interrupt_hook());
}

TEST_F(InterruptHooks, AreGivenBackWhenTheyAreReplaced) {
  EXPECT_EQ(set_interrupt_hook([] { return true; }), nullptr);
  const InterruptHook before = set_interrupt_hook({});
  ASSERT_NE(before, nullptr);
  EXPECT_TRUE(before());
  EXPECT_NO_THROW(check_interrupt("realize"));
  EXPECT_EQ(set_interrupt_hook({}), nullptr);
  EXPECT_NO_THROW(check_interrupt("realize"));
}

TEST_F(InterruptHooks, LiveUntilTheirLastCallIsOver) {
  const auto held = std::make_shared<int>(1);
  bool stopped = false;
  set_interrupt_hook([held, &stopped] {
    set_interrupt_hook({});
    stopped = *held == 1;
    return true;
  });
  EXPECT_THROW(check_interrupt("realize"), CancelledError);
  EXPECT_TRUE(stopped);
  EXPECT_EQ(held.use_count(), 1);
}

TEST_F(InterruptHooks, MayChangeWhileOthersAsk) {
  std::atomic<bool> done = false;
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      while (!done) check_interrupt("realize");
    });
  }
  for (int i = 0; i < 300; ++i)
    set_interrupt_hook(i % 3 == 0 ? InterruptHook() : [] { return false; });
  done = true;
  for (std::thread& t : threads) t.join();
}

}  // namespace
}  // namespace tg

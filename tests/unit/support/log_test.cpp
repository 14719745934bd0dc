// Log lines: the sink, DEBUG levels, colours; and the interrupt flag, which shares no state with
// them.
#include "support/log.h"

#include <gtest/gtest.h>

#include <csignal>
#include <string>
#include <thread>
#include <vector>

#include "support/interrupt.h"
#include "tg/error.h"

namespace tg {
namespace {

// Collects lines for a scope.
class Capture {
 public:
  Capture() : former_(set_log_sink([this](std::string_view line) { lines.emplace_back(line); })) {}
  ~Capture() { set_log_sink(former_); }
  std::vector<std::string> lines;

 private:
  LogSink former_;
};

Options with_debug(int level) {
  Options changed = options();
  changed.debug = level;
  return changed;
}

TEST(Log, TextArrivesLineByLine) {
  Capture capture;
  log_text("one\ntwo\n\nfour\n");
  log_text("five");
  EXPECT_EQ(capture.lines, (std::vector<std::string>{"one", "two", "", "four", "five"}));
}

TEST(Log, DebugLogObeysTheLevel) {
  Capture capture;
  const OptionsScope scope(with_debug(2));
  debug_log(1, "level {}", 1);
  debug_log(2, "level {}", 2);
  debug_log(3, "level {}", 3);
  EXPECT_EQ(capture.lines, (std::vector<std::string>{"level 1", "level 2"}));
  EXPECT_TRUE(debug_at(2));
  EXPECT_FALSE(debug_at(3));
}

TEST(Log, LinesOfOneCallStayTogether) {
  Capture capture;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      const std::string name = std::to_string(t);
      for (int i = 0; i < 50; ++i) log_text(name + "\n" + name);
    });
  }
  for (std::thread& thread : threads) thread.join();
  ASSERT_EQ(capture.lines.size(), 400u);
  for (size_t i = 0; i < 400; i += 2) EXPECT_EQ(capture.lines[i], capture.lines[i + 1]);
}

TEST(Log, ColoursAreOffForASinkAndOnWhenAsked) {
  Capture capture;
  Options o = options();
  o.color = ColorMode::Auto;
  {
    const OptionsScope scope(o);
    EXPECT_EQ(colored("x", Color::Red), "x");
  }
  o.color = ColorMode::Always;
  const OptionsScope scope(o);
  EXPECT_EQ(colored("x", Color::Red), "\x1b[31mx\x1b[0m");
}

TEST(Interrupt, TheFlagThrowsUntilItIsCleared) {
  clear_interrupt();
  EXPECT_NO_THROW(check_interrupt("train"));
  request_interrupt();
  EXPECT_TRUE(interrupted());
  try {
    check_interrupt("train");
    FAIL() << "no error";
  } catch (const CancelledError& error) {
    EXPECT_STREQ(error.what(), "train: interrupted (Ctrl-C).");
  }
  clear_interrupt();
  EXPECT_FALSE(interrupted());
}

TEST(Interrupt, CtrlCSetsTheFlagInsideAScope) {
  {
    const InterruptScope scope;
    const InterruptScope inner;
    std::raise(SIGINT);
    EXPECT_TRUE(interrupted());
  }
  EXPECT_FALSE(interrupted());
}

TEST(Interrupt, TheScopeRestoresTheFormerHandler) {
  struct sigaction before{};
  sigaction(SIGINT, nullptr, &before);
  {
    const InterruptScope scope;
    struct sigaction during{};
    sigaction(SIGINT, nullptr, &during);
    EXPECT_NE(during.sa_handler, before.sa_handler);
  }
  struct sigaction after{};
  sigaction(SIGINT, nullptr, &after);
  EXPECT_EQ(after.sa_handler, before.sa_handler);
}

TEST(InterruptDeathTest, TheSecondCtrlCEndsTheProcess) {
  EXPECT_EXIT(
      {
        const InterruptScope scope;
        std::raise(SIGINT);
        std::raise(SIGINT);
        std::exit(0);
      },
      testing::KilledBySignal(SIGINT), "");
}

}  // namespace
}  // namespace tg

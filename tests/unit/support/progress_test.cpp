// The progress bar on a pretended terminal and clock.
#include "support/progress.h"

#include <gtest/gtest.h>

#include <string>

namespace tg {
namespace {

struct Screen {
  std::string text;
  double time = 100;

  ProgressOutput output(bool terminal, int columns = 200) {
    ProgressOutput out;
    out.write = [this](std::string_view t) { text += t; };
    out.terminal = terminal;
    out.columns = columns;
    out.now = [this] { return time; };
    return out;
  }
};

TEST(Progress, APlainBarPrintsALineEveryTenSecondsAndOneAtTheEnd) {
  Screen screen;
  {
    ProgressBar bar("train", 100, screen.output(false));
    for (int step = 0; step < 100; ++step) {
      screen.time += 0.25;
      bar.advance(1, "loss 0.5");
    }
  }
  EXPECT_EQ(screen.text,
            "train 40/100 (40 %), 4 steps/s, 10.0 s, 15.0 s left, loss 0.5\n"
            "train 80/100 (80 %), 4 steps/s, 20.0 s, 5.00 s left, loss 0.5\n"
            "train 100/100 (100 %), 4 steps/s, 25.0 s, loss 0.5\n");
}

TEST(Progress, ATerminalBarRedrawsItsLine) {
  Screen screen;
  ProgressBar bar("load", 2, screen.output(true));
  screen.time += 1;
  bar.advance();
  EXPECT_EQ(screen.text, "\rload [############............] 1/2 (50 %), 1.00 s\x1b[K");
  screen.text.clear();
  screen.time += 1;
  bar.advance();
  bar.finish();
  EXPECT_TRUE(screen.text.ends_with(
      "\rload [########################] 2/2 (100 %), 1 steps/s, 2.00 s\x1b[K\n"))
      << screen.text;
}

TEST(Progress, ATerminalIsDrawnAtMostTenTimesASecond) {
  Screen screen;
  ProgressBar bar("fast", 1000, screen.output(true));
  for (int step = 0; step < 1000; ++step) {
    screen.time += 0.001;
    bar.advance();
  }
  EXPECT_LE(std::count(screen.text.begin(), screen.text.end(), '\r'), 10);
  EXPECT_GE(std::count(screen.text.begin(), screen.text.end(), '\r'), 8);
}

TEST(Progress, TheFirstStepDoesNotCountForTheRate) {
  Screen screen;
  ProgressBar bar("train", 10, screen.output(false));
  screen.time += 60;  // compiling
  bar.advance();
  EXPECT_EQ(bar.rate(), 0);
  screen.time += 2;
  bar.advance();
  EXPECT_DOUBLE_EQ(bar.rate(), 0.5);
}

TEST(Progress, AnUnknownTotalShowsCountAndTime) {
  Screen screen;
  ProgressBar bar("read", 0, screen.output(false));
  screen.time += 1;
  bar.advance(5);
  bar.finish();
  EXPECT_EQ(screen.text, "read 5, 1.00 s\n");
}

TEST(Progress, FinishEndsTheLineOnce) {
  Screen screen;
  {
    ProgressBar bar("x", 1, screen.output(false));
    bar.finish();
    bar.finish();
    bar.advance();
  }
  EXPECT_EQ(screen.text, "x 0/1 (0 %), 0 ns\n");
}

TEST(Progress, ANarrowTerminalCutsTheLineBetweenCharacters) {
  Screen screen;
  ProgressBar bar("größe", 1, screen.output(true, 5));
  bar.finish();
  EXPECT_EQ(screen.text, "\rgröß\x1b[K\n");
}

TEST(Progress, MoreStepsThanTheTotalStayAtHundredPercent) {
  Screen screen;
  ProgressBar bar("x", 2, screen.output(true));
  bar.advance(5);
  bar.finish();
  EXPECT_NE(screen.text.find("5/2 (100 %)"), std::string::npos) << screen.text;
}

}  // namespace
}  // namespace tg

// Which slot a text gets, and where a text ends before a word. What runs in slots:
// text_engine_test.cpp.
#include "frontend/language/slots.h"

#include <gtest/gtest.h>

#include "frontend/language/stop_texts.h"

namespace tg::models {
namespace {

using Tokens = std::vector<int32_t>;

TEST(Slots, GiveATextTheOneThatKnowsItBest) {
  Slots slots(3);
  for (const Tokens& text : {Tokens{1, 2, 3, 4}, Tokens{1, 2, 9, 9}, Tokens{7, 8}}) {
    const auto slot = slots.take(text);
    ASSERT_TRUE(slot);
    EXPECT_TRUE(slots.kept(*slot).empty());
    slots.kept(*slot) = text;
  }
  EXPECT_FALSE(slots.take(Tokens{1}));
  for (const int64_t slot : {0, 1, 2}) slots.give_back(slot);
  EXPECT_EQ(slots.take(Tokens{1, 2, 9, 9, 5}), 1);
  EXPECT_EQ(slots.kept(1), (Tokens{1, 2, 9, 9}));
  // The last token of a prompt is computed in any case.
  EXPECT_EQ(slots.take(Tokens{7, 8}), 2);
  EXPECT_EQ(slots.kept(2), Tokens{7});
}

TEST(Slots, LeaveATextThatWouldLoseMostOfItself) {
  Slots slots(2);
  Tokens talk(100, 5);
  talk[0] = 1;
  EXPECT_EQ(slots.take(Tokens{3}), 0);
  EXPECT_EQ(slots.take(talk), 1);
  slots.kept(1) = talk;
  slots.give_back(0);
  slots.give_back(1);
  Tokens other(talk.begin(), talk.begin() + 20);
  other.push_back(8);
  EXPECT_EQ(slots.take(other), 0);
  const auto source = slots.source(0, other);
  ASSERT_TRUE(source);
  EXPECT_EQ(source->slot, 1);
  EXPECT_EQ(source->count, 20);
  EXPECT_FALSE(slots.source(0, Tokens{1, 5, 9}));  // two tokens: not worth it
}

TEST(StopTexts, HoldBackWhatMayBeginOne) {
  StopTexts stop({"END", "\n\n"});
  EXPECT_EQ(stop.add("one E"), "one ");
  EXPECT_EQ(stop.add("N"), "");
  EXPECT_EQ(stop.add("TER\n"), "ENTER");
  EXPECT_EQ(stop.add("x"), "\nx");
  EXPECT_FALSE(stop.found());
  EXPECT_EQ(stop.add("twoENDthree"), "two");
  EXPECT_TRUE(stop.found());
  EXPECT_EQ(stop.add("more"), "");
  EXPECT_EQ(stop.finish(), "");
  StopTexts left({"END"});
  EXPECT_EQ(left.add("EN"), "");
  EXPECT_EQ(left.finish(), "EN");
}

}  // namespace
}  // namespace tg::models

// The rules of times, and the division into segments, each case by hand after openai/whisper
// (decoding.py, transcribe.py). The rules together, against `transformers`: whisper_test.cpp.
#include "frontend/speech/token_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace tg::models {
namespace {

using testing::ElementsAre;

// Words 0 to 4, end 5, no times 6, times from 7 on: 0.00 to 0.10 s.
constexpr int32_t kTimes = 7;
constexpr size_t kVocabulary = 13;

SpeechTokens tokens() {
  SpeechTokens t;
  t.start = 4;
  t.end = 5;
  t.no_times = 6;
  t.first_time = kTimes;
  t.never = {1};
  t.never_first = {2, 5};
  t.latest_first_time = kTimes + 2;
  return t;
}

// Tokens that may follow. Words are likelier than times unless `time_logit` is above 0.
std::vector<int32_t> allowed(bool timestamps, const std::vector<int32_t>& made,
                             float time_logit = -10) {
  std::vector<float> logits(kVocabulary, 0);
  for (size_t i = kTimes; i < kVocabulary; ++i) logits[i] = time_logit;
  forbid_tokens(tokens(), timestamps, made, logits);
  std::vector<int32_t> out;
  for (size_t i = 0; i < kVocabulary; ++i)
    if (!std::isinf(logits[i])) out.push_back(static_cast<int32_t>(i));
  return out;
}

TEST(TokenRules, WithoutTimesForbidListsOnly) {
  EXPECT_THAT(allowed(false, {}), ElementsAre(0, 3, 4, 6, 7, 8, 9, 10, 11, 12));
  EXPECT_THAT(allowed(false, {0}), ElementsAre(0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12));
}

TEST(TokenRules, BeginWithATimeThatIsNotTooLate) {
  EXPECT_THAT(allowed(true, {}), ElementsAre(7, 8, 9));
}

TEST(TokenRules, PutWordsBehindTheFirstTime) {
  EXPECT_THAT(allowed(true, {8}), ElementsAre(0, 2, 3, 4, 5));
}

TEST(TokenRules, LetTimesOnlyIncrease) {
  EXPECT_THAT(allowed(true, {8, 0}), ElementsAre(0, 2, 3, 4, 5, 9, 10, 11, 12));
}

TEST(TokenRules, PutTheNextBeginningOrTheEndBehindASingleTime) {
  EXPECT_THAT(allowed(true, {8, 0, 10}), ElementsAre(5, 10, 11, 12));
  EXPECT_THAT(allowed(true, {8, 0, 10, 10}), ElementsAre(0, 2, 3, 4, 5));
}

TEST(TokenRules, PreferATimeIfAllOfThemTogetherAreLikelier) {
  const auto together = static_cast<float>(-std::log(4.0));  // four times are left
  EXPECT_THAT(allowed(true, {8, 0}, together + 0.01F), ElementsAre(9, 10, 11, 12));
  EXPECT_THAT(allowed(true, {8, 0}, together - 0.01F), ElementsAre(0, 2, 3, 4, 5, 9, 10, 11, 12));
}

struct Division {
  std::vector<std::vector<int64_t>> segments;  // begin, end, tokens
  int64_t frames;
};

Division divide(const std::vector<int32_t>& made, int64_t frames) {
  const DividedWindow d = divided(tokens(), made, frames);
  Division out{.segments = {}, .frames = d.frames};
  for (const WindowSegment& s : d.segments)
    out.segments.push_back({s.begin, s.end, std::ssize(s.tokens)});
  return out;
}

TEST(Windows, EndAtTheLastTimeThatIsFollowedByABeginning) {
  const Division d = divide({7, 0, 9, 9, 0, 0, 11, 11, 3}, 20);
  EXPECT_THAT(d.segments, ElementsAre(ElementsAre(0, 4, 3), ElementsAre(4, 8, 4)));
  EXPECT_EQ(d.frames, 8);
}

TEST(Windows, AreDoneWhereTheLastSegmentIsComplete) {
  const Division d = divide({7, 0, 9, 9, 0, 11}, 20);
  EXPECT_THAT(d.segments, ElementsAre(ElementsAre(0, 4, 3), ElementsAre(4, 8, 3)));
  EXPECT_EQ(d.frames, 20);
}

TEST(Windows, AreOneSegmentWithoutPairsOfTimes) {
  EXPECT_THAT(divide({7, 0, 10}, 20).segments, ElementsAre(ElementsAre(0, 6, 3)));
  EXPECT_THAT(divide({7, 0, 0}, 20).segments, ElementsAre(ElementsAre(0, 20, 3)));
  EXPECT_THAT(divide({0, 0}, 20).segments, ElementsAre(ElementsAre(0, 20, 2)));
  EXPECT_THAT(divide({}, 20).segments, ElementsAre());
  EXPECT_EQ(divide({7, 0, 10}, 20).frames, 20);
}

TEST(Windows, AlwaysGoOn) { EXPECT_EQ(divide({7, 7}, 20).frames, 2); }

}  // namespace
}  // namespace tg::models

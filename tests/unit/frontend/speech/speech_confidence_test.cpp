// What a text is worth, by hand and by the published rules (transcribe.py of openai/whisper). Of
// whole transcripts: whisper_test.cpp.
#include "frontend/speech/speech_confidence.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace tg::models {
namespace {

TEST(SpeechConfidence, IsMadeOfProbabilities) {
  const float never = -std::numeric_limits<float>::infinity();
  const std::vector<float> logits = {never, 100, 100, static_cast<float>(100 - std::log(2.0))};
  EXPECT_NEAR(log_probability(logits, 1), std::log(0.4), 1e-5);
  EXPECT_NEAR(log_probability(logits, 3), std::log(0.2), 1e-5);
  EXPECT_EQ(log_probability(logits, 0), never);
}

// Values of zlib.compress() of Python.
TEST(SpeechConfidence, KnowsWhatRepeatsItself) {
  EXPECT_EQ(compression_ratio(""), 0);
  EXPECT_DOUBLE_EQ(compression_ratio("The quick brown fox."), 20.0 / 28);
  std::string often;
  for (int i = 0; i < 50; ++i) often += "thank you. ";
  EXPECT_DOUBLE_EQ(compression_ratio(often), 550.0 / 25);
}

TEST(SpeechConfidence, LooksAtTextsWithoutBlanksAround) {
  EXPECT_EQ(without_blanks(" \ta b\r\n"), "a b");
  EXPECT_EQ(without_blanks(" \n"), "");
  EXPECT_EQ(without_blanks(""), "");
}

SpeechConfidence of(double avg_logprob, double compression_ratio, double no_speech_prob) {
  return {.avg_logprob = avg_logprob,
          .compression_ratio = compression_ratio,
          .no_speech_prob = no_speech_prob};
}

TEST(SpeechConfidence, SaysWhatIsWrittenASecondTime) {
  const TranscribeOptions o;
  EXPECT_FALSE(is_doubtful(of(-0.3, 1.5, 0), o));
  EXPECT_TRUE(is_doubtful(of(-1.1, 1.5, 0), o)) << "unlikely";
  EXPECT_TRUE(is_doubtful(of(-0.3, 2.5, 0.9), o)) << "repeats itself";
  EXPECT_FALSE(is_doubtful(of(-1.1, 2.5, 0.9), o)) << "silence";
}

TEST(SpeechConfidence, SaysWhatIsSilence) {
  const TranscribeOptions o;
  EXPECT_TRUE(is_silence(of(-1.1, 1, 0.7), o));
  EXPECT_FALSE(is_silence(of(-0.9, 1, 0.7), o)) << "the text is likely";
  EXPECT_FALSE(is_silence(of(-1.1, 1, 0.5), o));
}

}  // namespace
}  // namespace tg::models

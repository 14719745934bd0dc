// tg transcribe as a user sees it, with a tiny Whisper that hears a second at a time; and the forms
// of a transcript.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/cli.h"
#include "cli/subtitles.h"
#include "support/interrupt.h"
#include "unit/frontend/speech/tiny_whisper.h"

namespace tg::cli {
namespace {

using models::TinyWhisper;
using nlohmann::json;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::StartsWith;

// A WAV file of 16 bits, one channel, 16 kHz.
std::string wav_of(const std::vector<int16_t>& samples) {
  const auto number = [](auto value) {
    return std::string(reinterpret_cast<const char*>(&value), sizeof value);
  };
  const auto bytes = static_cast<uint32_t>(2 * samples.size());
  std::string out = "RIFF" + number(36 + bytes) + "WAVEfmt " + number(uint32_t{16}) +
                    number(uint16_t{1}) + number(uint16_t{1}) + number(uint32_t{16000}) +
                    number(uint32_t{32000}) + number(uint16_t{2}) + number(uint16_t{16}) + "data" +
                    number(bytes);
  out.append(reinterpret_cast<const char*>(samples.data()), bytes);
  return out;
}

class TranscribeCommand : public testing::Test {
 protected:
  struct Result {
    int status = 0;
    std::string out, errors, log;
  };

  TranscribeCommand() {
    const auto samples = TinyWhisper::expected().at("long_samples").to_vector<int16_t>();
    write_file(file_, wav_of(samples));
  }
  Result transcribed(std::vector<std::string> arguments) const {
    std::ostringstream out, errors, log;
    std::streambuf* const old_log = std::cerr.rdbuf(log.rdbuf());
    std::vector<std::string> all = {"transcribe", file_, "--model", model_};
    // The tiny model is never sure of its text.
    for (const char* plain : {"--temperature=0", "--no-speech-threshold=1", "--independent"})
      all.emplace_back(plain);
    all.insert(all.end(), arguments.begin(), arguments.end());
    const int status = run(all, out, errors);
    std::cerr.rdbuf(old_log);
    return {status, out.str(), errors.str(), log.str()};
  }

  const TempDir folder_{"transcribe"};
  const std::string file_ = (folder_.path() / "speech.wav").string();
  const std::string model_ = TinyWhisper::reference().string();
};

TEST_F(TranscribeCommand, PrintsALineForEachSegment) {
  const Result r = transcribed({"--language", "fr"});
  EXPECT_EQ(r.status, 0) << r.errors;
  EXPECT_EQ(std::ranges::count(r.out, '\n'), 8) << r.out;
  EXPECT_THAT(r.log, HasSubstr("2 and 2 layers, 32 wide, "));
  EXPECT_THAT(r.log, HasSubstr("; 3.7 s of sound\n"));
  const Result timed = transcribed({"--language", "fr", "--timestamps"});
  EXPECT_THAT(timed.out, StartsWith("[00:00.240 --> 00:00.360]  "));
}

TEST_F(TranscribeCommand, WritesSubtitles) {
  const Result srt = transcribed({"--language", "fr", "--format", "srt"});
  EXPECT_EQ(srt.status, 0) << srt.errors;
  EXPECT_THAT(srt.out, StartsWith("1\n00:00:00,240 --> 00:00:00,360\n"));
  EXPECT_THAT(srt.out, HasSubstr("\n\n8\n00:00:03,360 --> 00:00:03,720\n"));
  const Result vtt = transcribed({"--language", "fr", "--format", "vtt"});
  EXPECT_THAT(vtt.out, StartsWith("WEBVTT\n\n00:00.240 --> 00:00.360\n"));
}

TEST_F(TranscribeCommand, WritesJsonAndFindsOutTheLanguage) {
  const Result r = transcribed({"--format", "json", "--task", "translate"});
  EXPECT_EQ(r.status, 0) << r.errors;
  const json all = json::parse(r.out);
  EXPECT_THAT(all.at("language").get<std::string>(), testing::AnyOf("de", "en", "fr"));
  EXPECT_THAT(r.log, HasSubstr("language: " + all.at("language").get<std::string>()));
  ASSERT_FALSE(all.at("segments").empty());
  EXPECT_FALSE(all.at("segments")[0].at("tokens").empty());
  EXPECT_LT(all.at("segments")[0].at("start"), all.at("segments")[0].at("end"));
  EXPECT_EQ(all.at("segments")[0].at("temperature"), 0);
  for (const char* name : {"avg_logprob", "compression_ratio", "no_speech_prob"})
    EXPECT_NE(all.at("segments")[0].at(name), 0) << name;
}

TEST_F(TranscribeCommand, TriesTemperaturesAndTakesAPrompt) {
  const Result r = transcribed({"--format", "json", "--language", "fr", "--logprob-threshold", "0",
                                "--seed", "3", "--temperature", "0.5,0.7"});
  EXPECT_EQ(r.status, 0) << r.errors;
  EXPECT_EQ(json::parse(r.out).at("segments")[0].at("temperature"), 0.7);
  const Result plain = transcribed({"--language", "fr"});
  EXPECT_NE(transcribed({"--language", "fr", "--prompt", "Ada, Grace and Edsger"}).out, plain.out);
  EXPECT_THAT(transcribed({"--temperature", "-1"}).errors,
              HasSubstr("transcribe: temperatures are 0 or more, got -1."));
}

TEST_F(TranscribeCommand, SaysWhatIsWrong) {
  const Result r = transcribed({"--language", "eo"});
  EXPECT_EQ(r.status, 1);
  EXPECT_EQ(r.errors,
            "tg: transcribe: the model does not know the language \"eo\". Hint: it knows de, en, "
            "fr.\n");
  EXPECT_NE(transcribed({"--format", "mp4"}).status, 0);
  write_file(file_, "no sound");
  EXPECT_THAT(transcribed({}).errors, HasSubstr("speech.wav\" is no sound file: "));
}

TEST_F(TranscribeCommand, StopsAtCtrlC) {
  const InterruptScope interrupts;
  request_interrupt();
  const Result r = transcribed({});
  EXPECT_EQ(r.status, 1);
  EXPECT_THAT(r.errors, HasSubstr("interrupted (Ctrl-C)"));
  clear_interrupt();
  EXPECT_EQ(transcribed({}).status, 0);
}

TEST(Subtitles, AreWithoutEmptySegmentsArrowsAndBrokenLines) {
  const auto of = [](const std::string& text) {
    return transcript_segment(TranscriptForm::SubRip,
                              {.begin = 3599.9996, .end = 7322.5, .text = text}, 3);
  };
  EXPECT_EQ(of(" \n"), "");
  EXPECT_EQ(of(" a\nb ---> c "), "3\n01:00:00,000 --> 02:02:02,500\na b -> c\n\n");
  EXPECT_EQ(transcript_segment(TranscriptForm::WebVtt, {.begin = 1, .end = 3600, .text = "x"}, 1),
            "00:01.000 --> 01:00:00.000\nx\n\n");
}

}  // namespace
}  // namespace tg::cli

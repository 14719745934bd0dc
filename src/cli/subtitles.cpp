// See subtitles.h.
#include "cli/subtitles.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "support/text.h"

namespace tg::cli {
namespace {

// One line, in which nothing looks like the arrow between two times.
std::string words_of(const models::SpeechSegment& segment) {
  std::string out(trim(segment.text));
  for (char& c : out)
    if (c == '\n' || c == '\r') c = ' ';
  for (size_t at; (at = out.find("-->")) != std::string::npos;) out.erase(at, 1);
  return out;
}

// "00:01:02,345"; without the hours if there are none and `has_hours` is not set.
std::string time_of(double seconds, bool has_hours, char point) {
  const int64_t all = std::llround(std::max(seconds, 0.0) * 1000);
  const int64_t hours = all / 3'600'000;
  std::string out = has_hours || hours > 0 ? fmt::format("{:02}:", hours) : "";
  out += fmt::format("{:02}:{:02}{}{:03}", all / 60'000 % 60, all / 1000 % 60, point, all % 1000);
  return out;
}

}  // namespace

std::string transcript_head(TranscriptForm form) {
  return form == TranscriptForm::WebVtt ? "WEBVTT\n\n" : "";
}

std::string transcript_segment(TranscriptForm form, const models::SpeechSegment& segment,
                               int64_t number) {
  const std::string words = words_of(segment);
  if (words.empty()) return {};
  const auto times = [&](bool has_hours, char point) {
    return fmt::format("{} --> {}", time_of(segment.begin, has_hours, point),
                       time_of(segment.end, has_hours, point));
  };
  switch (form) {
    case TranscriptForm::Text:
      return words + "\n";
    case TranscriptForm::TimedText:
      return fmt::format("[{}]  {}\n", times(false, '.'), words);
    case TranscriptForm::SubRip:
      return fmt::format("{}\n{}\n{}\n\n", number, times(true, ','), words);
    case TranscriptForm::WebVtt:
      return fmt::format("{}\n{}\n\n", times(false, '.'), words);
    case TranscriptForm::Json:
      break;
  }
  return {};
}

std::string transcript_json(const models::Transcript& transcript) {
  // Milliseconds, so that 0.1 + 0.2 is 0.3.
  const auto rounded = [](double seconds) { return std::round(seconds * 1000) / 1000; };
  const auto short_number = [](double x) { return std::round(x * 1e6) / 1e6; };
  nlohmann::ordered_json segments = nlohmann::ordered_json::array();
  for (const models::SpeechSegment& s : transcript.segments) {
    segments.push_back({{"start", rounded(s.begin)},
                        {"end", rounded(s.end)},
                        {"text", s.text},
                        {"tokens", s.tokens},
                        {"temperature", s.confidence.temperature},
                        {"avg_logprob", short_number(s.confidence.avg_logprob)},
                        {"compression_ratio", short_number(s.confidence.compression_ratio)},
                        {"no_speech_prob", short_number(s.confidence.no_speech_prob)}});
  }
  const nlohmann::ordered_json whole = {
      {"language", transcript.language}, {"text", trim(transcript.text)}, {"segments", segments}};
  return whole.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace tg::cli

// See speech_confidence.h.
#include "frontend/speech/speech_confidence.h"

#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <new>
#include <vector>

namespace tg::models {

double log_probability(std::span<const float> logits, int32_t token) {
  const double most = *std::ranges::max_element(logits);
  double sum = 0;
  for (const float x : logits) sum += std::exp(double{x} - most);
  return double{logits[static_cast<size_t>(token)]} - most - std::log(sum);
}

std::string_view without_blanks(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\n\v\f\r\x1c\x1d\x1e\x1f";
  const size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

double compression_ratio(std::string_view text) {
  uLongf bytes = compressBound(text.size());
  std::vector<Bytef> made(bytes);
  const int status =
      compress(made.data(), &bytes, reinterpret_cast<const Bytef*>(text.data()), text.size());
  if (status != Z_OK) throw std::bad_alloc();  // there is room for the result
  return static_cast<double>(text.size()) / static_cast<double>(bytes);
}

bool is_silence(const SpeechConfidence& c, const TranscribeOptions& o) {
  return c.no_speech_prob > o.no_speech_threshold && c.avg_logprob <= o.logprob_threshold;
}

bool is_doubtful(const SpeechConfidence& c, const TranscribeOptions& o) {
  const bool is_unlikely = c.avg_logprob < o.logprob_threshold;
  if (is_unlikely && c.no_speech_prob > o.no_speech_threshold) return false;
  return is_unlikely || c.compression_ratio > o.compression_ratio_threshold;
}

}  // namespace tg::models

// See window_writer.h.
#include "frontend/speech/window_writer.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "frontend/language/sampling.h"
#include "frontend/speech/speech_confidence.h"
#include "frontend/speech/token_rules.h"

namespace tg::models {
namespace {

// The end of what was said, and the token that begins a text.
std::vector<int32_t> until_start(const SpeechTokens& t, std::span<const int32_t> said,
                                 int64_t most) {
  std::vector<int32_t> out;
  if (!said.empty() && most > 0) {
    out.push_back(t.previous);
    const auto last = said.last(std::min(said.size(), static_cast<size_t>(most)));
    out.insert(out.end(), last.begin(), last.end());
  }
  out.push_back(t.start);
  return out;
}

// What is to be made of the speech.
std::vector<int32_t> task_tokens(const SpeechTokens& t, const TranscribeOptions& o) {
  std::vector<int32_t> out;
  if (!t.languages.empty()) {
    out.push_back(t.languages.at(o.language));
    out.push_back(o.translates ? *t.translate : *t.transcribe);
  }
  if (!o.timestamps) out.push_back(t.no_times);
  return out;
}

}  // namespace

WindowWriter::WindowWriter(const WhisperFolder& file, Tokenizer tokenizer, SpeechWeights weights)
    : tokens_(file.tokens()),
      tokenizer_(std::move(tokenizer)),
      model_(file.config(), std::move(weights)),
      context_(file.config().decoder.context) {}

std::string WindowWriter::language() {
  if (tokens_.languages.empty()) return {};
  model_.forget();
  const std::vector<float> logits = model_.read(std::span(&tokens_.start, 1));
  const auto by_logit = [&](const auto& language) {
    return logits[static_cast<size_t>(language.second)];
  };
  return std::ranges::max_element(tokens_.languages, {}, by_logit)->first;
}

WindowText WindowWriter::write(const TranscribeOptions& o, double temperature, uint64_t seed,
                               std::span<const int32_t> said) {
  const std::vector<int32_t> start = until_start(tokens_, said, context_ / 2 - 1),
                             task = task_tokens(tokens_, o);
  // The last token is not read any more.
  const int64_t room = context_ - std::ssize(start) - std::ssize(task) + 1;
  const int64_t most = std::min(context_ / 2, room);
  model_.forget();
  std::vector<float> logits = model_.read(start);
  WindowText out;
  out.confidence = {.temperature = temperature,
                    .no_speech_prob = std::exp(log_probability(logits, tokens_.no_speech))};
  if (!task.empty()) logits = model_.read(task);
  Sampler sampler({.temperature = temperature, .seed = seed});
  double sum = 0;
  while (true) {
    forbid_tokens(tokens_, o.timestamps, out.tokens, logits);
    const int32_t next = sampler.next(logits);
    sum += log_probability(logits, next);
    if (next == tokens_.end) break;
    out.tokens.push_back(next);
    if (std::ssize(out.tokens) == most) break;
    logits = model_.read({&next, 1});
  }
  out.confidence.avg_logprob = sum / static_cast<double>(out.tokens.size() + 1);
  out.confidence.compression_ratio = compression_ratio(without_blanks(text_of(out.tokens)));
  return out;
}

WindowText WindowWriter::write(const TranscribeOptions& o, uint64_t seed,
                               std::span<const int32_t> said) {
  WindowText out;
  for (const double temperature : o.temperatures) {
    out = write(o, temperature, seed, said);
    if (!is_doubtful(out.confidence, o)) break;
  }
  return out;
}

std::string WindowWriter::text_of(std::span<const int32_t> made) const {
  std::vector<int32_t> words;
  std::ranges::copy_if(made, std::back_inserter(words), [&](int32_t t) { return t < tokens_.end; });
  return tokenizer_.decode(words);
}

std::vector<int32_t> WindowWriter::prompt_tokens(std::string_view text) const {
  const std::string_view words = without_blanks(text);
  if (words.empty()) return {};
  return tokenizer_.encode(" " + std::string(words), false);
}

}  // namespace tg::models

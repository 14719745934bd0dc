// Writes down a window of sound that the model has heard: the prompt, the tokens one after the
// other, and further attempts where the text is doubtful. What may follow what: token_rules.h; how
// sure the model is: speech_confidence.h; sound of any length: whisper.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/speech/speech_model.h"
#include "tg/models/whisper.h"

namespace tg::models {

struct WindowText {
  std::vector<int32_t> tokens;  ///< without those of the prompt and that of the end
  SpeechConfidence confidence;
};

/// Only one thread at a time may use it. In all functions but hear() it is the window that was
/// heard last, and `language` of the options is one that the model knows.
class WindowWriter {
 public:
  WindowWriter(const WhisperFolder& file, Tokenizer tokenizer, SpeechWeights weights);

  const SpeechTokens& tokens() const { return tokens_; }
  const Tokenizer& tokenizer() const { return tokenizer_; }
  SpeechModel& model() { return model_; }

  /// The likeliest; empty if the model knows one only.
  std::string language();
  /// At one temperature, with a seed, after the text `said`, of which as much is read as half the
  /// context holds.
  WindowText write(const TranscribeOptions& o, double temperature, uint64_t seed,
                   std::span<const int32_t> said);
  /// At the first of the options' temperatures that makes no doubtful text, or the last.
  WindowText write(const TranscribeOptions& o, uint64_t seed, std::span<const int32_t> said);

  /// The words, without times.
  std::string text_of(std::span<const int32_t> made) const;
  /// What TranscribeOptions::prompt stands for.
  std::vector<int32_t> prompt_tokens(std::string_view text) const;

 private:
  SpeechTokens tokens_;
  Tokenizer tokenizer_;
  SpeechModel model_;
  int64_t context_;
};

}  // namespace tg::models

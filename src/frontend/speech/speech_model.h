// The two halves of Whisper at work, as recorded calls: a window of sound is heard, which leaves
// the keys and values that the decoder looks at, and then tokens are read, each after those before
// it. What is read and chosen: whisper.cpp.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "frontend/language/decoder.h"
#include "frontend/language/source_encoder.h"
#include "frontend/speech/whisper_folder.h"
#include "tg/jit.h"

namespace tg::models {

class SpeechModel {
 public:
  SpeechModel(const SpeechConfig& config, SpeechWeights weights);
  SpeechModel(const SpeechModel&) = delete;
  SpeechModel& operator=(const SpeechModel&) = delete;

  const SpeechConfig& config() const { return config_; }
  const std::string& device() const { return device_; }

  /// A window float32 [bins, frames] as states [frames / 2, width], valid until the next one. The
  /// tokens that were read are forgotten.
  Tensor hear(const Tensor& features);
  /// Begins another text about the same window.
  void forget() { known_ = 0; }
  /// Goes on with the text, up to the context: the logits [vocabulary] after the last token.
  std::vector<float> read(std::span<const int32_t> tokens);
  /// The same after each of them, [tokens, vocabulary].
  std::vector<float> read_each(std::span<const int32_t> tokens);

 private:
  using HearCall = std::function<Tensor(const Tensor&)>;
  using ReadCall = std::function<Tensor(const Tensor&, const SymInt&, const SymInt&)>;

  Tensor encoded(const Tensor& features) const;
  std::vector<float> call(TinyJit<ReadCall>& f, std::span<const int32_t> tokens);

  SpeechConfig config_;
  std::string device_;
  Projection first_, second_;
  Tensor positions_;
  SourceEncoder encoder_;
  Decoder decoder_;
  Variable begin_, count_;
  TinyJit<HearCall> hear_;
  TinyJit<ReadCall> after_chunk_, after_token_, after_each_;
  int64_t known_ = 0;  // tokens read
};

}  // namespace tg::models

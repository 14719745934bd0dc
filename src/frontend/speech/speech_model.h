// The two halves of Whisper at work: a window of sound is heard in one recorded call, which leaves
// the keys and values that the decoder looks at, and then tokens are read (source_decoder.h). What
// is read and chosen: whisper.cpp.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "frontend/language/source_decoder.h"
#include "frontend/language/source_encoder.h"
#include "frontend/speech/whisper_folder.h"

namespace tg::models {

class SpeechModel {
 public:
  SpeechModel(const SpeechConfig& config, SpeechWeights weights);
  SpeechModel(const SpeechModel&) = delete;
  SpeechModel& operator=(const SpeechModel&) = delete;

  const std::string& device() const { return device_; }

  /// A window float32 [bins, frames] as states [frames / 2, width], valid until the next one. The
  /// tokens that were read are forgotten.
  Tensor hear(const Tensor& features);
  /// Begins another text about the same window.
  void forget() { decoder_.begin(positions_.size(0)); }
  /// As those of SourceDecoder.
  std::vector<float> read(std::span<const int32_t> tokens) { return decoder_.read(tokens); }
  std::vector<float> read_each(std::span<const int32_t> tokens) {
    return decoder_.read_each(tokens);
  }

 private:
  using HearCall = std::function<Tensor(const Tensor&)>;

  Tensor encoded(const Tensor& features) const;

  std::string device_;
  Projection first_, second_;
  Tensor positions_;
  SourceEncoder encoder_;
  SourceDecoder decoder_;
  TinyJit<HearCall> hear_;
};

}  // namespace tg::models

// A folder with a T5 as the Hugging Face hub has them: config.json and safetensors. What the model
// does: encoder_decoder.cpp.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "frontend/language/model_folder.h"
#include "frontend/language/weights.h"
#include "tg/models/tokenizer.h"
#include "tg/state.h"

namespace tg::models {

inline constexpr std::string_view kLoadEncoderDecoder = "EncoderDecoder::load";

struct T5Weights {
  StackWeights encoder;
  DecoderWeights decoder;  ///< whose embedding is that of both
};

class T5Folder {
 public:
  /// Reads the settings, for `longest` states of a text. FileError in the name of
  /// EncoderDecoder::load.
  T5Folder(const std::filesystem::path& folder, int64_t longest);

  const DecoderConfig& encoder() const { return encoder_; }
  const DecoderConfig& decoder() const { return decoder_; }
  int32_t start() const { return start_; }
  const std::vector<int32_t>& stop_tokens() const { return stop_; }
  uint64_t weight_bytes() const { return file_.bytes; }
  std::optional<Tokenizer> tokenizer() const;
  T5Weights weights(const std::string& device, const nn::ReadProgress& progress) const;

 private:
  std::filesystem::path folder_;
  DecoderConfig encoder_, decoder_;
  int32_t start_ = 0;
  std::vector<int32_t> stop_;
  WeightsFile file_;
};

}  // namespace tg::models

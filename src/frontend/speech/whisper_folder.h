// A folder with a Whisper as the Hugging Face hub has them: sizes from config.json, the numbers of
// special tokens from generation_config.json, weights from safetensors. What the weights compute:
// speech_model.h; what the tokens are for: token_rules.h.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "frontend/language/model_folder.h"
#include "frontend/language/weights.h"
#include "tg/models/tokenizer.h"
#include "tg/state.h"

namespace tg::models {

inline constexpr std::string_view kLoadWhisper = "Whisper::load";

struct SpeechConfig {
  DecoderConfig encoder, decoder;
  int64_t bins = 0;
  int64_t positions = 0;  ///< states of a window
  /// The first convolution keeps the frames, the second takes every other.
  int64_t frames() const { return 2 * positions; }
};

/// Tokens that mean something to the program.
struct SpeechTokens {
  int32_t start = 0, end = 0;
  int32_t previous = 0;                          ///< begins the text that went before
  int32_t no_speech = 0;                         ///< in place of a text: nobody speaks
  int32_t no_times = 0;                          ///< says that no times are wanted
  int32_t first_time = 0;                        ///< 0.00 s; each further one is 0.02 s more
  std::map<std::string, int32_t> languages;      ///< by code: "en"
  std::optional<int32_t> transcribe, translate;  ///< none: the model knows one language only
  std::vector<int32_t> never, never_first;       ///< are not chosen, or not at first
  std::optional<int32_t> latest_first_time;      ///< of the first segment's beginning
};

/// Convolutions [width, in, 3] and positions [positions, width] in float32.
struct SpeechWeights {
  Projection first, second;
  Tensor positions;
  StackWeights encoder;
  DecoderWeights decoder;
};

class WhisperFolder {
 public:
  /// Reads all but the weights. FileError in the name of Whisper::load.
  explicit WhisperFolder(const std::filesystem::path& folder);

  const SpeechConfig& config() const { return config_; }
  const SpeechTokens& tokens() const { return tokens_; }
  uint64_t weight_bytes() const { return file_.bytes; }
  Tokenizer tokenizer() const { return Tokenizer::load(folder_); }
  SpeechWeights weights(const std::string& device, const nn::ReadProgress& progress) const;

 private:
  void read_tokens();

  std::filesystem::path folder_;
  SpeechConfig config_;
  SpeechTokens tokens_;
  WeightsFile file_;
};

}  // namespace tg::models

// A folder with an encoder as the Hugging Face hub has them: config.json of `transformers` and
// weights in safetensors. The files that sentence-transformers puts beside them: pooling.h.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "frontend/embedding/encoder.h"
#include "frontend/language/model_folder.h"
#include "tg/state.h"

namespace tg::models {

struct EncoderNames;  // of weights: encoder_folder.cpp

class EncoderFolder {
 public:
  /// Reads the settings. FileError in the name of TextEncoder::load.
  explicit EncoderFolder(const std::filesystem::path& folder);

  const EncoderConfig& config() const { return config_; }
  uint64_t weight_bytes() const { return file_.bytes; }
  EncoderWeights weights(const std::string& device, const nn::ReadProgress& progress) const;

 private:
  EncoderConfig config_;
  const EncoderNames* names_;
  WeightsFile file_;
};

/// Whether there are encoders of this model_type.
bool is_encoder_family(std::string_view type);

}  // namespace tg::models

// A folder with a CLIP as the Hugging Face hub has them: sizes from config.json, what pictures must
// be like from preprocessor_config.json, weights from safetensors. What the weights compute:
// clip_model.h.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "frontend/language/model_folder.h"
#include "frontend/language/weights.h"
#include "tg/models/image_classifier.h"
#include "tg/state.h"

namespace tg::models {

inline constexpr std::string_view kLoadClip = "Clip::load";

/// What both halves are made of: layers as those of language models, with a norm before each part.
struct ClipConfig {
  DecoderConfig text, image;
  int64_t size = 0;                ///< numbers of a vector
  int64_t image_size = 0;          ///< height and width of what the model sees
  int64_t patch = 0;               ///< height and width of a part
  int32_t end = 0;                 ///< of texts
  bool ends_with_largest = false;  ///< the end is the token with the largest number

  /// Parts of a picture; what is left at its right and lower sides is no part.
  int64_t patches() const { return (image_size / patch) * (image_size / patch); }
  /// Of all weights as they are kept, float32.
  uint64_t bytes() const;
};

/// All of float32.
struct ClipWeights {
  Tensor words;           ///< [vocabulary, text width]
  Tensor text_positions;  ///< [longest, text width]
  StackWeights text;
  Projection text_projection;
  Tensor patches;          ///< [image width, 3, patch, patch]
  Tensor first;            ///< what stands for the whole picture before its parts, [image width]
  Tensor image_positions;  ///< [1 + parts, image width]
  NormWeights image_norm;  ///< before the layers
  StackWeights image;
  Projection image_projection;
  double scale = 0;  ///< of the cosines
};

class ClipFolder {
 public:
  /// Reads all but the weights. FileError in the name of Clip::load.
  explicit ClipFolder(const std::filesystem::path& folder);

  const ClipConfig& config() const { return config_; }
  const ImagePreprocessing& preprocessing() const { return preprocessing_; }
  uint64_t weight_bytes() const { return file_.bytes; }
  ClipWeights weights(const std::string& device, const nn::ReadProgress& progress) const;

 private:
  ClipConfig config_;
  ImagePreprocessing preprocessing_;
  WeightsFile file_;
};

}  // namespace tg::models

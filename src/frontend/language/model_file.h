// A model as its file describes it, whichever kind of file: what hugging_face.cpp and
// gguf_model.cpp read and language_model.cpp makes a model of.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "frontend/language/decoder_config.h"
#include "frontend/language/weights.h"
#include "tg/models/language_model.h"
#include "tg/state.h"

namespace tg::models {

/// The sizes are known before the weights are read, so that too large a model is refused in time.
class ModelFile {
 public:
  virtual ~ModelFile() = default;
  /// Complete once the weights have been read: some files have numbers of it among them.
  virtual const DecoderConfig& config() const = 0;
  virtual uint64_t weight_bytes() const = 0;
  virtual DecoderWeights weights(const std::string& device, const nn::ReadProgress& progress) = 0;
  /// How the weights are called where the family was published, which adapters are named by.
  virtual WeightNames published_names() const = 0;
  virtual std::optional<Tokenizer> tokenizer() const = 0;
  virtual std::vector<int32_t> stop_tokens() const = 0;
};

/// `context`: the positions that are wanted, 0 for the usual number.
std::unique_ptr<ModelFile> open_hugging_face(const std::filesystem::path& folder, int64_t context);
std::unique_ptr<ModelFile> open_gguf(const std::filesystem::path& file, int64_t context);

/// The names of weights in folders of a "model_type" that is supported.
WeightNames hugging_face_names(std::string_view model_type);

/// Positions for which there is room: those wanted, or as many as usual.
int64_t usual_context(int64_t wanted, int64_t longest);

/// Sizes beyond those of any model: what a damaged or hostile file may ask for.
inline constexpr int64_t kMostLayers = 1024, kMostWidth = 1 << 20, kMostHeads = 4096,
                         kMostPositions = int64_t{1} << 27, kMostExperts = 4096;

}  // namespace tg::models

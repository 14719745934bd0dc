// What all folders of the Hugging Face hub have in common, decoders and encoders alike: files of
// JSON, weights in one file or several, names of activations. What a folder's settings mean:
// hugging_face.cpp, and frontend/embedding/encoder_folder.cpp.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>

#include "frontend/language/decoder_config.h"
#include "frontend/language/settings.h"

namespace tg::models {

/// The JSON of a file. FileError in the name of `fn`.
nlohmann::json json_of_file(std::string_view fn, const std::filesystem::path& file);

/// Whether a folder's config.json says that it holds a model of this type. False also for what
/// cannot be read.
bool has_model_type(const std::filesystem::path& folder, std::string_view type);

/// Where a folder's weights are: one file, or the index of several, with the bytes of all.
struct WeightsFile {
  std::filesystem::path path;
  uint64_t bytes = 0;
};

/// model.safetensors, or model.safetensors.index.json, where `name` may stand in place of "model".
/// FileError in the name of `fn` for neither.
WeightsFile find_weights(std::string_view fn, const std::filesystem::path& folder,
                         std::string_view name = "model");

/// A setting that names an activation. FileError for one that is not known.
Activation read_activation(Settings& settings, std::string_view name);

}  // namespace tg::models

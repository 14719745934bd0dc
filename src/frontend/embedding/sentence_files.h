// The files that sentence-transformers puts beside an encoder: modules.json, which says what
// happens to the numbers of a text's tokens, and a folder for each of these modules. The encoder
// itself: encoder_folder.h. What pooling computes: pooling.h.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "frontend/language/weights.h"

namespace tg::models {

/// How the vectors of a text's tokens become one; several are put one behind the other.
enum class Pooling {
  First,         ///< that of the first token, [CLS]
  Max,           ///< the largest of each number
  Mean,          ///< the mean of all
  MeanOfRoot,    ///< the sum by the root of the count
  WeightedMean,  ///< weights 1, 2, 3, …
  Last           ///< that of the last token
};

/// What happens to a text's vector after pooling.
struct VectorStep {
  bool normalises = false;  ///< divides it by its length; else a product with a matrix
  std::filesystem::path folder = {};
  int64_t in = 0, out = 0;
  bool has_bias = false, has_tanh = false;
};

struct SentenceFiles {
  std::filesystem::path encoder;  ///< its folder
  std::vector<Pooling> poolings = {Pooling::Mean};
  std::vector<VectorStep> steps = {};
  int64_t longest = 0;                              ///< tokens of a text; 0: nothing is said
  std::string prompt = {};                          ///< before each text
  std::map<std::string, std::string> prompts = {};  ///< that the model knows, by name
  bool pools_prompt = true;                         ///< tokens of the prompt count
};

/// What the files in a folder say; without any: the mean of the tokens. FileError in the name of
/// TextEncoder::load for what is wrong or not supported.
SentenceFiles read_sentence_files(const std::filesystem::path& folder);

/// Where modules.json says that the encoder is, with nothing else of it read. FileError.
std::filesystem::path folder_of_encoder(const std::filesystem::path& folder);

/// The matrix and the offset of a step that has one. FileError.
Projection step_weights(const VectorStep& step, const std::string& device);

}  // namespace tg::models

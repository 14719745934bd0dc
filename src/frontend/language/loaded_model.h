// A language model as its files give it, with storage for the keys and values of some texts: what
// LanguageModel (one text at a time) and TextEngine (several) are made of.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/language/adapter.h"
#include "frontend/language/decoder.h"
#include "tg/models/language_model.h"

namespace tg::models {

struct LoadedModel {
  LanguageModelInfo info;
  Decoder decoder;
  Adapter adapter;
  std::optional<Tokenizer> tokenizer;
  std::vector<int32_t> stop_tokens;
  std::string device;
  int64_t chunk;      ///< tokens of a prompt that are computed at once
  std::string path;   ///< what it was read from
  WeightNames names;  ///< of its published family
};

/// Reads a model, with room for `slots` texts. Errors: as LanguageModel::load, in the name of `fn`.
LoadedModel load_model(std::string_view fn, const std::filesystem::path& path,
                       const LanguageModelOptions& options, int64_t slots);

/// ArgumentError in the name of `fn` for no tokens, more than the context, or one that is not in
/// the vocabulary.
void check_tokens(std::string_view fn, std::span<const int32_t> tokens,
                  const LanguageModelInfo& info);

/// Seconds of a clock that never goes back.
double seconds_now();

}  // namespace tg::models

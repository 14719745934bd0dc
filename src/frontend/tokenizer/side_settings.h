// What the small files beside a vocabulary say of its tokenizer, as `transformers` reads them:
// tokenizer_config.json, special_tokens_map.json, added_tokens.json, and the model's config.json.
// Not the vocabularies; their readers ask here which tokens are special and what is added to a
// text.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "frontend/tokenizer/json_part.h"

namespace tg::models {

class SideSettings {
 public:
  /// None of the files.
  SideSettings() = default;
  /// Those of a folder. FileError for one that is no JSON, or no object.
  explicit SideSettings(const std::filesystem::path& folder);

  /// The tokenizer's class without "Tokenizer" and "Fast" ("Bert"), or what the kind of model in
  /// config.json has; empty if no file tells.
  std::string tokenizer_class() const;

  /// A member of tokenizer_config.json that is true or false.
  bool flag_or(std::string_view name, bool otherwise) const;
  /// A number of that file, 0 to kMostTokens − 1.
  std::optional<int32_t> number(std::string_view name) const;
  /// The rows of embeddings that config.json has.
  std::optional<int64_t> vocabulary_size() const;

  /// The text of a special token by its name ("bos_token"), if a file says it, else `otherwise`.
  std::string token(std::string_view name, std::string_view otherwise) const;

  /// Finds a token of the vocabulary.
  using Find = std::function<std::optional<int32_t>(std::string_view)>;
  /// The added tokens in tokenizer.json's form. `defaults` are the special tokens of the class by
  /// name, {"bos_token": "<s>"}, which the files may change. Special tokens that are in no file
  /// and not in the vocabulary are left out.
  nlohmann::json added_tokens(const nlohmann::json& defaults, const Find& find) const;

 private:
  const nlohmann::json* special(std::string_view name) const;

  nlohmann::json tokenizer_ = nlohmann::json::object(), special_ = nlohmann::json::object(),
                 added_ = nlohmann::json::object(), model_ = nlohmann::json::object();
  std::string folder_;
};

/// An added token in tokenizer.json's form: special, and found as it stands.
nlohmann::json special_token(int32_t id, std::string_view content);

/// The post-processor that puts tokens at the ends of a text; both are pairs of text and id.
using NumberedToken = std::pair<std::string, int32_t>;
nlohmann::json between_tokens(const std::vector<NumberedToken>& before,
                              const std::vector<NumberedToken>& after);

}  // namespace tg::models

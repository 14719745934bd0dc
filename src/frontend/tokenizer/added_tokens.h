// Tokens that are found in a text before it is divided: special ones as <s>, and words that were
// added to a vocabulary. Which ids they have is the file's affair; what lies between them goes to
// the pipeline (pipeline.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "frontend/tokenizer/pipeline.h"

namespace tg::models {

struct AddedToken {
  int32_t id = 0;
  std::string content;
  bool is_word = false;     ///< only where no letter or digit is beside it
  bool takes_left = false;  ///< white space before it
  bool takes_right = false;
  bool normalised = false;  ///< looked for in the normalised text
  bool is_special = false;
};

/// A part of a text: a token, or what lies between.
struct FoundPart {
  Span span;
  std::optional<int32_t> id;
};

class AddedTokens {
 public:
  AddedTokens() = default;
  AddedTokens(std::vector<AddedToken> tokens, const Normalizer& normalise);

  /// The parts of a text: in the raw one, or in one that is normalised.
  std::vector<FoundPart> in_raw(std::string_view text) const { return find(raw_, text); }
  std::vector<FoundPart> in_normalised(std::string_view text) const {
    return find(normalised_, text);
  }

  const std::vector<AddedToken>& all() const { return tokens_; }
  bool is_special(int32_t id) const { return special_.contains(id); }

 private:
  std::vector<FoundPart> find(const PrefixIndex& index, std::string_view text) const;

  std::vector<AddedToken> tokens_;
  PrefixIndex raw_, normalised_;  // numbers in tokens_
  std::unordered_set<int32_t> special_;
};

AddedTokens read_added_tokens(const JsonPart& part, const Normalizer& normalise);

}  // namespace tg::models

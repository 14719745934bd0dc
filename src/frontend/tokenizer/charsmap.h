// SentencePiece's table of replacements (precompiled_charsmap): texts and what is written for them,
// as a double-array trie (Darts) with the replacements behind it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/tokenizer/json_part.h"

namespace tg::models {

class Charsmap {
 public:
  /// From its bytes; FileError in the name of `part` for a table that is cut off.
  Charsmap(std::string_view bytes, const JsonPart& part);
  /// From base64.
  static Charsmap from_base64_of(const JsonPart& part);

  /// `text` with each character that is in the table replaced.
  std::string normalise(std::string_view text) const;

  struct Match {
    size_t bytes;
    std::string_view replacement;
  };
  /// The longest entry that `text` begins with and that ends where a code point does.
  std::optional<Match> longest_prefix(std::string_view text) const;

 private:
  template <typename F>
  void for_each_prefix(std::string_view text, F visit) const;
  // The replacement of the shortest entry that `text` begins with, or null.
  const char* find(std::string_view text) const;

  std::vector<uint32_t> units_;
  std::string replacements_;  // each ends with a zero
};

}  // namespace tg::models

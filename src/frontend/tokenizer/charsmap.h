// SentencePiece's table of replacements (precompiled_charsmap): texts and what is written for them,
// as a double-array trie (Darts) with the replacements behind it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/tokenizer/json_part.h"

namespace tg::models {

class Charsmap {
 public:
  /// From base64. FileError for a table that is cut off.
  explicit Charsmap(const JsonPart& part);

  /// `text` with each character that is in the table replaced.
  std::string normalise(std::string_view text) const;

 private:
  // The replacement of the shortest entry that `text` begins with, or null.
  const char* find(std::string_view text) const;

  std::vector<uint32_t> units_;
  std::string replacements_;  // each ends with a zero
};

}  // namespace tg::models

// The text of tokens as they come: a piece is given out when no later token can change it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tg/models/tokenizer.h"

namespace tg::models {

class TextStream {
 public:
  explicit TextStream(Tokenizer tokenizer) : tokenizer_(std::move(tokenizer)) {}

  /// The text that a token adds: nothing while its last character lacks bytes.
  std::string add(int32_t token);
  /// What is left at the end: bytes that no character came of, as U+FFFD.
  std::string finish();
  /// All that was given out.
  const std::string& all() const { return given_; }

 private:
  std::string give(const std::string& text);

  Tokenizer tokenizer_;
  std::vector<int32_t> tokens_;
  std::string given_;
};

}  // namespace tg::models

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

  /// The text that a token adds: nothing while its last character lacks bytes. Takes time for the
  /// tokens of the last words, not for all.
  std::string add(int32_t token);
  /// What is left at the end: bytes that no character came of, as U+FFFD.
  std::string finish();
  /// All that was given out.
  const std::string& all() const { return given_; }

 private:
  std::string decoded(size_t begin, size_t end) const;
  std::string news() const;
  std::string give(std::string piece);

  Tokenizer tokenizer_;
  std::vector<int32_t> tokens_;
  // Tokens before `told_` are given out; those from `context_` are decoded again before new ones:
  // what a token says may depend on those before it.
  size_t context_ = 0, told_ = 0;
  std::string given_;
};

}  // namespace tg::models

// What decoder.cpp and attention.cpp share.
#pragma once

#include "frontend/language/decoder.h"

namespace tg::models {

struct Decoder::Step {
  SymInt count;                ///< tokens
  Tensor positions;            ///< of the tokens, int32 [count]
  SymInt begin, end, slot;     ///< of the one text that they belong to
  SymInt source = 0;           ///< states of the encoder
  const Rows* rows = nullptr;  ///< in place of these: the texts of which each is the next token
  int64_t texts = 0;           ///< or as many whole texts, one after the other

  /// The rows of a table [context, …] that belong to the tokens' positions.
  Tensor of(const Tensor& table) const {
    return rows != nullptr || texts > 0 ? table[{positions}] : table[{Slice(begin, end)}];
  }
};

}  // namespace tg::models

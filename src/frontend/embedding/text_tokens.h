// The tokens of a text for an encoder that reads so many and no more. Which encoder:
// text_encoder.cpp, frontend/clip. How a text is divided into tokens: tg/models/tokenizer.h.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tg/models/tokenizer.h"

namespace tg::models {

/// The tokens of a text with the special ones at its ends, at most `most`: what is too long is cut
/// off between these. ArgumentError in the name of `fn` if `tokenizer` is null.
std::vector<int32_t> tokens_within(std::string_view fn, const Tokenizer* tokenizer,
                                   std::string_view text, int64_t most);

/// ArgumentError in the name of `fn`, which calls the text `name`, for more than `most` tokens and
/// for one that a vocabulary of so many does not have.
void check_tokens(std::string_view fn, std::span<const int32_t> tokens, const std::string& name,
                  int64_t most, int64_t vocabulary);

}  // namespace tg::models

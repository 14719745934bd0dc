// The files of tiktoken (cl100k_base.tiktoken, the tokenizer.model of Llama 3): a token in base64
// and its number a line, made a description in tokenizer.json's form.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "frontend/tokenizer/side_settings.h"

namespace tg::models {

/// Whether the first line is such a token.
bool is_tiktoken(std::string_view content);

/// `encoding` names how texts are divided (tiktoken_encodings.h); if empty, the model's class
/// tells, or the number of tokens. FileError, which names the line, for what is no token, a number
/// or token that is there twice, or a byte that has none; ArgumentError for an encoding of no such
/// name.
nlohmann::json tiktoken_tokenizer(std::string_view content, std::string_view encoding,
                                  const SideSettings& settings, const std::string& name);

}  // namespace tg::models

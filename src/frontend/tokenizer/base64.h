// Base64 of RFC 4648, as tables in tokenizer.json and the tokens of tiktoken's files are written.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tg::models {

/// The bytes that `text` stands for, up to its first "="; none if a character is no digit of
/// base64.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace tg::models

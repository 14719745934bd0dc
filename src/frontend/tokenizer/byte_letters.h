// GPT-2's spelling of bytes: each is a visible letter, so that any bytes are a text.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tg::models {

/// Each byte of `text` as its letter.
std::string byte_letters(std::string_view text);

/// The byte that a letter stands for, if it does.
std::optional<char> byte_of_letter(char32_t letter);

}  // namespace tg::models

// Whether bytes are UTF-8, as JSON demands of names, and bytes of a file as text for messages.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tg::nn {

/// The length of the longest prefix that is valid UTF-8 (RFC 3629: shortest forms only, no
/// surrogates, at most U+10FFFF); text.size() if all of it is.
size_t valid_utf8_prefix(std::string_view text);

/// The text for messages: at most 80 characters, what cannot be printed as "?".
std::string printable(std::string_view text);

}  // namespace tg::nn

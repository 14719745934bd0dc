// Whether bytes are UTF-8, as JSON demands of names.
#pragma once

#include <cstddef>
#include <string_view>

namespace tg::nn {

/// The length of the longest prefix that is valid UTF-8 (RFC 3629: shortest forms only, no
/// surrogates, at most U+10FFFF); text.size() if all of it is.
size_t valid_utf8_prefix(std::string_view text);

}  // namespace tg::nn

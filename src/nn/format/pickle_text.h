// How the old protocols of pickles write texts and numbers: as Python spells them, on lines.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tg::nn {

/// The whole number, or empty if it is none of 64 bits.
std::optional<int64_t> decimal_int(std::string_view digits);
/// The number as Python's repr writes it, "inf" and "nan" among them; empty if it is none.
std::optional<double> decimal_float(std::string_view digits);
/// A text as repr writes it, without its quotes and escapes; empty if it is none.
std::optional<std::string> unquoted(std::string_view text);
/// "\uXXXX" and "\UXXXXXXXX" as UTF-8; what else stands there is Latin-1.
std::string unescaped_unicode(std::string_view text);
}  // namespace tg::nn

// Small text helpers that several layers need: join, split, trim, and sizes, times and counts for
// people. Formatting proper is fmt's job; parsing of option values is in options.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tg {

/// The parts with `separator` between them; empty for no parts.
std::string join(const std::vector<std::string>& parts, std::string_view separator);

/// The pieces between separators; always one piece more than separators, so "" gives one empty
/// piece. The views point into `text`.
std::vector<std::string_view> split(std::string_view text, char separator);

/// `text` without blanks, tabs and line ends at both ends.
std::string_view trim(std::string_view text);

/// ASCII lower case; other bytes stay.
std::string to_lower(std::string_view text);

/// The whole of `text` as a decimal integer with optional sign; empty for anything else, overflow
/// included.
std::optional<int64_t> parse_int64(std::string_view text);
/// The whole of `text` as a decimal integer without sign; empty for anything else, overflow
/// included.
std::optional<uint64_t> parse_uint64(std::string_view text);

/// Bytes with a binary unit and three significant digits: "512 B", "1.50 KiB", "23.4 MiB".
std::string human_bytes(uint64_t bytes);
/// Seconds in the unit that reads best, three significant digits: "350 ns", "12.3 us", "4.56 ms",
/// "7.89 s", "2m03s", "1h02m".
std::string human_time(double seconds);
/// A count with a decimal unit, three significant digits: "999", "12.3 k", "4.56 M", "7.89 G".
std::string human_count(double count);

/// Number of terminal columns of UTF-8 text without escape sequences (one a code point).
size_t text_columns(std::string_view text);

}  // namespace tg

// Pieces of GBNF as text, for what is turned into grammars: literals, whole numbers of a range.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tg::models::grammar {

/// A text as a literal, with its quotes.
std::string gbnf_literal(std::string_view text);

/// A code point inside of a set: `]` is `\]`.
std::string gbnf_in_set(char32_t c);

/// Whole numbers have so many digits at most: a double is exact so far.
inline constexpr int kMostDigits = 15;
inline constexpr int64_t kLargestInteger = 999'999'999'999'999;

/// The decimal numbers from `low` to `high`, which lie within ±kLargestInteger. `low` <= `high`.
std::string gbnf_integers(int64_t low, int64_t high);

}  // namespace tg::models::grammar

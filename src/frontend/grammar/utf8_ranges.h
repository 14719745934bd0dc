// Sets of code points as the bytes that UTF-8 spells them with.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace tg::models::grammar {

/// Code points from `low` to `high`.
struct CodePoints {
  char32_t low, high;
};

inline constexpr char32_t kLastCodePoint = 0x10FFFF;

/// One to four bytes, each of a range.
struct ByteSequence {
  struct Range {
    uint8_t low, high;
  };
  std::array<Range, 4> bytes{};
  uint32_t length = 0;
};

/// In order, without overlaps and without surrogates; `inverted`: all others.
std::vector<CodePoints> normalised(std::vector<CodePoints> set, bool inverted);

/// The spellings of the code points of such a set: a text is one of them if its bytes are in the
/// ranges of one sequence. At most ten for a range.
std::vector<ByteSequence> byte_sequences(const std::vector<CodePoints>& set);

}  // namespace tg::models::grammar

// See utf8_ranges.h. A range is cut until all bytes of its first and last code points but a common
// beginning span whole ranges of continuation bytes (as the package utf8-ranges of Rust does).
#include "frontend/grammar/utf8_ranges.h"

#include <algorithm>

namespace tg::models::grammar {
namespace {

constexpr char32_t kBeforeSurrogates = 0xD7FF, kBehindSurrogates = 0xE000;
constexpr unsigned kBitsOfContinuation = 6;

using Spelling = std::array<uint8_t, 4>;

uint32_t spell(char32_t c, Spelling& out) {
  const auto continuation = [](char32_t bits) {
    return static_cast<uint8_t>(0x80 | (bits & 0x3f));
  };
  if (c < 0x80) {
    out = {static_cast<uint8_t>(c)};
    return 1;
  }
  if (c < 0x800) {
    out = {static_cast<uint8_t>(0xc0 | c >> 6), continuation(c)};
    return 2;
  }
  if (c < 0x10000) {
    out = {static_cast<uint8_t>(0xe0 | c >> 12), continuation(c >> 6), continuation(c)};
    return 3;
  }
  out = {static_cast<uint8_t>(0xf0 | c >> 18), continuation(c >> 12), continuation(c >> 6),
         continuation(c)};
  return 4;
}

// Where to cut: the first part ends there. The range's own end if it is one sequence.
char32_t end_of_first_part(CodePoints r) {
  for (const char32_t last : {char32_t{0x7f}, char32_t{0x7ff}, char32_t{0xffff}})
    if (r.low <= last && last < r.high) return last;
  if (r.high < 0x80) return r.high;
  for (unsigned bytes = 1; bytes < 4; ++bytes) {
    const char32_t mask = (char32_t{1} << (kBitsOfContinuation * bytes)) - 1;
    if ((r.low & ~mask) == (r.high & ~mask)) break;
    if ((r.low & mask) != 0) return r.low | mask;
    if ((r.high & mask) != mask) return (r.high & ~mask) - 1;
  }
  return r.high;
}

}  // namespace

std::vector<CodePoints> normalised(std::vector<CodePoints> set, bool inverted) {
  std::ranges::sort(set, {}, &CodePoints::low);
  std::vector<CodePoints> joined;
  for (const CodePoints& r : set) {
    if (!joined.empty() && r.low <= joined.back().high + 1) {
      joined.back().high = std::max(joined.back().high, r.high);
    } else {
      joined.push_back(r);
    }
  }
  if (inverted) {
    std::vector<CodePoints> others;
    char32_t from = 0;
    for (const CodePoints& r : joined) {
      if (r.low > from) others.push_back({from, r.low - 1});
      from = r.high + 1;
    }
    if (from <= kLastCodePoint) others.push_back({from, kLastCodePoint});
    joined = std::move(others);
  }
  std::vector<CodePoints> out;
  for (const CodePoints& r : joined) {
    if (r.low <= kBeforeSurrogates) out.push_back({r.low, std::min(r.high, kBeforeSurrogates)});
    if (r.high >= kBehindSurrogates) out.push_back({std::max(r.low, kBehindSurrogates), r.high});
  }
  return out;
}

std::vector<ByteSequence> byte_sequences(const std::vector<CodePoints>& set) {
  std::vector<ByteSequence> out;
  for (CodePoints rest : set) {
    while (rest.low <= rest.high) {
      const char32_t end = end_of_first_part(rest);
      CodePoints part{rest.low, end};
      // A cut at the end of a range may leave a part that is to be cut at its beginning.
      for (char32_t cut; (cut = end_of_first_part(part)) != part.high;) part.high = cut;
      Spelling low{}, high{};
      ByteSequence sequence{.length = spell(part.low, low)};
      spell(part.high, high);
      for (uint32_t i = 0; i < sequence.length; ++i) sequence.bytes[i] = {low[i], high[i]};
      out.push_back(sequence);
      rest.low = part.high + 1;
    }
  }
  return out;
}

}  // namespace tg::models::grammar

// UTF-8 by RFC 3629: every code point's encoding is accepted, everything near it refused.
#include "nn/format/utf8.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace tg::nn {
namespace {

std::string encode(uint32_t c) {
  const auto tail = [&](int shift) { return static_cast<char>(0x80 | (c >> shift & 0x3f)); };
  if (c < 0x80) return {static_cast<char>(c)};
  if (c < 0x800) return {static_cast<char>(0xc0 | c >> 6), tail(0)};
  if (c < 0x10000) return {static_cast<char>(0xe0 | c >> 12), tail(6), tail(0)};
  return {static_cast<char>(0xf0 | c >> 18), tail(12), tail(6), tail(0)};
}

TEST(Utf8, AcceptsEveryCodePointAndNoSurrogate) {
  for (uint32_t c = 0; c < 0x110000; ++c) {
    const std::string text = encode(c);
    const bool surrogate = c >= 0xd800 && c < 0xe000;
    ASSERT_EQ(valid_utf8_prefix(text), surrogate ? 0 : text.size()) << c;
  }
}

TEST(Utf8, RefusesEverySequenceCutShort) {
  for (uint32_t c : {0x80u, 0x7ffu, 0x800u, 0xffffu, 0x10000u, 0x10ffffu}) {
    const std::string text = encode(c);
    for (size_t size = 1; size < text.size(); ++size)
      EXPECT_EQ(valid_utf8_prefix(text.substr(0, size)), 0u) << c;
  }
}

TEST(Utf8, RefusesEverySequenceWithABadTail) {
  for (uint32_t c : {0x80u, 0x800u, 0x10000u}) {
    for (size_t at = 1; at < encode(c).size(); ++at) {
      std::string text = encode(c);
      text[at] = 'x';
      EXPECT_EQ(valid_utf8_prefix(text), 0u) << c;
    }
  }
}

TEST(Utf8, RefusesLongerFormsThanNeeded) {
  for (const char* text : {"\xc0\xaf", "\xc1\xbf", "\xe0\x80\xaf", "\xe0\x9f\xbf",
                           "\xf0\x80\x80\xaf", "\xf0\x8f\xbf\xbf"})
    EXPECT_EQ(valid_utf8_prefix(text), 0u);
}

TEST(Utf8, RefusesCodePointsBeyondUnicode) {
  for (const char* text : {"\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff", "\xfe"})
    EXPECT_EQ(valid_utf8_prefix(text), 0u);
}

TEST(Utf8, TellsWhereItBreaks) {
  EXPECT_EQ(valid_utf8_prefix("abc\x80"), 3u);
  EXPECT_EQ(valid_utf8_prefix("\xc3\xa9\xc3"), 2u);
  EXPECT_EQ(valid_utf8_prefix(""), 0u);
  EXPECT_EQ(valid_utf8_prefix("fine"), 4u);
}

}  // namespace
}  // namespace tg::nn

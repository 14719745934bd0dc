// See byte_letters.h. Bytes that are visible in Latin-1 stand for themselves, the others for
// U+0100, U+0101, … in their order.
#include "frontend/tokenizer/byte_letters.h"

#include <array>
#include <cstdint>

#include "frontend/tokenizer/unicode.h"

namespace tg::models {
namespace {

constexpr char32_t kFirstOfOthers = 0x100;

constexpr bool is_visible(unsigned byte) {
  return (byte >= '!' && byte <= '~') || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
}

constexpr unsigned kOthers = 256 - ('~' - '!' + 1) - (0xac - 0xa1 + 1) - (0xff - 0xae + 1);

struct Letters {
  std::array<char32_t, 256> of_byte{};
  std::array<uint8_t, kOthers> other{};

  constexpr Letters() {
    unsigned n = 0;
    for (unsigned byte = 0; byte < 256; ++byte) {
      if (is_visible(byte)) {
        of_byte[byte] = byte;
      } else {
        other[n] = static_cast<uint8_t>(byte);
        of_byte[byte] = kFirstOfOthers + n++;
      }
    }
  }
};

constexpr Letters kLetters;

}  // namespace

std::string byte_letters(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (char c : text) append_code_point(out, kLetters.of_byte[static_cast<uint8_t>(c)]);
  return out;
}

std::optional<char> byte_of_letter(char32_t letter) {
  if (letter < 256) {
    if (!is_visible(letter)) return {};
    return static_cast<char>(letter);
  }
  if (letter - kFirstOfOthers >= kOthers) return {};
  return static_cast<char>(kLetters.other[letter - kFirstOfOthers]);
}

}  // namespace tg::models

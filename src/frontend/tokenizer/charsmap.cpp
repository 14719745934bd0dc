// See charsmap.h. Format of a unit of the trie: S. Yata's darts-clone (darts.h). As `tokenizers`
// applies the table: a short grapheme as a whole, else each of its code points.
#include "frontend/tokenizer/charsmap.h"

#include <cstring>

#include "frontend/tokenizer/unicode.h"

namespace tg::models {
namespace {

// A grapheme of this many bytes and more is never looked up as a whole.
constexpr size_t kLongGrapheme = 6;

std::string from_base64(const JsonPart& part) {
  static constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  uint32_t bits = 0;
  int count = 0;
  for (char c : part.text()) {
    if (c == '=') break;
    const size_t digit = kDigits.find(c);
    if (digit == std::string_view::npos) part.fail("is not base64");
    bits = bits << 6 | static_cast<uint32_t>(digit);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    out += static_cast<char>(bits >> count & 0xff);
  }
  return out;
}

bool has_leaf(uint32_t unit) { return (unit >> 8 & 1) != 0; }
uint32_t value_of(uint32_t unit) { return unit & 0x7fffffff; }
uint32_t label_of(uint32_t unit) { return unit & 0x800000ff; }
uint32_t offset_of(uint32_t unit) { return (unit >> 10) << ((unit & (1U << 9)) >> 6); }

}  // namespace

Charsmap::Charsmap(const JsonPart& part) {
  const std::string bytes = from_base64(part);
  if (bytes.empty()) return;
  uint32_t size = 0;
  if (bytes.size() < sizeof size) part.fail("is cut off");
  std::memcpy(&size, bytes.data(), sizeof size);
  if (size > bytes.size() - sizeof size || size % sizeof(uint32_t) != 0) part.fail("is cut off");
  units_.resize(size / sizeof(uint32_t));
  if (size > 0) std::memcpy(units_.data(), bytes.data() + sizeof size, size);
  replacements_ = bytes.substr(sizeof size + size);
}

const char* Charsmap::find(std::string_view text) const {
  if (units_.empty()) return nullptr;
  size_t at = offset_of(units_[0]);
  for (char c : text) {
    const auto byte = static_cast<uint8_t>(c);
    at ^= byte;
    if (byte == 0 || at >= units_.size() || label_of(units_[at]) != byte) return nullptr;
    const uint32_t unit = units_[at];
    at ^= offset_of(unit);
    if (!has_leaf(unit)) continue;
    if (at >= units_.size() || value_of(units_[at]) >= replacements_.size()) return nullptr;
    return replacements_.c_str() + value_of(units_[at]);
  }
  return nullptr;
}

std::string Charsmap::normalise(std::string_view text) const {
  std::string out;
  for (const Span& g : graphemes(text)) {
    check_text_size(out.size());
    const std::string_view grapheme = text.substr(g.begin, g.end - g.begin);
    if (const char* whole = grapheme.size() < kLongGrapheme ? find(grapheme) : nullptr) {
      out += valid_text(whole);
      continue;
    }
    for (size_t at = 0; at < grapheme.size();) {
      const size_t begin = at;
      next_code_point(grapheme, at);
      const std::string_view one = grapheme.substr(begin, at - begin);
      const char* replacement = find(one);
      out += replacement != nullptr ? valid_text(replacement) : std::string(one);
    }
  }
  return out;
}

}  // namespace tg::models

// See charsmap.h. Format of a unit of the trie: S. Yata's darts-clone (darts.h). As `tokenizers`
// applies the table: a short grapheme as a whole, else each of its code points. As SentencePiece
// itself does: the longest entry at each place (sentencepiece_text.cpp goes through the text).
#include "frontend/tokenizer/charsmap.h"

#include <cstring>

#include "frontend/tokenizer/base64.h"
#include "frontend/tokenizer/unicode.h"

namespace tg::models {
namespace {

// A grapheme of this many bytes and more is never looked up as a whole.
constexpr size_t kLongGrapheme = 6;

bool has_leaf(uint32_t unit) { return (unit >> 8 & 1) != 0; }
uint32_t value_of(uint32_t unit) { return unit & 0x7fffffff; }
uint32_t label_of(uint32_t unit) { return unit & 0x800000ff; }
uint32_t offset_of(uint32_t unit) { return (unit >> 10) << ((unit & (1U << 9)) >> 6); }

}  // namespace

Charsmap::Charsmap(std::string_view bytes, const JsonPart& part) {
  if (bytes.empty()) return;
  uint32_t size = 0;
  if (bytes.size() < sizeof size) part.fail("is cut off");
  std::memcpy(&size, bytes.data(), sizeof size);
  if (size > bytes.size() - sizeof size || size % sizeof(uint32_t) != 0) part.fail("is cut off");
  units_.resize(size / sizeof(uint32_t));
  if (size > 0) std::memcpy(units_.data(), bytes.data() + sizeof size, size);
  replacements_ = bytes.substr(sizeof size + size);
}

Charsmap Charsmap::from_base64_of(const JsonPart& part) {
  const auto bytes = from_base64(part.text());
  if (!bytes) part.fail("is not base64");
  return {*bytes, part};
}

// Calls `visit(bytes, replacement)` for each entry that `text` begins with, shortest first, until
// it says false.
template <typename F>
void Charsmap::for_each_prefix(std::string_view text, F visit) const {
  if (units_.empty()) return;
  size_t at = offset_of(units_[0]);
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<uint8_t>(text[i]);
    at ^= byte;
    if (byte == 0 || at >= units_.size() || label_of(units_[at]) != byte) return;
    const uint32_t unit = units_[at];
    at ^= offset_of(unit);
    if (!has_leaf(unit)) continue;
    if (at >= units_.size() || value_of(units_[at]) >= replacements_.size()) return;
    if (!visit(i + 1, replacements_.c_str() + value_of(units_[at]))) return;
  }
}

const char* Charsmap::find(std::string_view text) const {
  const char* shortest = nullptr;
  for_each_prefix(text, [&](size_t, const char* replacement) {
    shortest = replacement;
    return false;
  });
  return shortest;
}

std::optional<Charsmap::Match> Charsmap::longest_prefix(std::string_view text) const {
  std::optional<Match> longest;
  for_each_prefix(text, [&](size_t bytes, const char* replacement) {
    const bool ends_inside =
        bytes < text.size() && (static_cast<uint8_t>(text[bytes]) & 0xc0) == 0x80;
    if (!ends_inside) longest = {bytes, replacement};
    return true;
  });
  return longest;
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

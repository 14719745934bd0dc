// See gbnf_text.h.
#include "frontend/grammar/gbnf_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "frontend/tokenizer/unicode.h"

namespace tg::models::grammar {
namespace {

// Numbers from low to high, 1 or more, in blocks: those that share all digits but the last ones,
// which are free, and the digit before these, which has a range.
void add_blocks(int64_t low, int64_t high, std::string_view sign, std::vector<std::string>& out) {
  while (low <= high) {
    int64_t size = 1;
    int free = 0;
    while (low % (size * 10) == 0 && low + size * 10 - 1 <= high) {
      size *= 10;
      ++free;
    }
    const int64_t digit = low / size % 10;
    const int64_t last = std::min<int64_t>(9, digit + (high - low + 1) / size - 1);
    const std::string before = low / size >= 10 ? fmt::format("{}", low / size / 10) : "";
    std::string text = fmt::format("\"{}{}\" ", sign, before);
    if (sign.empty() && before.empty()) text.clear();
    text += fmt::format("[{}-{}]", digit, last);
    if (free > 0) text += fmt::format(" [0-9]{{{}}}", free);
    out.push_back(std::move(text));
    low += (last - digit + 1) * size;
  }
}

}  // namespace

std::string gbnf_literal(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += fmt::format("\\{}", c);
    } else if (static_cast<uint8_t>(c) < 0x20 || c == 0x7f) {
      out += fmt::format("\\x{:02X}", static_cast<uint8_t>(c));
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string gbnf_in_set(char32_t c) {
  if (c < 0x20 || c == 0x7f) return fmt::format("\\x{:02X}", static_cast<uint32_t>(c));
  std::string out;
  if (c == '\\' || c == '[' || c == ']' || c == '-' || c == '^') out += '\\';
  append_code_point(out, c);
  return out;
}

std::string gbnf_integers(int64_t low, int64_t high) {
  std::vector<std::string> out;
  if (low < 0) add_blocks(std::max<int64_t>(1, -high), -low, "-", out);
  if (low <= 0 && high >= 0) out.emplace_back("\"0\"");
  if (high > 0) add_blocks(std::max<int64_t>(1, low), high, "", out);
  return fmt::format("{}", fmt::join(out, " | "));
}

}  // namespace tg::models::grammar

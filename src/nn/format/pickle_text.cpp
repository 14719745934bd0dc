// See pickle_text.h.
#include "nn/format/pickle_text.h"

#include <charconv>
#include <cstdlib>

namespace tg::nn {
namespace {

// The value of so many hexadecimal digits from `at` on; empty if they are none.
std::optional<uint32_t> hexadecimal(std::string_view text, size_t at, size_t count) {
  if (count > text.size() - at) return std::nullopt;
  uint32_t value = 0;
  const char* end = text.data() + at + count;
  const auto [stop, error] = std::from_chars(text.data() + at, end, value, 16);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

void append_utf8(std::string& out, uint32_t c) {
  const auto tail = [&](int shift) {
    out.push_back(static_cast<char>(0x80 | (c >> shift & 0x3f)));
  };
  if (c < 0x80) {
    out.push_back(static_cast<char>(c));
  } else if (c < 0x800) {
    out.push_back(static_cast<char>(0xc0 | c >> 6));
    tail(0);
  } else if (c < 0x10000) {
    out.push_back(static_cast<char>(0xe0 | c >> 12));
    tail(6);
    tail(0);
  } else {
    out.push_back(static_cast<char>(0xf0 | (c >> 18 & 7)));
    tail(12);
    tail(6);
    tail(0);
  }
}

}  // namespace

std::optional<int64_t> decimal_int(std::string_view digits) {
  int64_t value = 0;
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc{} || stop != digits.data() + digits.size()) return std::nullopt;
  return value;
}

std::optional<double> decimal_float(std::string_view digits) {
  double value = 0;
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc{} || stop != digits.data() + digits.size()) return std::nullopt;
  return value;
}

std::optional<std::string> unquoted(std::string_view text) {
  if (text.size() < 2 || text.front() != text.back() ||
      (text.front() != '\'' && text.front() != '"'))
    return std::nullopt;
  text = text.substr(1, text.size() - 2);
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out.push_back(text[i]);
      continue;
    }
    constexpr std::string_view kLetters = "ntr\\'\"", kMeant = "\n\t\r\\'\"";
    ++i;
    if (const size_t known = kLetters.find(text[i]); known != kLetters.npos) {
      out.push_back(kMeant[known]);
    } else if (const auto value = hexadecimal(text, i + 1, 2); text[i] == 'x' && value) {
      out.push_back(static_cast<char>(*value));
      i += 2;
    } else {
      out.push_back('\\');
      out.push_back(text[i]);
    }
  }
  return out;
}

std::string unescaped_unicode(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool escape = text[i] == '\\' && i + 1 < text.size();
    const size_t digits = !escape ? 0 : text[i + 1] == 'u' ? 4 : text[i + 1] == 'U' ? 8 : 0;
    const auto value = digits == 0 ? std::nullopt : hexadecimal(text, i + 2, digits);
    if (value) i += 1 + digits;
    append_utf8(out, value.value_or(static_cast<uint8_t>(text[i])));
  }
  return out;
}

}  // namespace tg::nn

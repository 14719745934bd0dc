// See python_text.h. Classes and cases of letters: ICU.
#include "frontend/template/python_text.h"

#include <unicode/locid.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>

#include <algorithm>
#include <unordered_set>

#include "frontend/template/template_value.h"
#include "frontend/tokenizer/unicode.h"

namespace tg::models::jinja {
namespace {

UChar32 icu_letter(char32_t c) { return static_cast<UChar32>(c); }

icu::UnicodeString icu_text(std::string_view text) {
  return icu::UnicodeString::fromUTF8({text.data(), static_cast<int32_t>(text.size())});
}

std::string from_icu(const icu::UnicodeString& text) {
  std::string out;
  text.toUTF8String(out);
  return out;
}

std::string title_letter(char32_t c) {
  icu::UnicodeString text(icu_letter(c));
  return from_icu(text.toTitle(nullptr, icu::Locale::getRoot()));
}

bool has_case(char32_t c) { return u_hasBinaryProperty(icu_letter(c), UCHAR_CASED) != 0; }
bool is_upper_letter(char32_t c) {
  return u_hasBinaryProperty(icu_letter(c), UCHAR_UPPERCASE) != 0;
}
bool is_title_letter(char32_t c) { return u_charType(icu_letter(c)) == U_TITLECASE_LETTER; }
bool is_lower_letter(char32_t c) {
  return u_hasBinaryProperty(icu_letter(c), UCHAR_LOWERCASE) != 0;
}

// At least one letter of the case, and none of the others.
bool is_of_case(std::string_view text, bool (*wanted)(char32_t), bool (*other)(char32_t)) {
  bool found = false;
  for (size_t at = 0; at < text.size();) {
    const char32_t c = next_code_point(text, at);
    if (other(c) || is_title_letter(c)) return false;
    found = found || wanted(c);
  }
  return found;
}

bool separates_words(char32_t c) {
  return is_space(c) || c == '-' || c == '(' || c == '{' || c == '[' || c == '<';
}

bool ends_line(char32_t c) {
  return (c >= 0x0A && c <= 0x0D) || (c >= 0x1C && c <= 0x1E) || c == 0x85 || c == 0x2028 ||
         c == 0x2029;
}

// The byte where the letter before `end` begins.
size_t letter_before(std::string_view text, size_t end) {
  size_t at = end - 1;
  while (at > 0 && (static_cast<uint8_t>(text[at]) & 0xC0) == 0x80) --at;
  return at;
}

}  // namespace

size_t count_letters(std::string_view text) {
  return static_cast<size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<uint8_t>(c) & 0xC0) != 0x80; }));
}

std::string take_letter(std::string_view text, size_t& at) {
  const size_t begin = at;
  next_code_point(text, at);
  return std::string(text.substr(begin, at - begin));
}

size_t byte_of_letter(std::string_view text, size_t index) {
  for (size_t at = 0; at < text.size(); ++at) {
    if ((static_cast<uint8_t>(text[at]) & 0xC0) == 0x80) continue;
    if (index == 0) return at;
    --index;
  }
  return text.size();
}

bool is_space(char32_t c) {
  return (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x20) || c == 0x85 || c == 0xA0 ||
         c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F ||
         c == 0x205F || c == 0x3000;
}

// ---- cases

std::string upper(std::string_view text) {
  return from_icu(icu_text(text).toUpper(icu::Locale::getRoot()));
}

std::string lower(std::string_view text) {
  return from_icu(icu_text(text).toLower(icu::Locale::getRoot()));
}

std::string capitalized(std::string_view text) {
  if (text.empty()) return {};
  size_t at = 0;
  const char32_t first = next_code_point(text, at);
  // A sigma at the end of the whole, not of the rest, is a final one.
  return title_letter(first) + lower(text).substr(lower(text.substr(0, at)).size());
}

std::string swapped_case(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const size_t begin = at;
    const char32_t c = next_code_point(text, at);
    const std::string_view letter = text.substr(begin, at - begin);
    out += is_upper_letter(c) ? lower(letter) : is_lower_letter(c) ? upper(letter) : letter;
  }
  return out;
}

std::string title(std::string_view text) {
  std::string out;
  bool in_word = false;
  for (size_t at = 0; at < text.size();) {
    const size_t begin = at;
    const char32_t c = next_code_point(text, at);
    out += in_word ? lower(text.substr(begin, at - begin)) : title_letter(c);
    in_word = has_case(c);
  }
  return out;
}

std::string title_of_words(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    size_t end = at;
    const char32_t first = next_code_point(text, end);
    const size_t behind_first = end;
    const bool separates = separates_words(first);
    for (size_t next = end; next < text.size(); end = next)
      if (separates_words(next_code_point(text, next)) != separates) break;
    out += upper(text.substr(at, behind_first - at)) +
           lower(text.substr(behind_first, end - behind_first));
    at = end;
  }
  return out;
}

// ---- classes

bool is_lower(std::string_view text) { return is_of_case(text, is_lower_letter, is_upper_letter); }
bool is_upper(std::string_view text) { return is_of_case(text, is_upper_letter, is_lower_letter); }

bool is_title(std::string_view text) {
  bool found = false, in_word = false;
  for (size_t at = 0; at < text.size();) {
    const char32_t c = next_code_point(text, at);
    const bool begins = is_upper_letter(c) || is_title_letter(c);
    const bool goes_on = !begins && is_lower_letter(c);
    if ((begins && in_word) || (goes_on && !in_word)) return false;
    in_word = begins || goes_on;
    found = found || in_word;
  }
  return found;
}

bool all_letters(std::string_view text, bool (*of)(char32_t)) {
  for (size_t at = 0; at < text.size();)
    if (!of(next_code_point(text, at))) return false;
  return !text.empty();
}

bool is_alphabetic(char32_t c) { return u_isalpha(icu_letter(c)) != 0; }
bool is_decimal(char32_t c) { return u_charType(icu_letter(c)) == U_DECIMAL_DIGIT_NUMBER; }
bool is_digit(char32_t c) {
  const int32_t kind = u_getIntPropertyValue(icu_letter(c), UCHAR_NUMERIC_TYPE);
  return kind == U_NT_DECIMAL || kind == U_NT_DIGIT;
}
bool is_numeric(char32_t c) {
  return u_getIntPropertyValue(icu_letter(c), UCHAR_NUMERIC_TYPE) != U_NT_NONE;
}
bool is_alphanumeric(char32_t c) { return is_alphabetic(c) || is_numeric(c); }

bool is_printable(char32_t c) {
  if (c == ' ') return true;
  switch (u_charType(icu_letter(c))) {
    case U_UNASSIGNED:
    case U_CONTROL_CHAR:
    case U_FORMAT_CHAR:
    case U_SURROGATE:
    case U_PRIVATE_USE_CHAR:
    case U_LINE_SEPARATOR:
    case U_PARAGRAPH_SEPARATOR:
    case U_SPACE_SEPARATOR:
      return false;
    default:
      return true;
  }
}

// ---- parts

Finder::Finder(std::string_view wanted) : wanted_(wanted), shorter_(wanted.size(), 0) {
  for (size_t i = 1; i < wanted_.size(); ++i) {
    size_t length = shorter_[i - 1];
    while (length > 0 && wanted_[length] != wanted_[i]) length = shorter_[length - 1];
    shorter_[i] = static_cast<uint32_t>(length + (wanted_[length] == wanted_[i] ? 1 : 0));
  }
}

size_t Finder::find(std::string_view text, size_t from) const {
  if (wanted_.empty()) return from <= text.size() ? from : std::string_view::npos;
  size_t length = 0;
  for (size_t i = from; i < text.size(); ++i) {
    while (length > 0 && wanted_[length] != text[i]) length = shorter_[length - 1];
    if (wanted_[length] == text[i]) ++length;
    if (length == wanted_.size()) return i + 1 - length;
  }
  return std::string_view::npos;
}

std::string_view stripped(std::string_view text, std::optional<std::string_view> letters,
                          Ends ends) {
  std::unordered_set<char32_t> wanted;
  for (size_t at = 0; letters && at < letters->size();)
    wanted.insert(next_code_point(*letters, at));
  const auto goes = [&](char32_t c) { return letters ? wanted.contains(c) : is_space(c); };
  while (ends != Ends::Right && !text.empty()) {
    size_t behind = 0;
    if (!goes(next_code_point(text, behind))) break;
    text.remove_prefix(behind);
  }
  while (ends != Ends::Left && !text.empty()) {
    const size_t last = letter_before(text, text.size());
    size_t at = last;
    if (!goes(next_code_point(text, at))) break;
    text = text.substr(0, last);
  }
  return text;
}

std::vector<std::string> split_at_space(std::string_view text, int64_t most, bool from_right) {
  std::vector<std::string> out;
  const Ends begin = from_right ? Ends::Right : Ends::Left;
  for (text = stripped(text, {}, begin); !text.empty(); text = stripped(text, {}, begin)) {
    if (out.size() >= kMostItems) throw Refusal("a list has too many items");
    if (most >= 0 && std::ssize(out) >= most) {
      out.emplace_back(text);
      break;
    }
    size_t at = from_right ? text.size() : 0;
    if (from_right) {
      while (at > 0) {
        size_t letter = letter_before(text, at), behind = letter;
        if (is_space(next_code_point(text, behind))) break;
        at = letter;
      }
      out.emplace_back(text.substr(at));
      text = text.substr(0, at);
    } else {
      for (size_t behind = 0; at < text.size(); at = behind)
        if (is_space(next_code_point(text, behind))) break;
      out.emplace_back(text.substr(0, at));
      text = text.substr(at);
    }
  }
  if (from_right) std::ranges::reverse(out);
  return out;
}

std::vector<std::string> split_at(std::string_view text, std::string_view separator, int64_t most,
                                  bool from_right) {
  if (separator.empty()) throw Refusal("the separator is empty");
  if (from_right) {  // from the left of what is written backwards
    const std::string back(text.rbegin(), text.rend());
    auto out = split_at(back, std::string(separator.rbegin(), separator.rend()), most, false);
    for (std::string& part : out) std::ranges::reverse(part);
    std::ranges::reverse(out);
    return out;
  }
  std::vector<std::string> out;
  const Finder finder(separator);
  while (most < 0 || std::ssize(out) < most) {
    const size_t at = finder.find(text);
    if (at == std::string_view::npos) break;
    if (out.size() >= kMostItems) throw Refusal("a list has too many items");
    out.emplace_back(text.substr(0, at));
    text.remove_prefix(at + separator.size());
  }
  out.emplace_back(text);
  return out;
}

std::vector<std::string> split_lines(std::string_view text, bool keep_ends) {
  std::vector<std::string> out;
  for (size_t at = 0; at < text.size();) {
    size_t end = at, behind = at;
    for (; behind < text.size(); end = behind)
      if (ends_line(next_code_point(text, behind))) break;
    if (behind < text.size() && text[end] == '\r' && text[behind] == '\n') ++behind;
    if (out.size() >= kMostItems) throw Refusal("a list has too many items");
    out.emplace_back(text.substr(at, (keep_ends ? behind : end) - at));
    at = behind;
  }
  return out;
}

std::string replaced(std::string_view text, std::string_view from, std::string_view to,
                     int64_t most) {
  TextBuilder out;
  const Finder finder(from);
  for (int64_t count = 0; most < 0 || count < most; ++count) {
    if (from.empty()) {  // before each letter, and at the end
      if (count > 0 && text.empty()) return out.take();
      if (count > 0) {
        size_t at = 0;
        out.add(take_letter(text, at));
        text.remove_prefix(at);
      }
      out.add(to);
      continue;
    }
    const size_t at = finder.find(text);
    if (at == std::string_view::npos) break;
    out.add(text.substr(0, at));
    out.add(to);
    text.remove_prefix(at + from.size());
  }
  out.add(text);
  return out.take();
}

void TextBuilder::add(std::string_view piece) {
  if (piece.size() > kMostText - text_.size()) throw Refusal("a text grows too long");
  text_ += piece;
}

void TextBuilder::add(size_t count, char c) {
  if (count > kMostText - text_.size()) throw Refusal("a text grows too long");
  text_.append(count, c);
}

}  // namespace tg::models::jinja

// See lexer.h. The rules are those of jinja2/lexer.py, where they are regular expressions.
#include "frontend/template/lexer.h"

#include <fmt/format.h>
#include <unicode/uchar.h>

#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "frontend/template/python_text.h"
#include "frontend/tokenizer/unicode.h"

namespace tg::models::jinja {
namespace {

constexpr auto kOperators = std::to_array<std::string_view>(
    {"**", "//", "==", "!=", "<=", ">=", "+", "-", "*", "/", "%", "~", "[",
     "]",  "(",  ")",  "{",  "}",  "<",  ">", "=", ".", ":", "|", ",", ";"});

// One line end for all kinds, and none at the end.
std::string with_line_feeds(std::string_view source) {
  std::string out;
  out.reserve(source.size());
  for (size_t i = 0; i < source.size(); ++i) {
    if (source[i] == '\r') {
      out += '\n';
      if (i + 1 < source.size() && source[i + 1] == '\n') ++i;
    } else {
      out += source[i];
    }
  }
  if (out.ends_with('\n')) out.pop_back();
  return out;
}

bool is_name_letter(char32_t c) {
  return c == '_' || (c < 0x80 ? (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z')
                               : u_hasBinaryProperty(static_cast<UChar32>(c), UCHAR_XID_CONTINUE));
}

bool is_decimal_digit(char c) { return c >= '0' && c <= '9'; }

class Lexer {
 public:
  explicit Lexer(std::string source) : source_(std::move(source)) {}

  std::vector<Token> tokens() {
    while (at_ < source_.size()) read_data();
    add(TokenKind::End, {});
    return std::move(tokens_);
  }

 private:
  [[noreturn]] void fail(std::string problem) const {
    throw SyntaxProblem{line_, std::move(problem)};
  }

  std::string_view rest() const { return std::string_view(source_).substr(at_); }
  bool sees(std::string_view text) const { return rest().starts_with(text); }

  void advance(size_t bytes) {
    for (const size_t end = at_ + bytes; at_ < end; ++at_) line_ += source_[at_] == '\n' ? 1 : 0;
  }
  void skip_space() { advance(rest().size() - stripped(rest(), {}, Ends::Left).size()); }

  void add(TokenKind kind, std::string text) {
    tokens_.push_back({.kind = kind, .line = line_, .text = std::move(text)});
  }

  // ---- between tags

  void read_data() {
    const size_t begin = at_;
    size_t tag = begin;
    const auto opens = [&](size_t i) {
      const char next = i + 1 < source_.size() ? source_[i + 1] : '\0';
      return source_[i] == '{' && (next == '{' || next == '%' || next == '#');
    };
    while (tag < source_.size() && !opens(tag)) ++tag;
    const std::string_view data = std::string_view(source_).substr(begin, tag - begin);
    if (tag == source_.size()) {
      add_data(data);
      return advance(data.size());
    }
    const char kind = source_[tag + 1];
    const char sign = tag + 2 < source_.size() ? source_[tag + 2] : '\0';
    add_data(without_space_before(data, sign, kind == '{'));
    advance(data.size() + 2);
    if (sign == '-' || sign == '+') advance(1);
    if (kind == '#') return skip_comment();
    if (kind == '%' && read_raw()) return;
    read_tag(kind == '%');
  }

  std::string_view without_space_before(std::string_view data, char sign, bool is_variable) const {
    if (sign == '-') return stripped(data, {}, Ends::Right);
    if (sign == '+' || is_variable) return data;
    const size_t last_line = data.rfind('\n');
    const size_t begin = last_line == std::string_view::npos ? 0 : last_line + 1;
    const bool at_line_start = begin > 0 || starts_line_;
    const bool is_blank = stripped(data.substr(begin), {}).empty();
    return at_line_start && is_blank ? data.substr(0, begin) : data;
  }

  void add_data(std::string_view data) {
    if (!data.empty()) add(TokenKind::Data, std::string(data));
  }

  // Behind a tag, whose end may remove white space. Jinja calls what follows the start of a line
  // if the tag and the space that was removed end in one.
  void end_tag(size_t bytes, bool strips, bool trims) {
    advance(bytes);
    if (strips) skip_space();
    if (!strips && trims && sees("\n")) advance(1);
    starts_line_ = source_[at_ - 1] == '\n';
  }

  // The end of a tag at this place, by its last two letters: its bytes, and what it does.
  bool ends_tag(std::string_view end, bool trims) {
    const size_t sign = sees("-") || (trims && sees("+")) ? 1 : 0;
    if (!rest().substr(sign).starts_with(end)) return false;
    end_tag(sign + end.size(), sees("-"), trims && sign == 0);
    return true;
  }

  void skip_comment() {
    const uint32_t begin = line_;
    for (; at_ < source_.size(); advance(1))
      if (ends_tag("#}", true)) return;
    throw SyntaxProblem{begin, "a comment has no end"};
  }

  // `{% raw %}`, behind its first letters: all to its end is data.
  bool read_raw() {
    std::string_view text = stripped(rest(), {}, Ends::Left);
    if (!text.starts_with("raw")) return false;
    text = stripped(text.substr(3), {}, Ends::Left);
    const bool strips = text.starts_with("-");
    if (!text.substr(strips ? 1 : 0).starts_with("%}")) return false;
    const uint32_t first_line = line_;
    advance(rest().size() - text.size() + 2 + (strips ? 1 : 0));
    if (strips) skip_space();
    starts_line_ = source_[at_ - 1] == '\n';
    const size_t begin = at_;
    for (size_t end = at_; (end = source_.find("{%", end)) != std::string::npos; end += 2) {
      const char sign = end + 2 < source_.size() ? source_[end + 2] : '\0';
      const size_t name = end + 2 + (sign == '-' || sign == '+' ? 1 : 0);
      std::string_view tag = stripped(std::string_view(source_).substr(name), {}, Ends::Left);
      if (!tag.starts_with("endraw")) continue;
      tag = stripped(tag.substr(6), {}, Ends::Left);
      if (!tag.starts_with("%}") && !tag.starts_with("-%}") && !tag.starts_with("+%}")) continue;
      add_data(
          without_space_before(std::string_view(source_).substr(begin, end - begin), sign, false));
      advance(rest().size() - tag.size());
      ends_tag("%}", true);
      return true;
    }
    throw SyntaxProblem{first_line, "a raw block has no end"};
  }

  // ---- within tags

  void read_tag(bool is_block) {
    const TokenKind end = is_block ? TokenKind::BlockEnd : TokenKind::VariableEnd;
    add(is_block ? TokenKind::BlockBegin : TokenKind::VariableBegin, {});
    std::string open;  // brackets that are
    while (at_ < source_.size()) {
      const uint32_t line = line_;
      if (open.empty() && ends_tag(is_block ? "%}" : "}}", is_block)) {
        tokens_.push_back({.kind = end, .line = line, .text = {}});
        return;
      }
      read_token(open);
    }
    fail(is_block ? "a tag has no end: \"%}\" is missing" : "a tag has no end: \"}}\" is missing");
  }

  void read_token(std::string& open) {
    size_t behind = at_;
    const char32_t c = next_code_point(source_, behind);
    if (is_space(c)) return skip_space();
    if (c == '"' || c == '\'') return read_text(static_cast<char>(c));
    if (is_decimal_digit(source_[at_]) && read_number()) return;
    if (is_name_letter(c)) return read_name();
    for (const std::string_view op : kOperators) {
      if (!sees(op)) continue;
      check_brackets(op, open);
      add(TokenKind::Operator, std::string(op));
      return advance(op.size());
    }
    fail(fmt::format("unexpected \"{}\"", source_.substr(at_, behind - at_)));
  }

  void check_brackets(std::string_view op, std::string& open) const {
    constexpr std::string_view kOpen = "([{", kClosed = ")]}";
    if (const size_t i = kOpen.find(op); op.size() == 1 && i != std::string_view::npos) {
      open += kClosed[i];
    } else if (op.size() == 1 && kClosed.find(op) != std::string_view::npos) {
      if (open.empty() || open.back() != op[0]) {
        fail(open.empty() ? fmt::format("unexpected \"{}\"", op)
                          : fmt::format("unexpected \"{}\", expected \"{}\"", op, open.back()));
      }
      open.pop_back();
    }
  }

  void read_name() {
    size_t end = at_;
    for (size_t behind = end; end < source_.size(); end = behind)
      if (!is_name_letter(next_code_point(source_, behind))) break;
    const std::string name = source_.substr(at_, end - at_);
    if (is_decimal_digit(name[0])) fail(fmt::format("\"{}\" is neither a name nor a number", name));
    add(TokenKind::Name, name);
    advance(end - at_);
  }

  // Digits with single underscores between them: their end.
  size_t digits_end(size_t at, bool (*is_one)(char)) const {
    const auto digit_at = [&](size_t i) { return i < source_.size() && is_one(source_[i]); };
    while (digit_at(at) || (at < source_.size() && source_[at] == '_' && digit_at(at + 1))) ++at;
    return at;
  }

  bool read_number() {
    const size_t end = float_end();
    if (end > 0) {
      Token t{.kind = TokenKind::Float, .line = line_, .text = {}};
      const std::string digits = without_underscores(end);
      const auto [last, error] =
          std::from_chars(digits.data(), digits.data() + digits.size(), t.number);
      if (error != std::errc())  // out of range
        t.number = digits.find('-') == std::string::npos ? HUGE_VAL : 0.0;
      tokens_.push_back(t);
      advance(end - at_);
      return true;
    }
    return read_whole();
  }

  // The end of a number with a point or an exponent; 0 if there is none here.
  size_t float_end() const {
    if (at_ > 0 && source_[at_ - 1] == '.') return 0;
    size_t end = digits_end(at_, is_decimal_digit);
    bool is_float = false;
    if (end + 1 < source_.size() && source_[end] == '.' && is_decimal_digit(source_[end + 1])) {
      end = digits_end(end + 1, is_decimal_digit);
      is_float = true;
    }
    if (end < source_.size() && (source_[end] | 32) == 'e') {
      size_t digits = end + 1;
      if (digits < source_.size() && (source_[digits] == '+' || source_[digits] == '-')) ++digits;
      if (digits < source_.size() && is_decimal_digit(source_[digits]))
        return digits_end(digits, is_decimal_digit);
    }
    return is_float ? end : 0;
  }

  bool read_whole() {
    const char second = at_ + 1 < source_.size() ? static_cast<char>(source_[at_ + 1] | 32) : '\0';
    int base = 10;
    size_t begin = at_;
    if (source_[at_] == '0' && (second == 'b' || second == 'o' || second == 'x')) {
      base = second == 'b' ? 2 : second == 'o' ? 8 : 16;
      begin += 2;
    }
    const auto is_one =
        base == 2   ? [](char c) { return c == '0' || c == '1'; }
        : base == 8 ? [](char c) { return c >= '0' && c <= '7'; }
        : base == 10
            ? is_decimal_digit
            : [](char c) { return is_decimal_digit(c) || ((c | 32) >= 'a' && (c | 32) <= 'f'); };
    size_t end = digits_end(begin, is_one);
    if (end == begin) {  // 0x without digits is 0, and a name
      base = 10;
      begin = at_;
      end = at_ + 1;
    }
    std::string digits;
    for (size_t i = begin; i < end; ++i)
      if (source_[i] != '_') digits += source_[i];
    if (base == 10 && digits[0] == '0' && digits.find_first_not_of('0') != std::string::npos)
      fail(fmt::format("the number {} begins with 0", digits));
    Token t{.kind = TokenKind::Whole, .line = line_, .text = {}};
    const auto [last, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), t.whole, base);
    if (error != std::errc()) fail(fmt::format("the number {} has more than 64 bits", digits));
    tokens_.push_back(t);
    advance(end - at_);
    return true;
  }

  std::string without_underscores(size_t end) const {
    std::string out;
    for (size_t i = at_; i < end; ++i)
      if (source_[i] != '_') out += source_[i];
    return out;
  }

  // ---- texts in quotes

  void read_text(char quote) {
    size_t end = at_ + 1;
    while (end < source_.size() && source_[end] != quote) end += source_[end] == '\\' ? 2 : 1;
    if (end >= source_.size()) fail("a text in quotes has no end");
    std::string out;
    for (size_t i = at_ + 1; i < end;) {
      if (source_[i] == '\\') {
        i = add_escaped(out, i + 1);
      } else {
        out += source_[i++];
      }
    }
    add(TokenKind::Text, valid_text(out));
    advance(end + 1 - at_);
  }

  // What stands behind a backslash, as Python's unicode-escape reads it; returns what follows.
  size_t add_escaped(std::string& out, size_t i) const {
    constexpr std::string_view kNames = "\\'\"abfnrtv", kMeanings = "\\'\"\a\b\f\n\r\t\v";
    const char c = source_[i];
    if (c == '\n') return i + 1;
    if (const size_t n = kNames.find(c); n != std::string_view::npos) {
      out += kMeanings[n];
      return i + 1;
    }
    if (c >= '0' && c <= '7') return add_code(out, i, 3, 8, false);
    if (c == 'x') return add_code(out, i + 1, 2, 16, true);
    if (c == 'u') return add_code(out, i + 1, 4, 16, true);
    if (c == 'U') return add_code(out, i + 1, 8, 16, true);
    if (c == 'N') fail("names of letters (\\N) are not supported");
    out += '\\';
    return i;  // another letter may be of several bytes
  }

  size_t add_code(std::string& out, size_t begin, size_t most, int base, bool all) const {
    uint32_t code = 0;
    const char* first = source_.data() + begin;
    const char* end = source_.data() + std::min(source_.size(), begin + most);
    const auto [last, error] = std::from_chars(first, end, code, base);
    if (error != std::errc() || (all && last != first + most) || code > 0x10FFFF)
      fail("a letter's number behind a backslash is cut off or too large");
    append_code_point(out, code >= 0xD800 && code < 0xE000 ? 0xFFFD : char32_t{code});
    return begin + static_cast<size_t>(last - first);
  }

  const std::string source_;
  size_t at_ = 0;
  uint32_t line_ = 1;
  bool starts_line_ = true;
  std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> tokens_of(std::string_view source) {
  return Lexer(with_line_feeds(source)).tokens();
}

}  // namespace tg::models::jinja

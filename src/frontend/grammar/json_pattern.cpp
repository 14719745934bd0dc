// See json_pattern.h. GBNF has the same operators, so a pattern is written piece by piece, without
// a tree.
#include "frontend/grammar/json_pattern.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "frontend/grammar/gbnf_text.h"
#include "frontend/grammar/utf8_ranges.h"
#include "frontend/tokenizer/unicode.h"
#include "support/check.h"

namespace tg::models::grammar {
namespace {

using Set = std::vector<CodePoints>;

Set digits() { return {{'0', '9'}}; }
Set words() { return {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}}; }
Set spaces() { return {{'\t', '\r'}, {' ', ' '}, {0xa0, 0xa0}, {0xfeff, 0xfeff}}; }
Set ends_of_lines() { return {{'\n', '\n'}, {'\r', '\r'}, {0x2028, 0x2029}}; }

bool is_spelled_by_escape(char32_t c) { return c < 0x20 || c == '"' || c == '\\' || c == 0x7f; }

// A character as JSON writes it.
std::string spelled(char32_t c) {
  std::string text;
  append_code_point(text, c);
  const std::string quoted = nlohmann::json(text).dump();
  return gbnf_literal(std::string_view(quoted).substr(1, quoted.size() - 2));
}

// One of a set that is normalised: those that stand for themselves, and the others one by one.
std::string one_of(const Set& set) {
  std::string plain;
  std::vector<std::string> texts;
  const auto add_plain = [&](char32_t low, char32_t high) {
    if (low > high) return;
    plain += gbnf_in_set(low);
    if (high > low) plain += "-" + gbnf_in_set(high);
  };
  for (const CodePoints& r : set) {
    char32_t from = r.low;
    for (char32_t c = 0; c < 0x80; ++c) {
      if (!is_spelled_by_escape(c) || c < r.low || c > r.high) continue;
      if (c > from) add_plain(from, c - 1);
      texts.push_back(spelled(c));
      from = c + 1;
    }
    add_plain(from, r.high);
  }
  if (!plain.empty()) texts.insert(texts.begin(), fmt::format("[{}]", plain));
  return texts.empty() ? "[]" : fmt::format("({})", fmt::join(texts, " | "));
}

class PatternReader {
 public:
  PatternReader(std::string_view pattern, const std::string& place)
      : text_(pattern), place_(place) {}

  std::string gbnf() {
    const bool from_start = take("^");
    while (at_ < text_.size() && !is_end()) piece();
    const bool to_end = take("$");
    if (open_ > 0) fail("\")\" is missing");
    if (has_choice_ && (from_start || to_end))
      fail("^ or $ beside | is not supported: put the choice into ( )");
    const char* any = "char*";
    return fmt::format(R"("\"" {} ({}) {} "\"")", from_start ? "" : any, out_, to_end ? "" : any);
  }

 private:
  [[noreturn]] void fail(std::string_view problem) const {
    user_error<ArgumentError>(place_, fmt::format("{} (at byte {})", problem, at_));
  }
  bool take(std::string_view what) {
    if (!text_.substr(at_).starts_with(what)) return false;
    at_ += what.size();
    return true;
  }
  bool is_end() const { return text_.substr(at_) == "$"; }
  void add(std::string_view gbnf, bool may_repeat) {
    out_ += gbnf;
    out_ += ' ';
    may_repeat_ = may_repeat;
  }

  void piece() {
    if (take("(?:") || (!text_.substr(at_).starts_with("(?") && take("("))) {
      ++open_;
      add("(", false);
    } else if (take(")")) {
      if (open_-- == 0) fail("\")\" closes nothing");
      add(")", true);
    } else if (take("|")) {
      has_choice_ = has_choice_ || open_ == 0;
      add("|", false);
    } else if (take("[")) {
      add(one_of(set()), true);
    } else if (take(".")) {
      add(one_of(normalised(ends_of_lines(), true)), true);
    } else if (take("\\")) {
      const Set set = escape();
      const bool is_one = set.size() == 1 && set[0].low == set[0].high;
      add(is_one ? spelled(set[0].low) : one_of(normalised(set, false)), true);
    } else if (std::string_view("*+?{").find(text_[at_]) != std::string_view::npos) {
      count();
    } else if (std::string_view("^$(").find(text_[at_]) != std::string_view::npos) {
      fail("^, $ and (?…) are not supported here");
    } else {
      add(spelled(next_code_point(text_, at_)), true);
    }
  }

  void count() {
    if (!may_repeat_) fail("there is nothing to repeat");
    if (take("{")) {
      const size_t end = text_.find('}', at_);
      const std::string_view counts =
          text_.substr(at_, end == std::string_view::npos ? 0 : end - at_);
      const bool is_fine = !counts.empty() && counts.front() != ',' &&
                           counts.find_first_not_of("0123456789,") == std::string_view::npos &&
                           std::ranges::count(counts, ',') <= 1;
      if (!is_fine) fail("{ } needs one or two numbers");
      add(fmt::format("{{{}}}", counts), false);
      at_ = end + 1;
    } else {
      add(text_.substr(at_, 1), false);
      ++at_;
    }
    take("?");  // as few as possible: the same strings
  }

  // What follows a backslash.
  Set escape() {
    if (at_ >= text_.size()) fail("\\ is the last character");
    const char c = text_[at_];
    const auto one = [](char32_t code) { return Set{{code, code}}; };
    if (c == 'u' || c == 'x') return one(code_of_digits(c == 'u' ? 4 : 2));
    const bool is_letter =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!is_letter) return one(next_code_point(text_, at_));
    ++at_;
    switch (c) {
      case 'd':
        return digits();
      case 'D':
        return normalised(digits(), true);
      case 'w':
        return words();
      case 'W':
        return normalised(words(), true);
      case 's':
        return spaces();
      case 'S':
        return normalised(spaces(), true);
      case 'n':
        return one('\n');
      case 'r':
        return one('\r');
      case 't':
        return one('\t');
      case 'f':
        return one('\f');
      case 'v':
        return one('\v');
      default:
        fail(fmt::format("\\{} is not supported", c));
    }
  }

  char32_t code_of_digits(size_t count) {
    const std::string_view digits = text_.substr(at_ + 1, count);
    const bool is_fine =
        digits.size() == count &&
        digits.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
    const auto code =
        is_fine ? static_cast<char32_t>(std::stoul(std::string(digits), nullptr, 16)) : 0xD800;
    if (code >= 0xD800 && code <= 0xDFFF) fail("an escape is no character");
    at_ += 1 + count;
    return code;
  }

  // A character of a set, or a class, which is no end of a range.
  Set member() {
    if (at_ >= text_.size()) fail("\"]\" is missing");
    if (take("\\")) return take("b") ? Set{{'\b', '\b'}} : escape();
    const char32_t c = next_code_point(text_, at_);
    return {{c, c}};
  }

  Set set() {
    const bool inverted = take("^");
    Set out;
    while (!take("]")) {
      Set first = member();
      const bool is_range =
          text_.substr(at_).starts_with("-") && !text_.substr(at_).starts_with("-]");
      if (is_range) {
        take("-");
        const Set last = member();
        const auto is_one = [](const Set& s) { return s.size() == 1 && s[0].low == s[0].high; };
        if (!is_one(first) || !is_one(last) || last[0].low < first[0].low)
          fail("a range of a set has no order");
        first[0].high = last[0].high;
      }
      out.insert(out.end(), first.begin(), first.end());
    }
    return normalised(std::move(out), inverted);
  }

  std::string_view text_;
  const std::string& place_;
  size_t at_ = 0, open_ = 0;
  bool may_repeat_ = false, has_choice_ = false;
  std::string out_;
};

}  // namespace

std::string gbnf_of_pattern(std::string_view pattern, const std::string& place) {
  return PatternReader(pattern, place).gbnf();
}

}  // namespace tg::models::grammar

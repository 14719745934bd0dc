// See gbnf.h. Groups that are open are a list, not calls of functions: a text may nest as deep as
// it likes.
#include "frontend/grammar/gbnf.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>

#include "frontend/grammar/program_builder.h"
#include "frontend/tokenizer/unicode.h"
#include "support/check.h"

namespace tg::models::grammar {
namespace {

constexpr size_t kMostBytes = 1 << 20;
constexpr uint32_t kMostCount = 1'000'000'000;

bool is_name_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
}

class GbnfParser {
 public:
  explicit GbnfParser(std::string_view text) : text_(text) {}

  Program parse() {
    for (skip(true); at_ < text_.size(); skip(true)) rule();
    for (uint32_t i = 0; i < names_.size(); ++i)
      if (!builder_.is_defined(i))
        fail_at(first_use_[i], fmt::format("the rule \"{}\" is missing", names_[i]));
    const auto root = rules_.find("root");
    if (root == rules_.end()) fail("there is no rule \"root\"");
    return std::move(builder_).finish(root->second, names_);
  }

 private:
  using Part = ProgramBuilder::Part;

  // Alternatives so far, the sequence that is being read, and its last item, which a count may
  // follow.
  struct Group {
    std::optional<Part> alternatives, sequence, item;
  };

  // ---- letters

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(std::string_view what) {
    if (!text_.substr(at_).starts_with(what)) return false;
    at_ += what.size();
    return true;
  }
  // White space and comments; ends of lines as well where they say nothing.
  void skip(bool also_lines) {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '#') {
        at_ = std::min(text_.find_first_of("\r\n", at_), text_.size());
      } else if (c == ' ' || c == '\t' || (also_lines && (c == '\r' || c == '\n'))) {
        ++at_;
      } else {
        break;
      }
    }
  }
  [[noreturn]] void fail(std::string_view problem) const { fail_at(at_, problem); }
  [[noreturn]] void fail_at(size_t at, std::string_view problem) const {
    const auto line = 1 + std::ranges::count(text_.substr(0, at), '\n');
    user_error<ArgumentError>(fmt::format("grammar: line {}", line), problem);
  }

  std::string name() {
    const size_t begin = at_;
    while (is_name_letter(peek())) ++at_;
    if (at_ == begin) fail("a name of a rule is missing");
    return std::string(text_.substr(begin, at_ - begin));
  }
  uint32_t number_of(const std::string& rule, size_t place) {
    const auto [found, is_new] = rules_.emplace(rule, static_cast<uint32_t>(names_.size()));
    if (is_new) {
      names_.push_back(rule);
      first_use_.push_back(place);
    }
    return found->second;
  }

  char32_t code_of_digits(size_t digits) {
    char32_t out = 0;
    for (size_t i = 0; i < digits; ++i, ++at_) {
      const char c = peek();
      const int digit = c >= '0' && c <= '9'   ? c - '0'
                        : c >= 'a' && c <= 'f' ? c - 'a' + 10
                        : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                               : -1;
      if (digit < 0) fail(fmt::format("an escape needs {} hexadecimal digits", digits));
      out = out << 4 | static_cast<char32_t>(digit);
    }
    const bool is_character = out <= kLastCodePoint && (out < 0xD800 || out > 0xDFFF);
    if (!is_character) fail(fmt::format("U+{:X} is no character", static_cast<uint32_t>(out)));
    return out;
  }

  // A character of a literal or of a set.
  char32_t character() {
    if (at_ >= text_.size()) fail("a character is missing");
    if (!take("\\")) return next_code_point(text_, at_);
    const char c = peek();
    ++at_;
    switch (c) {
      case 'x':
        return code_of_digits(2);
      case 'u':
        return code_of_digits(4);
      case 'U':
        return code_of_digits(8);
      case 't':
        return '\t';
      case 'r':
        return '\r';
      case 'n':
        return '\n';
      case '\\':
      case '"':
      case '[':
      case ']':
      case '-':
      case '^':
        return static_cast<char32_t>(c);
      default:
        break;
    }
    --at_;
    fail("an unknown escape");
  }

  // ---- parts

  void rule() {
    const size_t place = at_;
    const uint32_t number = number_of(name(), place);
    if (builder_.is_defined(number))
      fail_at(place, fmt::format("the rule \"{}\" is there twice", names_[number]));
    skip(false);
    if (!take("::=")) fail("\"::=\" is missing");
    skip(true);
    builder_.define(number, alternatives());
  }

  // Up to the end of the rule's line.
  Part alternatives() {
    groups_.assign(1, {});
    while (true) {
      if (take("(")) {
        groups_.emplace_back();
        skip(true);
      } else if (take("|")) {
        end_alternative();
        skip(true);
      } else if (peek() == ')') {
        if (groups_.size() == 1) fail("\")\" closes nothing");
        ++at_;
        const Part inner = end_group();
        add_item(inner);
      } else if (!item()) {
        break;
      }
      skip(groups_.size() > 1);
    }
    if (groups_.size() > 1) fail("\")\" is missing");
    if (at_ < text_.size() && peek() != '\r' && peek() != '\n') {
      fail(peek() == '<' || peek() == '!' ? "tokens (<name>) are not supported"
                                          : fmt::format("\"{}\" has no meaning here", letter()));
    }
    return end_group();
  }

  std::string letter() const {
    size_t end = at_;
    next_code_point(text_, end);
    return std::string(text_.substr(at_, end - at_));
  }

  // Whether there is one.
  bool item() {
    if (take("\"")) {
      add_item(literal());
    } else if (take("[")) {
      add_item(set());
    } else if (take(".")) {
      add_item(builder_.one_of(normalised({}, true)));
    } else if (is_name_letter(peek())) {
      const size_t place = at_;
      add_item(builder_.call(number_of(name(), place)));
    } else if (take("*")) {
      repeat(0, kUnbounded);
    } else if (take("+")) {
      repeat(1, kUnbounded);
    } else if (take("?")) {
      repeat(0, 1);
    } else if (take("{")) {
      counts();
    } else {
      return false;
    }
    return true;
  }

  Part literal() {
    std::string bytes;
    while (!take("\"")) {
      if (at_ >= text_.size() || peek() == '\n') fail("\" is missing at the end of a text");
      append_code_point(bytes, character());
    }
    return builder_.literal(bytes);
  }

  Part set() {
    const bool inverted = take("^");
    std::vector<CodePoints> ranges;
    while (!take("]")) {
      if (at_ >= text_.size()) fail("\"]\" is missing");
      const char32_t low = character();
      char32_t high = low;
      if (peek() == '-' && at_ + 1 < text_.size() && text_[at_ + 1] != ']') {
        ++at_;
        high = character();
      }
      if (high < low) fail("a range of characters ends before it begins");
      ranges.push_back({low, high});
    }
    return builder_.one_of(normalised(std::move(ranges), inverted));
  }

  std::optional<uint32_t> count() {
    skip(false);
    const size_t begin = at_;
    uint64_t out = 0;
    for (; peek() >= '0' && peek() <= '9'; ++at_) {
      out = out * 10 + static_cast<uint64_t>(peek() - '0');
      if (out > kMostCount) fail(fmt::format("a count may be {} at most", kMostCount));
    }
    const bool is_there = at_ > begin;
    skip(false);
    if (!is_there) return {};
    return static_cast<uint32_t>(out);
  }

  void counts() {
    const std::optional<uint32_t> min = count();
    std::optional<uint32_t> max = min;
    if (take(",")) {
      max = count();
      if (!max) max = kUnbounded;
    } else if (!min) {
      fail("a count is missing");
    }
    if (!take("}")) fail("\"}\" is missing");
    if (*max < min.value_or(0)) fail("the largest count is below the smallest");
    repeat(min.value_or(0), *max);
  }

  void repeat(uint32_t min, uint32_t max) {
    std::optional<Part>& last = groups_.back().item;
    if (!last) fail("there is nothing to repeat");
    last = builder_.repeated(*last, min, max);
  }

  void add_item(Part part) {
    Group& g = groups_.back();
    end_item(g);
    g.item = part;
  }
  void end_item(Group& g) {
    if (!g.item) return;
    g.sequence = g.sequence ? builder_.sequence(*g.sequence, *g.item) : *g.item;
    g.item.reset();
  }
  void end_alternative() {
    Group& g = groups_.back();
    end_item(g);
    const Part part = g.sequence ? *g.sequence : builder_.nothing();
    g.sequence.reset();
    g.alternatives = g.alternatives ? builder_.either(*g.alternatives, part) : part;
  }
  Part end_group() {
    end_alternative();
    const Part out = *groups_.back().alternatives;
    groups_.pop_back();
    return out;
  }

  std::string_view text_;
  size_t at_ = 0;
  ProgramBuilder builder_;
  std::vector<Group> groups_;
  std::unordered_map<std::string, uint32_t> rules_;
  std::vector<std::string> names_;
  std::vector<size_t> first_use_;
};

}  // namespace

Program parse_gbnf(std::string_view text) {
  if (text.size() > kMostBytes) {
    user_error<ArgumentError>(
        "grammar", fmt::format("it has {} bytes, of at most {}", text.size(), kMostBytes));
  }
  return GbnfParser(valid_text(text)).parse();
}

}  // namespace tg::models::grammar

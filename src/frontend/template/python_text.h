// Texts as Python handles them: letters are code points, white space and upper case are Unicode's.
// All text is valid UTF-8. How values print: print.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tg::models::jinja {

size_t count_letters(std::string_view text);
/// The letter at byte `at`, which moves behind it.
std::string take_letter(std::string_view text, size_t& at);
/// The byte where letter `index` begins; the size for one behind the last.
size_t byte_of_letter(std::string_view text, size_t index);

/// str.isspace, and \s of regular expressions.
bool is_space(char32_t c);

std::string upper(std::string_view text);
std::string lower(std::string_view text);
std::string capitalized(std::string_view text);
std::string swapped_case(std::string_view text);
/// str.title, where a word begins behind whatever has no case.
std::string title(std::string_view text);
/// The filter `title`, where a word begins behind white space and some brackets.
std::string title_of_words(std::string_view text);

bool is_lower(std::string_view text);
bool is_upper(std::string_view text);
bool is_title(std::string_view text);
/// Whether all letters, at least one, are of a class that ICU has by `of(code point)`.
bool all_letters(std::string_view text, bool (*of)(char32_t));
bool is_alphabetic(char32_t c);
bool is_decimal(char32_t c);
bool is_digit(char32_t c);    ///< decimals, and others that stand for one, such as ²
bool is_numeric(char32_t c);  ///< whatever has a number
bool is_alphanumeric(char32_t c);
bool is_printable(char32_t c);

/// Finds a text within others in time linear in both (Knuth, Morris, Pratt), however alike they
/// are.
class Finder {
 public:
  explicit Finder(std::string_view wanted);
  /// Where it begins at `from` or behind; npos if nowhere.
  size_t find(std::string_view text, size_t from = 0) const;
  size_t size() const { return wanted_.size(); }

 private:
  std::string wanted_;
  std::vector<uint32_t> shorter_;  // the longest other beginning that ends at a place
};

enum class Ends { Both, Left, Right };
/// Without white space at these ends, or without any of the letters of `letters`.
std::string_view stripped(std::string_view text, std::optional<std::string_view> letters,
                          Ends ends = Ends::Both);

/// At white space, at most `most` times from the left or the right; below 0: wherever there is.
std::vector<std::string> split_at_space(std::string_view text, int64_t most, bool from_right);
/// At a separator that is not empty.
std::vector<std::string> split_at(std::string_view text, std::string_view separator, int64_t most,
                                  bool from_right);
std::vector<std::string> split_lines(std::string_view text, bool keep_ends);

/// str.replace: at most `most` times, below 0 wherever it is. Refusal for too long a text.
std::string replaced(std::string_view text, std::string_view from, std::string_view to,
                     int64_t most);

/// A text that may not grow beyond kMostText.
class TextBuilder {
 public:
  void add(std::string_view piece);
  void add(size_t count, char c);
  std::string take() { return std::move(text_); }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace tg::models::jinja

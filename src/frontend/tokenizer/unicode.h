// Text as tokenizers see it, by ICU: code points, their classes, normal forms, patterns. All text
// is valid UTF-8 here; valid_text makes it so. What is done with it: normalizers.cpp and
// pre_tokenizers.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tg::models {

/// `text` with U+FFFD for each part that is no UTF-8, as the WHATWG's decoder has it.
std::string valid_text(std::string_view text);

/// Throws ArgumentError for a text of more than 256 MiB, given or on its way: a file can ask for
/// steps that double the text over and over.
void check_text_size(size_t bytes);

void append_code_point(std::string& text, char32_t c);

/// The code point at byte `at`, which moves behind it.
char32_t next_code_point(std::string_view text, size_t& at);

enum class NormalForm { Nfc, Nfd, Nfkc, Nfkd };
std::string normal_form(std::string_view text, NormalForm form);

/// Each code point's lowercase alone: a final sigma is as any other.
std::string lowercase(std::string_view text);

bool is_white_space(char32_t c);
bool is_punctuation(char32_t c);  ///< of Unicode's, and ASCII's symbols
bool is_number(char32_t c);       ///< digits, letters and others that are numbers
bool is_mark(char32_t c);
bool is_nonspacing_mark(char32_t c);
bool is_control_or_format(char32_t c);
bool is_word(char32_t c);  ///< what \w matches
bool is_chinese(char32_t c);

/// Bytes [begin, end) of a text.
struct Span {
  size_t begin = 0, end = 0;
  friend bool operator==(const Span&, const Span&) = default;
};

/// What a reader sees as one character each.
std::vector<Span> graphemes(std::string_view text);

/// A pattern of Oniguruma's syntax as published tokenizers use it. Immutable, for any thread.
class Pattern {
 public:
  /// `text` as it is if `literal`, else a regular expression. Throws FileError, which names
  /// `place`, for one that cannot be read.
  Pattern(std::string_view text, bool literal, const std::string& place);

  /// The matches in order. Throws ArgumentError where the pattern takes seconds.
  std::vector<Span> find(std::string_view text) const;

  /// `text` with `replacement`, taken literally, for each match.
  std::string replace(std::string_view text, std::string_view replacement) const;

 private:
  struct Compiled;
  std::shared_ptr<const Compiled> compiled_;
  std::string text_;
};

}  // namespace tg::models

// See unicode.h.
#include "frontend/tokenizer/unicode.h"

#include <fmt/format.h>
#include <unicode/brkiter.h>
#include <unicode/normalizer2.h>
#include <unicode/regex.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>
#include <unicode/utf8.h>
#include <unicode/utext.h>

#include "support/check.h"

namespace tg::models {
namespace {

// A few seconds on any machine; ICU counts steps of its engine.
constexpr int32_t kMostSteps = 2000;
constexpr size_t kMostTextBytes = size_t{1} << 28;

// Not by TG_CHECK, which the core library keeps to itself.
void check_icu(UErrorCode status, std::string_view problem) {
  if (U_FAILURE(status)) throw InternalError(fmt::format("{}: {}", problem, u_errorName(status)));
}

UChar32 as_icu(char32_t c) { return static_cast<UChar32>(c); }

const icu::Normalizer2& normalizer_of(NormalForm form) {
  UErrorCode status = U_ZERO_ERROR;
  const icu::Normalizer2* n = nullptr;
  switch (form) {
    case NormalForm::Nfc:
      n = icu::Normalizer2::getNFCInstance(status);
      break;
    case NormalForm::Nfd:
      n = icu::Normalizer2::getNFDInstance(status);
      break;
    case NormalForm::Nfkc:
      n = icu::Normalizer2::getNFKCInstance(status);
      break;
    case NormalForm::Nfkd:
      n = icu::Normalizer2::getNFKDInstance(status);
      break;
  }
  check_icu(status, "ICU has no data");
  return *n;
}

icu::StringPiece piece(std::string_view text) {
  return {text.data(), static_cast<int32_t>(text.size())};
}

icu::UnicodeString utf16(std::string_view text) { return icu::UnicodeString::fromUTF8(piece(text)); }

// \s and \S mean Unicode's white space; ICU's leave out the vertical tab and the next line.
std::string for_icu(std::string_view pattern) {
  std::string out;
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '\\' || i + 1 == pattern.size()) {
      out += pattern[i];
      continue;
    }
    const char c = pattern[++i];
    if (c == 's') {
      out += "\\p{White_Space}";
    } else if (c == 'S') {
      out += "\\P{White_Space}";
    } else {
      out += '\\';
      out += c;
    }
  }
  return out;
}

// Text that ICU reads in place, with byte offsets.
class IcuText {
 public:
  explicit IcuText(std::string_view text) {
    UErrorCode status = U_ZERO_ERROR;
    utext_openUTF8(&text_, text.data(), static_cast<int64_t>(text.size()), &status);
    check_icu(status, "ICU opens no text");
  }
  IcuText(const IcuText&) = delete;
  IcuText& operator=(const IcuText&) = delete;
  ~IcuText() { utext_close(&text_); }
  UText* get() { return &text_; }

 private:
  UText text_ = UTEXT_INITIALIZER;
};

}  // namespace

std::string valid_text(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  const auto* bytes = reinterpret_cast<const uint8_t*>(text.data());
  const auto size = static_cast<int32_t>(text.size());
  for (int32_t at = 0; at < size;) {
    UChar32 c = 0;
    U8_NEXT_OR_FFFD(bytes, at, size, c);
    append_code_point(out, static_cast<char32_t>(c));
  }
  return out;
}

void check_text_size(size_t bytes) {
  if (bytes <= kMostTextBytes) return;
  user_error<ArgumentError>(
      "Tokenizer",
      fmt::format("a text has {} bytes or more, given or on its way, of at most {}", bytes,
                  kMostTextBytes),
      "Hint: encode shorter texts.");
}

void append_code_point(std::string& text, char32_t c) {
  uint8_t bytes[U8_MAX_LENGTH];
  int32_t n = 0;
  U8_APPEND_UNSAFE(bytes, n, as_icu(c));
  text.append(reinterpret_cast<const char*>(bytes), static_cast<size_t>(n));
}

char32_t next_code_point(std::string_view text, size_t& at) {
  UChar32 c = 0;
  U8_NEXT_UNSAFE(reinterpret_cast<const uint8_t*>(text.data()), at, c);
  return static_cast<char32_t>(c);
}

std::string normal_form(std::string_view text, NormalForm form) {
  UErrorCode status = U_ZERO_ERROR;
  std::string out;
  normalizer_of(form).normalize(utf16(text), status).toUTF8String(out);
  check_icu(status, "ICU normalises no text");
  return out;
}

std::string lowercase(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const char32_t c = next_code_point(text, at);
    if (c < 0x80) {
      out += static_cast<char>(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
    } else if (c == U'\u0130') {  // the one whose lowercase has two code points
      out += "i\u0307";
    } else {
      append_code_point(out, static_cast<char32_t>(u_tolower(as_icu(c))));
    }
  }
  return out;
}

bool is_white_space(char32_t c) { return u_isUWhiteSpace(as_icu(c)) != 0; }

bool is_punctuation(char32_t c) {
  return (U_GET_GC_MASK(as_icu(c)) & U_GC_P_MASK) != 0 ||
         (c < 0x80 && std::string_view("$+<=>^`|~").find(static_cast<char>(c)) !=
                          std::string_view::npos);
}

bool is_number(char32_t c) { return (U_GET_GC_MASK(as_icu(c)) & U_GC_N_MASK) != 0; }

bool is_mark(char32_t c) { return (U_GET_GC_MASK(as_icu(c)) & U_GC_M_MASK) != 0; }

bool is_nonspacing_mark(char32_t c) { return u_charType(as_icu(c)) == U_NON_SPACING_MARK; }

bool is_control_or_format(char32_t c) {
  return (U_GET_GC_MASK(as_icu(c)) & (U_GC_CC_MASK | U_GC_CF_MASK | U_GC_CO_MASK)) != 0;
}

bool is_word(char32_t c) {
  return u_hasBinaryProperty(as_icu(c), UCHAR_ALPHABETIC) != 0 ||
         (U_GET_GC_MASK(as_icu(c)) & (U_GC_M_MASK | U_GC_ND_MASK | U_GC_PC_MASK)) != 0 ||
         c == 0x200c || c == 0x200d;
}

bool is_chinese(char32_t c) {
  return (c >= 0x4e00 && c <= 0x9fff) || (c >= 0x3400 && c <= 0x4dbf) ||
         (c >= 0x20000 && c <= 0x2a6df) || (c >= 0x2a700 && c <= 0x2b73f) ||
         (c >= 0x2b740 && c <= 0x2b81f) || (c >= 0x2b920 && c <= 0x2ceaf) ||
         (c >= 0xf900 && c <= 0xfaff) || (c >= 0x2f800 && c <= 0x2fa1f);
}

std::vector<Span> graphemes(std::string_view text) {
  UErrorCode status = U_ZERO_ERROR;
  const std::unique_ptr<icu::BreakIterator> breaks(
      icu::BreakIterator::createCharacterInstance(icu::Locale::getRoot(), status));
  IcuText source(text);
  if (U_SUCCESS(status)) breaks->setText(source.get(), status);
  check_icu(status, "ICU has no data");
  std::vector<Span> out;
  auto begin = static_cast<size_t>(breaks->first());
  for (int32_t end = breaks->next(); end != icu::BreakIterator::DONE; end = breaks->next()) {
    out.push_back({begin, static_cast<size_t>(end)});
    begin = static_cast<size_t>(end);
  }
  return out;
}

struct Pattern::Compiled {
  std::unique_ptr<icu::RegexPattern> regex;
};

Pattern::Pattern(std::string_view text, bool literal, const std::string& place) : text_(text) {
  UErrorCode status = U_ZERO_ERROR;
  UParseError where;
  auto compiled = std::make_shared<Compiled>();
  const uint32_t flags = literal ? uint32_t{UREGEX_LITERAL} : 0;
  compiled->regex.reset(icu::RegexPattern::compile(utf16(literal ? text_ : for_icu(text_)), flags,
                                                   where, status));
  if (U_FAILURE(status)) {
    user_error<FileError>(place, fmt::format("\"{}\" is no pattern that can be read ({})", text_,
                                             u_errorName(status)));
  }
  compiled_ = std::move(compiled);
}

std::vector<Span> Pattern::find(std::string_view text) const {
  std::vector<Span> out;
  if (text_.empty()) return out;
  UErrorCode status = U_ZERO_ERROR;
  IcuText source(text);
  const std::unique_ptr<icu::RegexMatcher> matcher(compiled_->regex->matcher(status));
  if (U_SUCCESS(status)) {
    matcher->setTimeLimit(kMostSteps, status);
    matcher->reset(source.get());
    while (matcher->find(status) != 0 && U_SUCCESS(status)) {
      out.push_back({static_cast<size_t>(matcher->start64(status)),
                     static_cast<size_t>(matcher->end64(status))});
    }
  }
  if (U_FAILURE(status)) {
    user_error<ArgumentError>("encode", fmt::format("the pattern \"{}\" cannot be applied to a "
                                                    "text of {} bytes ({})",
                                                    text_, text.size(), u_errorName(status)),
                              "Hint: encode shorter texts.");
  }
  return out;
}

std::string Pattern::replace(std::string_view text, std::string_view replacement) const {
  std::string out;
  size_t done = 0;
  for (const Span& s : find(text)) {
    out += text.substr(done, s.begin - done);
    out += replacement;
    check_text_size(out.size());
    done = s.end;
  }
  out += text.substr(done);
  return out;
}

}  // namespace tg::models

// The kinds of pre-tokenizers: what divides a text into the pieces that a model numbers. See
// pipeline.h and split.h.
#include <fmt/format.h>

#include "frontend/tokenizer/byte_letters.h"
#include "frontend/tokenizer/pipeline.h"
#include "frontend/tokenizer/split.h"

namespace tg::models {
namespace {

// GPT-2's words: https://github.com/openai/gpt-2, encoder.py.
constexpr std::string_view kWords =
    "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+";

// Divides each piece by `spans(text)`.
template <typename F>
PreTokenizer divided_by(F spans) {
  return [spans = std::move(spans)](const std::vector<Piece>& pieces) {
    std::vector<Piece> out;
    for (const Piece& p : pieces) {
      for (const Span& s : spans(p.text))
        out.push_back({p.text.substr(s.begin, s.end - s.begin), p.at_start && s.begin == 0});
    }
    return out;
  };
}

template <typename F>
PreTokenizer at_code_points(SplitBehavior behavior, F is_match) {
  return divided_by([=](const std::string& text) { return split_at(text, behavior, is_match); });
}

PreTokenizer at_pattern(Pattern pattern, SplitBehavior behavior, bool inverted) {
  return divided_by([pattern = std::move(pattern), behavior, inverted](const std::string& text) {
    std::vector<Part> parts = parts_of(text, pattern.find(text));
    for (Part& p : parts) p.is_match = p.is_match != inverted;
    return split(parts, behavior);
  });
}

PreTokenizer in_order(std::vector<PreTokenizer> steps) {
  return [steps = std::move(steps)](std::vector<Piece> pieces) {
    for (const PreTokenizer& step : steps) pieces = step(std::move(pieces));
    return pieces;
  };
}

// Changes the text of each piece.
template <typename F>
PreTokenizer rewriting(F rewrite) {
  return [rewrite = std::move(rewrite)](std::vector<Piece> pieces) {
    size_t bytes = 0;
    for (Piece& p : pieces) {
      rewrite(p);
      bytes += p.text.size();
      check_text_size(bytes);
    }
    return pieces;
  };
}

PreTokenizer byte_level(const JsonPart& part) {
  std::vector<PreTokenizer> steps;
  if (part["add_prefix_space"].flag_or(true)) {
    steps.push_back(rewriting([](Piece& p) {
      if (!p.text.starts_with(' ')) p.text.insert(0, 1, ' ');
    }));
  }
  if (part["use_regex"].flag_or(true)) {
    steps.push_back(
        at_pattern(Pattern(kWords, false, part.place()), SplitBehavior::Isolated, false));
  }
  steps.push_back(rewriting([](Piece& p) { p.text = byte_letters(p.text); }));
  return in_order(std::move(steps));
}

// Older files say add_prefix_space, with a flag for what "always" and "never" are now.
std::string prepend_scheme(const JsonPart& part) {
  const JsonPart scheme = part["prepend_scheme"];
  if (scheme.is_null()) return part["add_prefix_space"].flag_or(true) ? "always" : "never";
  const std::string& word = scheme.text();
  if (word != "always" && word != "never" && word != "first")
    scheme.fail(fmt::format("is neither always, first nor never: \"{}\"", word));
  return word;
}

PreTokenizer at_metaspaces(const JsonPart& part) {
  const std::string mark = part["replacement"].text_or("\u2581");
  const std::string scheme = prepend_scheme(part);
  const Pattern space(" ", true, part.place()), marks(mark, true, part.place());
  std::vector<PreTokenizer> steps = {rewriting([=](Piece& p) {
    p.text = space.replace(p.text, mark);
    const bool wanted = scheme == "always" || (scheme == "first" && p.at_start);
    if (wanted && !p.text.starts_with(mark)) p.text.insert(0, mark);
  })};
  if (part["split"].flag_or(true))
    steps.push_back(at_pattern(marks, SplitBehavior::MergedWithNext, false));
  return in_order(std::move(steps));
}

char32_t one_code_point(const JsonPart& part) {
  const std::string& text = part.text();
  size_t at = 0;
  const char32_t c = text.empty() ? 0 : next_code_point(text, at);
  if (text.empty() || at != text.size()) part.fail("is not one character");
  return c;
}

}  // namespace

PreTokenizer read_pre_tokenizer(const JsonPart& part) {
  if (part.is_null()) return [](std::vector<Piece> pieces) { return pieces; };
  const std::string& type = part["type"].text();
  if (type == "Sequence") {
    std::vector<PreTokenizer> steps;
    for (const JsonPart& p : part["pretokenizers"].items()) steps.push_back(read_pre_tokenizer(p));
    return in_order(std::move(steps));
  }
  if (type == "ByteLevel") return byte_level(part);
  if (type == "Metaspace") return at_metaspaces(part);
  if (type == "SentencePiece") return read_sentencepiece_text(part);
  if (type == "Split") {
    return at_pattern(read_pattern(part["pattern"]), read_behavior(part["behavior"]),
                      part["invert"].flag_or(false));
  }
  if (type == "Whitespace") {
    return at_pattern(Pattern("\\w+|[^\\w\\s]+", false, part.place()), SplitBehavior::Removed,
                      true);
  }
  if (type == "WhitespaceSplit") return at_code_points(SplitBehavior::Removed, is_white_space);
  if (type == "BertPreTokenizer") {
    return in_order({at_code_points(SplitBehavior::Removed, is_white_space),
                     at_code_points(SplitBehavior::Isolated, is_punctuation)});
  }
  if (type == "Punctuation") {
    const JsonPart behavior = part["behavior"];
    return at_code_points(behavior.is_null() ? SplitBehavior::Isolated : read_behavior(behavior),
                          is_punctuation);
  }
  if (type == "Digits") {
    const bool single = part["individual_digits"].flag_or(false);
    return at_code_points(single ? SplitBehavior::Isolated : SplitBehavior::Contiguous, is_number);
  }
  if (type == "CharDelimiterSplit") {
    const char32_t delimiter = one_code_point(part["delimiter"]);
    return at_code_points(SplitBehavior::Removed, [=](char32_t c) { return c == delimiter; });
  }
  part.fail(fmt::format("is a pre-tokenizer of the unknown kind \"{}\"", type));
}

}  // namespace tg::models

// Dividing a text at what a predicate or a pattern finds, in the five ways of `tokenizers`.
#pragma once

#include <string_view>
#include <vector>

#include "frontend/tokenizer/json_part.h"
#include "frontend/tokenizer/unicode.h"

namespace tg::models {

/// What becomes of a match: it is left out, a piece of its own, part of the piece before it or behind
/// it, or one piece with the matches beside it.
enum class SplitBehavior { Removed, Isolated, MergedWithPrevious, MergedWithNext, Contiguous };

/// "Removed" and so on. FileError for another word.
SplitBehavior read_behavior(const JsonPart& part);

/// A part of a text, and whether it is a match.
struct Part {
  Span span;
  bool is_match;
};

/// The whole text as matches and what lies between them.
std::vector<Part> parts_of(std::string_view text, const std::vector<Span>& matches);

/// The pieces of a text of these parts; none is empty.
std::vector<Span> split(const std::vector<Part>& parts, SplitBehavior behavior);

/// Each code point of which `is_match` holds is a match.
template <typename F>
std::vector<Span> split_at(std::string_view text, SplitBehavior behavior, F is_match) {
  std::vector<Span> matches;
  for (size_t at = 0; at < text.size();) {
    const size_t begin = at;
    if (is_match(next_code_point(text, at))) matches.push_back({begin, at});
  }
  return split(parts_of(text, matches), behavior);
}

}  // namespace tg::models

// See split.h.
#include "frontend/tokenizer/split.h"

#include <fmt/format.h>

#include <algorithm>

namespace tg::models {
namespace {

// Neighbours are joined where `joins(part before, this one)`.
template <typename F>
std::vector<Span> joined(const std::vector<Part>& parts, F joins) {
  std::vector<Span> out;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i > 0 && joins(parts[i - 1], parts[i])) {
      out.back().end = parts[i].span.end;
    } else {
      out.push_back(parts[i].span);
    }
  }
  return out;
}

}  // namespace

SplitBehavior read_behavior(const JsonPart& part) {
  const std::string& word = part.text();
  if (word == "Removed") return SplitBehavior::Removed;
  if (word == "Isolated") return SplitBehavior::Isolated;
  if (word == "MergedWithPrevious") return SplitBehavior::MergedWithPrevious;
  if (word == "MergedWithNext") return SplitBehavior::MergedWithNext;
  if (word == "Contiguous") return SplitBehavior::Contiguous;
  part.fail(fmt::format("is no way to split: \"{}\"", word));
}

std::vector<Part> parts_of(std::string_view text, const std::vector<Span>& matches) {
  std::vector<Part> out;
  size_t done = 0;
  for (const Span& m : matches) {
    if (m.begin > done) out.push_back({{done, m.begin}, false});
    out.push_back({m, true});
    done = m.end;
  }
  if (done < text.size()) out.push_back({{done, text.size()}, false});
  return out;
}

std::vector<Span> split(const std::vector<Part>& parts, SplitBehavior behavior) {
  std::vector<Span> out;
  switch (behavior) {
    case SplitBehavior::Removed:
      for (const Part& p : parts)
        if (!p.is_match) out.push_back(p.span);
      break;
    case SplitBehavior::Isolated:
      for (const Part& p : parts) out.push_back(p.span);
      break;
    case SplitBehavior::MergedWithPrevious:
      out = joined(parts, [](const Part& a, const Part& b) { return !a.is_match && b.is_match; });
      break;
    case SplitBehavior::MergedWithNext:
      out = joined(parts, [](const Part& a, const Part& b) { return a.is_match && !b.is_match; });
      break;
    case SplitBehavior::Contiguous:
      out = joined(parts, [](const Part& a, const Part& b) { return a.is_match == b.is_match; });
      break;
  }
  std::erase_if(out, [](const Span& s) { return s.begin == s.end; });
  return out;
}

}  // namespace tg::models

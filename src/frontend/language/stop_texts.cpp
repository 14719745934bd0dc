// See stop_texts.h.
#include "frontend/language/stop_texts.h"

#include <algorithm>
#include <utility>

namespace tg::models {
namespace {

// How many bytes at the end of a text a word may begin with, itself excepted.
size_t overlap(std::string_view text, std::string_view word) {
  for (size_t n = std::min(text.size(), word.size() - 1); n > 0; --n)
    if (text.ends_with(word.substr(0, n))) return n;
  return 0;
}

}  // namespace

std::string StopTexts::add(std::string_view piece) {
  if (found_) return {};
  held_ += piece;
  size_t end = std::string::npos, held = 0;
  for (const std::string& word : words_) {
    end = std::min(end, held_.find(word));
    held = std::max(held, overlap(held_, word));
  }
  found_ = end != std::string::npos;
  std::string out = held_.substr(0, found_ ? end : held_.size() - held);
  held_.erase(0, found_ ? held_.size() : out.size());
  return out;
}

std::string StopTexts::finish() { return std::exchange(held_, {}); }

}  // namespace tg::models

// See token_trie.h.
#include "frontend/grammar/token_trie.h"

#include <algorithm>
#include <limits>

namespace tg::models::grammar {

TokenTrie::TokenTrie(std::vector<std::pair<std::string, int32_t>> texts) {
  std::erase_if(texts, [](const auto& t) {
    return t.first.empty() || t.first.size() > std::numeric_limits<uint16_t>::max();
  });
  std::ranges::sort(texts);
  std::vector<uint32_t> path;  // the nodes of the last text
  const auto close_to = [&](size_t depth) {
    for (; path.size() > depth; path.pop_back())
      nodes_[path.back()].subtree_end = static_cast<uint32_t>(nodes_.size());
  };
  std::string_view last;
  for (const auto& [text, token] : texts) {
    const size_t common = static_cast<size_t>(std::ranges::mismatch(text, last).in1 - text.begin());
    close_to(common);
    for (size_t i = common; i < text.size(); ++i) {
      path.push_back(static_cast<uint32_t>(nodes_.size()));
      nodes_.push_back({.byte = static_cast<uint8_t>(text[i]),
                        .depth = static_cast<uint16_t>(i + 1),
                        .subtree_end = 0,
                        .first_token = static_cast<uint32_t>(tokens_.size()),
                        .tokens = 0});
    }
    tokens_.push_back(token);
    ++nodes_[path.back()].tokens;
    longest_ = std::max(longest_, text.size());
    last = text;
  }
  close_to(0);
}

}  // namespace tg::models::grammar

// See vocabulary.h.
#include "frontend/tokenizer/vocabulary.h"

#include <algorithm>

namespace tg::models {

void Vocabulary::add(std::string text, int32_t id) {
  ids_.insert_or_assign(text, id);
  texts_.insert_or_assign(id, std::move(text));
  end_ = std::max(end_, id + 1);
}

std::optional<int32_t> Vocabulary::find(std::string_view text) const {
  const auto found = ids_.find(text);
  if (found == ids_.end()) return {};
  return found->second;
}

const std::string* Vocabulary::text(int32_t id) const {
  const auto found = texts_.find(id);
  return found == texts_.end() ? nullptr : &found->second;
}

PrefixIndex::PrefixIndex(std::vector<std::pair<std::string, int32_t>> texts)
    : texts_(std::move(texts)) {
  std::erase_if(texts_, [](const auto& t) { return t.first.empty(); });
  std::stable_sort(texts_.begin(), texts_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  const auto rest = std::ranges::unique(texts_, {}, [](const auto& t) -> const auto& { return t.first; });
  texts_.erase(rest.begin(), rest.end());
}

std::optional<PrefixIndex::Match> PrefixIndex::longest_prefix(std::string_view text) const {
  std::optional<Match> longest;
  for_each_prefix(text, [&](Match m) { longest = m; });
  return longest;
}

// Of texts that agree in `depth` bytes, one of just these bytes comes first.
void PrefixIndex::narrow(uint8_t byte, size_t depth, size_t& low, size_t& high) const {
  if (texts_[low].first.size() == depth) ++low;
  const auto begin = texts_.begin() + static_cast<std::ptrdiff_t>(low);
  const auto end = texts_.begin() + static_cast<std::ptrdiff_t>(high);
  const auto at = [depth](const auto& t) { return static_cast<uint8_t>(t.first[depth]); };
  const auto equal = std::ranges::equal_range(begin, end, byte, {}, at);
  high = static_cast<size_t>(equal.end() - texts_.begin());
  low = static_cast<size_t>(equal.begin() - texts_.begin());
}

}  // namespace tg::models

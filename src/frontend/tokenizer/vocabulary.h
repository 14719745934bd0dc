// Tokens by their text and by their number, and which tokens a text begins with.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tg::models {

class Vocabulary {
 public:
  /// The later of two with one text or one number counts.
  void add(std::string text, int32_t id);

  std::optional<int32_t> find(std::string_view text) const;
  /// Null for a number that no token has.
  const std::string* text(int32_t id) const;
  /// One more than the largest number.
  int32_t end() const { return end_; }
  size_t size() const { return ids_.size(); }

 private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view s) const { return std::hash<std::string_view>()(s); }
  };
  std::unordered_map<std::string, int32_t, Hash, std::equal_to<>> ids_;
  // Not an array: a file may number few tokens as it likes.
  std::unordered_map<int32_t, std::string> texts_;
  int32_t end_ = 0;
};

/// Finds the texts of a list that a text begins with. Sorted texts serve as a trie: those that
/// share a beginning lie side by side, so each further byte narrows a range.
class PrefixIndex {
 public:
  PrefixIndex() = default;
  /// Texts and what each stands for. Empty ones are left out.
  explicit PrefixIndex(std::vector<std::pair<std::string, int32_t>> texts);

  struct Match {
    size_t bytes;
    int32_t id;
  };
  /// Calls `visit(Match)` for each, shortest first. O(length · log(number of texts)).
  template <typename F>
  void for_each_prefix(std::string_view text, F visit) const {
    size_t low = 0, high = texts_.size();
    for (size_t depth = 0; depth < text.size() && low < high; ++depth) {
      narrow(static_cast<uint8_t>(text[depth]), depth, low, high);
      if (low < high && texts_[low].first.size() == depth + 1)
        visit(Match{depth + 1, texts_[low].second});
    }
  }
  std::optional<Match> longest_prefix(std::string_view text) const;
  bool empty() const { return texts_.empty(); }

 private:
  void narrow(uint8_t byte, size_t depth, size_t& low, size_t& high) const;

  std::vector<std::pair<std::string, int32_t>> texts_;
};

}  // namespace tg::models

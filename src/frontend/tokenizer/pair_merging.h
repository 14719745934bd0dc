// The loop that all byte-pair encoders share: of all neighbours that have a merge, those of the
// lowest rank become one, of these the leftmost first, until none has. Sennrich et al. 2016,
// https://arxiv.org/abs/1508.07909. Which neighbours have one: by a list of pairs (bpe.cpp), or all
// whose text together is a token (scored_bpe.cpp). O(n log n) in a piece's length.
#pragma once

#include <cstdint>
#include <optional>
#include <queue>
#include <vector>

#include "frontend/tokenizer/unicode.h"

namespace tg::models {

struct Merge {
  int32_t rank = 0;
  int32_t id = 0;
};

/// A part of the piece, in a list by index; its id may be that of no token.
struct Symbol {
  int32_t id;
  Span span;
  int previous, next;  ///< −1: none
  bool is_merged = false;
  bool is_fixed = false;  ///< has no merges
};

inline void append_symbol(std::vector<Symbol>& symbols, int32_t id, Span span,
                          bool is_fixed = false) {
  const int n = static_cast<int>(symbols.size());
  if (n > 0) symbols.back().next = n;
  symbols.push_back({id, span, n - 1, -1, false, is_fixed});
}

struct MergeCandidate {
  Merge merge;
  int left;
  /// The lowest rank comes out of a queue first, of these the leftmost.
  friend bool operator<(const MergeCandidate& a, const MergeCandidate& b) {
    return a.merge.rank != b.merge.rank ? a.merge.rank > b.merge.rank : a.left > b.left;
  }
};

/// `merge_of(left, right)` is the merge of two neighbours, if they have one.
template <typename F>
void merge_pairs(std::vector<Symbol>& symbols, F merge_of) {
  const auto at = [&](int i) -> Symbol& { return symbols[static_cast<size_t>(i)]; };
  const auto merge_at = [&](int left) -> std::optional<Merge> {
    const int right = at(left).next;
    if (right < 0 || at(left).is_fixed || at(right).is_fixed) return {};
    return merge_of(at(left), at(right));
  };
  std::priority_queue<MergeCandidate> waiting;
  const auto consider = [&](int left) {
    if (left < 0) return;
    if (const auto m = merge_at(left)) waiting.push({*m, left});
  };
  for (int i = 0; i < static_cast<int>(symbols.size()); ++i) consider(i);
  while (!waiting.empty()) {
    const MergeCandidate c = waiting.top();
    waiting.pop();
    Symbol& left = at(c.left);
    const std::optional<Merge> now = left.is_merged ? std::nullopt : merge_at(c.left);
    if (!now || now->id != c.merge.id) continue;  // its neighbours have changed
    Symbol& right = at(left.next);
    right.is_merged = true;
    left.id = now->id;
    left.span.end = right.span.end;
    left.next = right.next;
    if (left.next >= 0) at(left.next).previous = c.left;
    consider(left.previous);
    consider(c.left);
  }
}

}  // namespace tg::models

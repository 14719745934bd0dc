// Facts by node for walks over graphs: a flat table, probed by the hash that every node has. Most
// graphs that are computed one call at a time have a handful of nodes, which are compared one by
// one without a table. Internal; where entries are taken out again a map of the standard library
// does.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "tg/ir/uop.h"

namespace tg {

/// Values by node. Entries move when others are added: pointers to them do not last.
template <typename V>
class NodeTable {
 public:
  NodeTable() { entries_.reserve(kFew); }

  /// The value of a node, null if it has none. O(1).
  V* find(const Node* n) {
    if (slots_.empty()) {
      for (auto& [node, value] : entries_) {
        if (node == n) return &value;
      }
      return nullptr;
    }
    const uint32_t at = slots_[slot_of(n)];
    return at == kFree ? nullptr : &entries_[at].second;
  }

  /// Adds a value; false, and nothing changes, if the node has one. Amortised O(1).
  bool insert(const Node* n, V value) {
    if (find(n) != nullptr) return false;
    entries_.emplace_back(n, std::move(value));
    if (entries_.size() <= kFew) return true;
    if (2 * entries_.size() > slots_.size()) {
      grow();
    } else {
      slots_[slot_of(n)] = static_cast<uint32_t>(entries_.size() - 1);
    }
    return true;
  }

 private:
  static constexpr size_t kFew = 8;
  static constexpr uint32_t kFree = UINT32_MAX;

  // Where the node is, or where it would be.
  size_t slot_of(const Node* n) const {
    const size_t mask = slots_.size() - 1;
    size_t at = static_cast<size_t>(n->hash >> 8) & mask;
    while (slots_[at] != kFree && entries_[slots_[at]].first != n) at = (at + 1) & mask;
    return at;
  }

  void grow() {
    slots_.assign(slots_.empty() ? 8 * kFew : 2 * slots_.size(), kFree);
    for (size_t i = 0; i < entries_.size(); ++i)
      slots_[slot_of(entries_[i].first)] = static_cast<uint32_t>(i);
  }

  std::vector<std::pair<const Node*, V>> entries_;  // in the order in which they came
  std::vector<uint32_t> slots_;  // places of entries; a power of two, at most half full
};

}  // namespace tg

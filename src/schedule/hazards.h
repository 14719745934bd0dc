// In which order kernels run, so that each finds its inputs and none overwrites what another still
// reads. Versions of a storage are nodes (AFTER): a reader of a version runs after the store that
// made it and before the store that replaces it. Where these edges close a cycle, an old version
// must be copied: which one is the scheduler's choice (schedule.cpp). Internal to src/schedule.
#pragma once

#include <vector>

#include "schedule/schedule.h"

namespace tg {

/// A kernel or copy that has no place yet.
struct PendingItem {
  ScheduleItem item;
  const Node* root = nullptr;      ///< what is computed: a value, or the STORE
  const Node* makes = nullptr;     ///< the node whose value exists once this and its parts have run
  const Node* replaces = nullptr;  ///< the version that a store overwrites
  int part = 0;                    ///< of a value that takes several kernels
  std::vector<const Node*> reads;  ///< stored values and versions, as named in the graph
};

/// `reader` needs `version`, and the store that replaces it must run first.
struct Hazard {
  size_t reader;
  const Node* version;
};

/// An order of the items (stable: ties by index); if there is none, the hazards of one cycle, of
/// which one must go.
struct ItemOrder {
  std::vector<size_t> order;
  std::vector<Hazard> cycle;
};

/// O(items + reads).
ItemOrder order_items(std::span<const PendingItem> items);

/// For each item those that must wait for it, some of them more than once.
std::vector<std::vector<size_t>> users_of(std::span<const PendingItem> items);

/// Raises ArgumentError if two stores replace the same version: then "the" contents do not exist.
void check_versions(std::span<const Node* const> order);

}  // namespace tg

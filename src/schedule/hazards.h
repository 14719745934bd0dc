// In which order kernels run, so that each finds its inputs and none overwrites what another still
// reads. Versions of a storage are nodes (AFTER): a reader of a version runs after the store that
// made it and before the store that replaces it. Where these edges close a cycle, an old version
// must be copied: which one is the scheduler's choice (schedule.cpp). Internal to src/schedule.
#pragma once

#include <vector>

#include "schedule/pending.h"

namespace tg {

/// `reader` needs `version`, and the store that replaces it must run first.
struct Hazard {
  size_t reader;
  const Node* version;
};

/// For each item those that must wait for it: readers of what it makes, and the store that replaces
/// a version that it reads. O(items + reads).
std::vector<std::vector<size_t>> users_of_items(std::span<const PendingItem> items);
/// An order in which the items can run (stable: ties by index). There must be no cycle.
std::vector<size_t> launch_order(std::span<const PendingItem> items);
/// The hazards of one cycle, of which one must go; empty if there is an order.
std::vector<Hazard> find_cycle(std::span<const PendingItem> items);

/// Raises ArgumentError if two stores replace the same version: then "the" contents do not exist.
void check_versions(std::span<const Node* const> order);

}  // namespace tg

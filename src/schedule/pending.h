// A kernel on its way into the schedule: what it reads and makes, as versions of values. Internal
// to src/schedule.
#pragma once

#include <vector>

#include "schedule/schedule.h"

namespace tg {

/// One launch before the order is fixed. Versions are nodes of the tensor graph.
struct PendingItem {
  ScheduleItem item;
  std::vector<const Node*>
      reads;                   ///< materialised nodes, storage and versions, as named in the graph
  const Node* root = nullptr;  ///< what is computed: a value, or the STORE
  int part = 0;                ///< of a value that takes several kernels
  const Node* makes =
      nullptr;  ///< the node whose value exists once this and its other parts have run
  const Node* replaces = nullptr;  ///< the version that a store overwrites
};

}  // namespace tg

// Barriers between the work-items of a group, placed by dependence in the finished list: where an
// work-item may read what another wrote, or overwrite what another may still read. One barrier
// serves all that wait for it, and what a loop waits for is waited for before the loop.
#pragma once

#include <span>
#include <vector>

#include "tg/ir/uop.h"

namespace tg {

/// Scratch that keeps the copies of `depth` steps of the loop of `loop`, a RANGE: a step reads the
/// slot of its own, and writes that of the step `ahead` later. Outside the loop accesses may be to
/// any slot.
struct RingArray {
  const Node* array;
  const Node* loop;
  int64_t depth;
  int64_t ahead = depth - 1;
};

/// `list` with barriers; as it is if it has no work-item ranges. Work-items share scratch, and the
/// parameters `shared`: those that a store of work-item 0 alone writes. Throws ArgumentError if a
/// barrier were needed where work-items part ways. O(nodes · depth of loops), a few times.
std::vector<UOp> place_barriers(std::vector<UOp> list, std::span<const Node* const> shared,
                                std::span<const RingArray> rings = {});

}  // namespace tg

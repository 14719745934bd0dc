// A part of a kernel's work: its loops over a stretch of the places that they run over, and arrays
// that hold no more than that stretch. Which kernels are cut, and why: src/schedule/slice_items.h.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "tg/ir/uop.h"

namespace tg {

/// The loops by which every access to the array walks its first `dims` dimensions, one a dimension;
/// null for a dimension of one element. Empty if an index is more than a loop, or if one of the
/// loops is summed over, runs in order, or does not enclose all that the kernel stores.
std::optional<std::vector<const Node*>> leading_loops(const UOp& kernel, int slot, size_t dims);

/// A stretch of the places of a loop.
struct LoopPart {
  const Node* loop = nullptr;  ///< null: a dimension of one element
  int64_t begin = 0, length = 1;
};

/// The kernel over `parts` of its loops. The arrays of `own` slots, whose first dimensions these
/// loops walk (leading_loops), hold those parts alone. O(nodes).
UOp kernel_slice(const UOp& kernel, std::span<const LoopPart> parts, std::span<const int> own);

}  // namespace tg

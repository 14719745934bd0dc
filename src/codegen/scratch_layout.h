// How a copy lies in the scratch of a group, so that its items do not wait for each other: memory
// that items share is in banks, each of which serves one word at a time. Which copies there are:
// stage.h.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tg {

/// One access of all items of a subgroup to a copy.
struct ScratchAccess {
  std::vector<std::vector<int64_t>> place;  ///< by dimension, by item: the index of its first lane
  int lanes = 1;                            ///< consecutive elements of the innermost dimension
  int64_t times = 1;                        ///< such accesses of an item
};

/// The order of the dimensions, outermost first, and elements that make the innermost one longer.
struct ScratchLayout {
  std::vector<size_t> order;
  int64_t padding = 0;
};

/// Turns of the banks that `access` takes in `layout`: as many words as the fullest bank is asked
/// for, for each part of the subgroup that is served together. Words that several items want count
/// once.
int64_t bank_turns(const ScratchLayout& layout, std::span<const int64_t> extents,
                   int64_t element_bytes, const ScratchAccess& access);

/// Turns of all accesses of an item: Σ times · turns.
int64_t layout_cost(const ScratchLayout& layout, std::span<const int64_t> extents,
                    int64_t element_bytes, const ScratchAccess& read, const ScratchAccess& write);

/// The layout of the least cost, among those the one that is shortest. `innermost` is the dimension that must be innermost, −1 for any: lanes
/// run along it. O(dimensions · items).
ScratchLayout choose_layout(std::span<const int64_t> extents, int64_t element_bytes, int innermost,
                            const ScratchAccess& read, const ScratchAccess& write);

}  // namespace tg

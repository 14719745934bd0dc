// How a copy lies in the scratch of a group, without bank conflicts where that can be had: memory
// that work-items share is in banks, each of which serves one word at a time. Which copies there
// are: stage.h.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tg {

/// One access of all work-items of a subgroup to a copy.
struct ScratchAccess {
  std::vector<std::vector<int64_t>> place;  ///< by dimension, by work-item: index of its first lane
  int lanes = 1;                            ///< consecutive elements of the innermost dimension
  int64_t times = 1;                        ///< such accesses of a work-item
};

/// The order of the dimensions, outermost first, and what makes the innermost one longer, and the
/// one around it, where there is another outside that.
struct ScratchLayout {
  std::vector<size_t> order;
  int64_t padding = 0;  ///< elements
  int64_t rows = 0;     ///< rows of them

  /// Places of the order's i-th dimension, with what makes it longer.
  int64_t extent(size_t i, std::span<const int64_t> extents) const {
    return extents[order[i]] + (i + 1 == order.size() ? padding : i + 2 == order.size() ? rows : 0);
  }
};

/// Memory transactions of `access` in `layout`: one for each part of the subgroup that is served
/// together, n where its accesses conflict n ways, which is the number of different words in the
/// fullest bank.
int64_t bank_transactions(const ScratchLayout& layout, std::span<const int64_t> extents,
                          int64_t element_bytes, const ScratchAccess& access);

/// Transactions of all accesses of a work-item: Σ times · transactions.
int64_t layout_cost(const ScratchLayout& layout, std::span<const int64_t> extents,
                    int64_t element_bytes, const ScratchAccess& read, const ScratchAccess& write);

/// The layout of the least cost, the shortest one among equals. `innermost` is the dimension that
/// lanes run along, which must be innermost; −1 for any. O(dimensions · work-items).
ScratchLayout choose_layout(std::span<const int64_t> extents, int64_t element_bytes, int innermost,
                            const ScratchAccess& read, const ScratchAccess& write);

}  // namespace tg

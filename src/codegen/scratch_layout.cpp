// See scratch_layout.h.
#include "codegen/scratch_layout.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace tg {
namespace {

// What graphics processors have, of every vendor.
constexpr int64_t kBanks = 32, kWordBytes = 4;

// Different words in the fullest bank: 1 if the work-items of the part have no conflict.
int64_t conflict_ways(std::span<const int64_t> first_words, int64_t words) {
  std::vector<std::set<int64_t>> bank(kBanks);
  for (int64_t first : first_words) {
    for (int64_t w = first; w < first + words; ++w) bank[static_cast<size_t>(w % kBanks)].insert(w);
  }
  size_t most = 0;
  for (const std::set<int64_t>& b : bank) most = std::max(most, b.size());
  return static_cast<int64_t>(most);
}

}  // namespace

int64_t bank_transactions(const ScratchLayout& layout, std::span<const int64_t> extents,
                          int64_t element_bytes, const ScratchAccess& access) {
  const size_t work_items = access.place.front().size();
  std::vector<int64_t> at(work_items, 0);
  int64_t stride = 1;
  for (size_t i = layout.order.size(); i-- > 0;) {
    const size_t d = layout.order[i];
    for (size_t work_item = 0; work_item < work_items; ++work_item)
      at[work_item] += access.place[d][work_item] * stride;
    stride *= layout.extent(i, extents);
  }
  for (int64_t& a : at) a = a * element_bytes / kWordBytes;
  const int64_t words = std::max<int64_t>(1, access.lanes * element_bytes / kWordBytes);
  const auto part = static_cast<size_t>(std::max<int64_t>(1, kBanks / words));
  int64_t transactions = 0;
  for (size_t first = 0; first < work_items; first += part)
    transactions +=
        conflict_ways(std::span(at).subspan(first, std::min(part, work_items - first)), words);
  return transactions;
}

int64_t layout_cost(const ScratchLayout& layout, std::span<const int64_t> extents,
                    int64_t element_bytes, const ScratchAccess& read, const ScratchAccess& write) {
  return read.times * bank_transactions(layout, extents, element_bytes, read) +
         write.times * bank_transactions(layout, extents, element_bytes, write);
}

ScratchLayout choose_layout(std::span<const int64_t> extents, int64_t element_bytes, int innermost,
                            const ScratchAccess& read, const ScratchAccess& write) {
  constexpr int64_t kPaddings[] = {0, 1, 2, 4, 8}, kMostRows = 1;
  const int64_t unit = std::max(read.lanes, write.lanes);
  ScratchLayout best;
  std::tuple<int64_t, int64_t, int64_t> least;
  for (size_t last = extents.size(); last-- > 0;) {
    if (innermost >= 0 && last != static_cast<size_t>(innermost)) continue;
    ScratchLayout layout;
    for (size_t d = 0; d < extents.size(); ++d) {
      if (d != last) layout.order.push_back(d);
    }
    layout.order.push_back(last);
    for (const int64_t padding : kPaddings) {
      if (padding > 0 && extents.size() == 1) break;
      layout.padding = padding * unit;
      for (layout.rows = 0; layout.rows <= (extents.size() > 2 ? kMostRows : 0); ++layout.rows) {
        const std::tuple cost(layout_cost(layout, extents, element_bytes, read, write), layout.rows,
                              padding);
        if (!best.order.empty() && cost >= least) continue;
        best = layout;
        least = cost;
      }
    }
  }
  return best;
}

}  // namespace tg

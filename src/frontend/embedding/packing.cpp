// See packing.h.
#include "frontend/embedding/packing.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace tg::models {

std::vector<PackedRow> packed(std::span<const int64_t> lengths, int64_t room, size_t most) {
  std::vector<size_t> order(lengths.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, [&](size_t a, size_t b) { return lengths[a] > lengths[b]; });
  std::vector<PackedRow> rows;
  std::multimap<int64_t, size_t> open;  // rows by the room that they have left
  for (const size_t text : order) {
    const auto found = open.lower_bound(lengths[text]);
    size_t row = rows.size();
    if (found == open.end()) {
      rows.emplace_back();
    } else {
      row = found->second;
      open.erase(found);
    }
    rows[row].texts.push_back(text);
    rows[row].tokens += lengths[text];
    if (rows[row].tokens < room && rows[row].texts.size() < most)
      open.emplace(room - rows[row].tokens, row);
  }
  return rows;
}

}  // namespace tg::models

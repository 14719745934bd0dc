// Which texts are computed together: as many as fit into one row of tokens, without gaps. The call
// that computes a row: text_encoder.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tg::models {

/// Texts that stand in one row, by their numbers, and how many tokens they have.
struct PackedRow {
  std::vector<size_t> texts;
  int64_t tokens = 0;
};

/// Texts of these lengths, 1 or more, in rows of `room` tokens and `most` texts at most; a longer
/// text has a row of its own. The longest come first, each into the fullest row that has room
/// ("best fit decreasing": at most 11/9 of the fewest rows that are possible, and one more).
/// O(n log n).
std::vector<PackedRow> packed(std::span<const int64_t> lengths, int64_t room, size_t most);

}  // namespace tg::models

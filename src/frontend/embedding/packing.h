// Which texts are computed together: as many as fit into one row of tokens, without gaps; and how
// many tokens a row has. The calls that compute rows: text_encoder.cpp, frontend/clip/clip.cpp.
#pragma once

#include <cstdint>
#include <functional>
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

/// Rows have 16, 32, 64, … tokens, and fewer take the next larger one: kernels of a fixed number of
/// rows are faster than those of a variable one.
inline constexpr int64_t kLeastRow = 16;
/// Short texts are put together up to so many tokens: products are large enough to be fast, and
/// attention, which grows with the square, is still a small part.
inline constexpr int64_t kUsualRow = 256;

/// Texts for which a row of so many tokens has room.
int64_t texts_of(int64_t row);
/// Tokens of the row in which so many stand; `longest`: tokens of a text at most.
int64_t row_for(int64_t tokens, int64_t longest);
/// The same for texts that are packed.
int64_t row_of(const PackedRow& packed, int64_t longest);

/// The vectors of texts, given as tokens, one after the other: [texts, size]. `of_row` gives those
/// of a row, first the vectors of its texts; no tokens are a vector of zeros. `progress` is called
/// with the number of texts that are done.
std::vector<float> row_by_row(std::span<const std::vector<int32_t>> texts, int64_t size,
                              const std::function<std::vector<float>(const PackedRow&)>& of_row,
                              const std::function<void(int64_t done)>& progress);

}  // namespace tg::models

// A factor of a product in scratch, as a matrix unit reads it there: which element of the array is
// which of the factor. The layout: SwizzledRows in src/target/matrix_unit.h.
#pragma once

#include <cstdint>

#include "target/matrix_unit.h"

namespace tg::interp {

/// [lines, terms] of a factor, lines being rows of the first and columns of the second.
struct ScratchFactor {
  int64_t start;       ///< of the array, in elements: line 0, term 0, before the change of places
  int64_t block_rows;  ///< rows of a block
  bool across;         ///< rows of 128 bytes run along lines, not along terms
  SwizzledRows rows;

  /// The element's index in the array.
  int64_t place(int64_t line, int64_t term) const {
    const int64_t row = start / rows.row(), column = start % rows.row();
    if (!across) return rows.place((row + line) * rows.row() + column + term);
    const int64_t along = column + line;
    const int64_t to = row + term + along / rows.row() * block_rows;
    return rows.place(to * rows.row() + along % rows.row());
  }

  /// Whether it starts where the unit can begin to read: at a piece of a row that is the first of
  /// eight, with all of its terms in the row, or at a row's beginning.
  bool is_aligned(int64_t terms) const {
    const int64_t row = start / rows.row(), column = start % rows.row();
    const bool eight = row % SwizzledRows::kRepeatRows == 0;
    if (across) return eight && column == 0;
    return eight && column % rows.piece() == 0 && column + terms <= rows.row();
  }
};

}  // namespace tg::interp

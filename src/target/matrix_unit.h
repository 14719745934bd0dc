// Matrix units: instructions by which the work-items of a subgroup multiply two small matrices and
// add a third, each work-item holding a few elements of every one. Instructions of processors are
// units too, of subgroups of one work-item: dot instructions, whose columns are the lanes of a
// vector, and those of tile registers, which hold a matrix each. A unit is data: which element lies
// where. The opt that uses one (opt_matrix in
// src/kernel/kernel_schedule.h), the layouts of staged copies, the interpreter and the functions of
// the renderers are all made from it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tg/dtype.h"

namespace tg {

/// Of a product [m, k] · [k, n] → [m, n].
enum class MatrixAxis : uint8_t { M, N, K };

/// One bit of an element's index along an axis.
struct FragmentBit {
  MatrixAxis axis;
  int bit;
  friend bool operator==(const FragmentBit&, const FragmentBit&) = default;
};

/// Where the elements of a matrix lie in a subgroup: bit i of a work-item's number in its subgroup
/// is the index bit `lane[i]`, bit i of the number of one of its registers is `reg[i]`.
struct FragmentMap {
  std::vector<FragmentBit> lane, reg;

  int64_t lanes() const { return int64_t{1} << lane.size(); }
  /// Elements that each work-item holds.
  int64_t registers() const { return int64_t{1} << reg.size(); }
  /// Index along `axis` of the element in register `r` of work-item `l`; 0 along the axis that the
  /// matrix does not have.
  int64_t index(MatrixAxis axis, int64_t l, int64_t r) const;
};

/// One instruction. Sums of floats are of products that are exact in float32; those of integers
/// wrap.
struct MatrixUnit {
  std::string name;   ///< "m16n8k16_f16"; dialects define tg_mma_<name>
  DType input, sum;   ///< of the first factor's elements, and of the result's
  bool rounds_input;  ///< to fewer bits than `input` has
  int m, n, k;        ///< powers of two
  FragmentMap a, b, c;
  DType second = input;  ///< of the second factor's elements
  /// The unit reads its factors from scratch by itself, while the work-items go on (MMA_ASYNC):
  /// `a` and `b` are empty, and the factors lie in swizzled rows, see SwizzledRows.
  bool reads_scratch = false;

  int64_t lanes() const { return c.lanes(); }
  /// An instruction of a processor: one work-item has all of the three matrices.
  bool is_of_one() const { return lanes() == 1; }
  /// Of vectors: a dot instruction.
  bool is_dot() const { return is_of_one() && m == 1; }
  /// Of tile registers.
  bool is_tile() const { return is_of_one() && m > 1; }
  /// Terms of a column that lie side by side in the second factor, if one work-item has it.
  int64_t terms_together() const;
  /// Whether the factors' elements are of two types: which is which decides.
  bool tells_factors_apart() const { return second != input; }
  int extent(MatrixAxis axis) const {
    return axis == MatrixAxis::M ? m : axis == MatrixAxis::N ? n : k;
  }
};

/// How a factor lies in scratch for a unit that reads it there: rows of 128 bytes, along K or along
/// M or N, in blocks that lie one behind the other. Of a factor whose rows run along K, [m, k], a
/// row is one m and a block the terms [64·b, 64·b + 64) of 2 bytes each of all m; of one whose rows
/// run along N, [k, n], a row is one k and a block 64 columns. The eight pieces of 16 bytes of a
/// row change places by its number, so that eight rows' pieces of one column lie in different
/// banks: piece p of row r is the (p xor r mod 8)th. Arrays start at multiples of kSwizzleBytes.
/// The PTX manual, "Matrices in shared memory for wgmma.mma_async": the 128-byte swizzle.
struct SwizzledRows {
  static constexpr int64_t kRowBytes = 128, kPieceBytes = 16, kRepeatRows = 8;
  static constexpr int64_t kSwizzleBytes = kRowBytes * kRepeatRows;  ///< after which it repeats

  int64_t element_bytes;

  int64_t row() const { return kRowBytes / element_bytes; }          ///< elements
  int64_t piece() const { return kPieceBytes / element_bytes; }      ///< elements
  int64_t repeats() const { return kSwizzleBytes / element_bytes; }  ///< elements
  /// Where the element lies that without the change of places would be at `index`, in elements.
  int64_t place(int64_t index) const { return index ^ (index / row() % kRepeatRows) * piece(); }
};

/// All units that are known. Their addresses stay.
std::span<const MatrixUnit> matrix_units();
/// The unit of this name, or null.
const MatrixUnit* find_matrix_unit(std::string_view name);

}  // namespace tg

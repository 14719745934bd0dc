// One dimension of the box that a copy of an operand covers (stage.h): what of its index is outside
// and inside, and what lies together in the copy for the instructions of a matrix unit. The copy's
// loops and its place in memory are made in stage.cpp.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <span>
#include <vector>

#include "codegen/scheduled_kernel.h"
#include "kernel/affine.h"
#include "rules/bounds.h"
#include "tg/ir/uop.h"

namespace tg {

/// One dimension of the array, split into where the box starts and the place inside it; or one of
/// several for a dimension whose elements are read far apart (sparse_parts).
struct StagedDimension {
  size_t of = 0;     // which dimension of the array
  int64_t step = 1;  // between neighbours in the copy, in elements along the array's dimension
  Affine outer;      // terms outside the copy, and the lowest inner offset
  Affine inner;      // terms inside in steps, shifted so that the lowest value is 0
  int64_t extent = 1;
  UOp place;  // what the copy's leaves stand for; empty if the extent is 1
  bool has_lanes = false;
  bool is_row = false;  // of a tile register
  // Of a processor's instruction: how many neighbours it takes together, which lie innermost in the
  // copy.
  int64_t together = 1;
  Affine taken;        // of the unit's leaves: which of them
  UOp groups, member;  // leaves of the copy
  // Of the columns that tile registers have: how many a register has, which the copy keeps
  // together, and where in the copy an element of this dimension is.
  int64_t block = 1;
  UOp block_place, column;

  /// Whether `taken` counts it.
  bool is_taken(const UOp& term) const;
  /// Where in the copy the operand's reads are: which group, which block, and which column of it.
  Affine groups_read() const;
  Affine blocks_read() const;
  Affine column_read() const;
};

/// A term of an index: `coef` times each of 0 … extent − 1.
struct Reach {
  int64_t coef, extent;
  /// Elements from the first to the last.
  int64_t span() const { return saturating_mul(std::abs(coef), std::max<int64_t>(extent, 1) - 1); }
};

/// Terms as groups, which `reaches` numbers: the members of one overlap or touch, the next group
/// steps over all that it reaches. The groups of small steps come last.
std::vector<std::vector<size_t>> groups_of_steps(std::span<const Reach> reaches);

/// Elements of a copy along a dimension whose index is a sum of such terms: those of all groups, or
/// all between the first and the last if they are little more, for a dense box is copied by
/// vectors. 256·i + j with i < 4, j < 16 is 4 × 16 elements of the 784.
int64_t copied_elements(std::span<const Reach> reaches);

/// The dimension as parts that hold copied_elements(), the contiguous one last.
std::vector<StagedDimension> sparse_parts(const ScheduledKernel& k, const StagedDimension& d);

}  // namespace tg

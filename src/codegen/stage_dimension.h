// One dimension of the box that a copy of an operand covers (stage.h): what of its index is outside
// and inside, and what lies together in the copy for the instructions of a matrix unit. The copy's
// loops and its place in memory are made in stage.cpp.
#pragma once

#include "kernel/affine.h"
#include "tg/ir/uop.h"

namespace tg {

/// One dimension of the array, split into where the box starts and the place inside it.
struct StagedDimension {
  Affine outer;  // terms outside the copy, and the lowest inner offset
  Affine inner;  // terms inside, shifted so that the lowest value is 0
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

}  // namespace tg

// Where the elements of a copy lie: the order of its dimensions, for lanes, tiles and fragments
// that read it, and for work-items that share banks of memory. What the copy covers and the loops
// that fill it: stage.h. Costs of layouts: scratch_layout.h.
#pragma once

#include <span>

#include "codegen/scheduled_kernel.h"
#include "codegen/scratch_layout.h"
#include "codegen/stage_dimension.h"

namespace tg {

/// Leaves that the reads of a copy of these dimensions depend on.
LeafSet leaves_of_reads(const ScheduledKernel& k, std::span<StagedDimension* const> dims);

/// A copy whose layout is asked for: its dimensions of more than one element, or the last one.
struct CopyInMemory {
  const ScheduledKernel& k;
  std::span<StagedDimension* const> dims;
  DType element;
  int lanes;         ///< of an access
  int64_t subgroup;  ///< work-items that access memory together
};

/// Whether work-items that copy `writes` elements each should copy whole vectors: rows of these
/// start at few banks, and reads across them may lose more than copies of single elements take.
bool vectors_pay(const CopyInMemory& copy, int64_t writes);

/// The best order of the dimensions, and what makes them longer: as in the array, but the dimension
/// of the lanes last, and a tile's rows one behind the other; as work-items suffer least from each
/// other, where there are any, who copy `writes` elements each, by `vectors` or one by one.
ScratchLayout best_layout(const CopyInMemory& copy, bool vectors, int64_t writes);

}  // namespace tg

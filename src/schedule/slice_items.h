// Kernels in slices: where kernels hand values to each other that no cache holds, as the scores of
// an attention are, all of them run for a part of an axis that they share, then for the next part.
// What is handed over is as large as a part, stays in the cache, and needs no more memory. Kernels
// that become one: merge_kernels.h; loops of one kernel: src/codegen.
#pragma once

#include <vector>

#include "schedule/schedule.h"

namespace tg {

/// Cuts neighbouring items into slices, for targets that run chunks on threads: along the first
/// dimensions of the temporaries between them, each of which all of these items walk by a loop.
/// Only where what they hand over does not fit in the caches of the cores and is more than what
/// they read and write else, and where arrays that every slice reads again cost less than that.
/// Slices differ in where their arrays begin, so that they share their programs (window_form.h).
/// `kept[b]` says that buffer b is needed after the items have run; `keep` holds new storage.
/// Slices are logged at DEBUG=3. O(items · nodes + slices · nodes).
void slice_items(std::vector<ScheduleItem>& items, std::vector<ScheduledBuffer>& buffers,
                 const std::vector<bool>& kept, std::vector<UOp>& keep, const Target& target);

}  // namespace tg

// Which axes are the work-items of a group. Local axes that no value depends on together (the
// columns that each pass over a row runs over) stand for the same work-items, so that a row of
// softmax is one group. The meaning of work-items in linear code: linear.h; where they are waited
// for: barriers.h.
#pragma once

#include "codegen/scheduled_kernel.h"

namespace tg {

/// Fills `k.work_items` and Leaf::work_items. Throws ArgumentError if the target has no work-items,
/// or fewer in a group than the axes need. O(nodes · Local leaves).
void share_work_items(ScheduledKernel& k, const Target& target);

}  // namespace tg

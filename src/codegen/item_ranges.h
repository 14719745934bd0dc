// Which axes are the work-items of a group. Local axes that no value depends on together (the
// columns that each pass over a row runs over) stand for the same items, so that a row of softmax
// is one group. The meaning of items in linear code: linear.h; where they are waited for:
// barriers.h.
#pragma once

#include "codegen/scheduled_kernel.h"

namespace tg {

/// Fills `k.items` and Leaf::items. Throws ArgumentError if the target has no work-items, or fewer
/// in a group than the axes need. O(nodes · Local leaves).
void share_items(ScheduledKernel& k, const Target& target);

}  // namespace tg

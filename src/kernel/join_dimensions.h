// Arrays of fewer dimensions: where an index is the quotient and its neighbour the remainder of one
// number, the two dimensions are one, indexed by that number. A tensor that is flattened, cut
// and read in order is read in order again. Loops that walk an array's dimensions as one:
// merge_axes.h; ranges that are split where quotients are sums of them: refine_ranges.h.
#pragma once

#include "tg/ir/uop.h"

namespace tg {

/// An equal kernel in which neighbouring dimensions of an array are one wherever all its accesses
/// lose divisions or remainders by that. Returns `kernel` itself if there are none. O(nodes ·
/// dimensions).
///
///     x[i div 7, i mod 7] of x: [5, 7] → x[i] of x: [35]
UOp join_dimensions(const UOp& kernel);

}  // namespace tg

// Bounds of the integers of a kernel, by the interval rules of the op records: enough to see that
// an index is not negative, so that floor division becomes plain division.
#pragma once

#include <unordered_map>

#include "codegen/linear.h"

namespace tg {

/// Interval of every integer value in `ops`; nodes without one are unbounded. O(nodes).
std::unordered_map<const Node*, Interval> c_bounds(std::span<const UOp> ops);

/// Whether every Index of a kernel with these bounds is an Int32.
bool indices_are_narrow(std::span<const UOp> ops,
                        const std::unordered_map<const Node*, Interval>& bounds);

}  // namespace tg

// Sums of products over a variable number of terms: what says where they end moves from the product
// to its factors, so that these are arrays with zeros behind their ends, which a contraction
// (codegen/heuristics_contraction.cpp) copies, and the sum is one of products. Where loops end
// because of a gate: codegen/loop_limits.h.
#pragma once

#include "tg/ir/uop.h"

namespace tg {

/// An equal kernel in which Σ where(c, a·b, 0) is Σ where(c, a, 0)·where(c, b, 0), if c compares
/// indices alone and each factor depends on all that c names, and a and b each on a loop that is
/// not reduced and that the other does not depend on: outside c both are 0, so their product is.
/// Returns `kernel` itself if there is no such sum. O(nodes) a sum.
UOp gate_factors(const UOp& kernel);

}  // namespace tg

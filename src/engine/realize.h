// Values of a tensor graph, computed: scheduling, compilation and launches behind one call.
#pragma once

#include <span>
#include <vector>

#include "uop/uop.h"

namespace tg {

/// Computes the roots (any nodes of tensor graphs). `realized[i]` is the node that now holds the
/// value of `roots[i]`: a BUFFER, or a view of one, of equal shape; constants stay themselves.
void realize(std::span<const UOp> roots, std::vector<UOp>& realized);

}  // namespace tg

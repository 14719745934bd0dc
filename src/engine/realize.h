// Values of a tensor graph, computed: scheduling, compilation and launches behind one call. The parts are compile.h (kernel to
// program) and counters.h (what was run).
#pragma once

#include <span>
#include <vector>

#include "uop/uop.h"

namespace tg {

/// Computes the roots (any nodes of tensor graphs). `realized[i]` is the node that now holds the value of `roots[i]`: a BUFFER, or a
/// view of one, of equal shape. Nodes without a device run on the default one. Schedules and programs are cached by structure: the
/// same graph over other buffers schedules and compiles nothing.
/// Throws DeviceError (no device, compiler or memory), ArgumentError (a value is needed that was overwritten in place).
void realize(std::span<const UOp> roots, std::vector<UOp>& realized);

}  // namespace tg

// From the loop tree to the linear list: loops are opened, values are made once per point of the
// unrolled axes with lanes as vectors, reductions become carried values or scratch accumulators,
// tails become smaller instances of a body. What may appear in the list is stated in linear.h.
#pragma once

#include "codegen/linear.h"
#include "codegen/loop_tree.h"

namespace tg {

/// Fills ops, chunks and scratch_bytes of `out`.
void emit_linear(const ScheduledKernel& kernel, const LoopTree& tree, const Target& target,
                 LinearKernel& out);

}  // namespace tg

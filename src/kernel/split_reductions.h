// Large reductions to few results, and contractions of many terms to not many more, split so that
// all cores have work: parts of the reduced range are reduced side by side into a workspace, then
// the parts are combined. Each step is a kernel of its own, a phase; one launch runs them in order.
// The sizes depend on shapes and on whether kernels have work-items, never on the number of
// threads, so that results are the same on every machine of a kind. Run after merge_axes.h.
#pragma once

#include "kernel/kernel_phases.h"
#include "target/target.h"

namespace tg {

/// The phases of a kernel graph: one, the kernel itself, unless it has such a reduction. A
/// reduction whose argument holds another reduction's result waits for it: each depth is a phase.
/// Arrays and workspaces together are at most `target.max_arrays`: reductions without room for a
/// workspace stay whole.
KernelPhases split_reductions(const UOp& kernel, const Target& target);

}  // namespace tg

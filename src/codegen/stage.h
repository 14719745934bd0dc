// STAGE: the tile of an operand that a kernel reads often is copied into scratch first. Here the
// graph gets the copy: its loops as leaves of its own, and reads of the copy in place of reads of
// the operand. Where the copy's code goes is loop_tree.h; when a copy pays, the heuristics.
#pragma once

#include "codegen/scheduled_kernel.h"

namespace tg {

/// Replaces `operand`, what became of `staging.operand` in `k.sink`, by a read of a copy of what
/// `load`, what became of its staged_load(), reads, or of what is computed of it; the copy is made
/// inside the first `staging.level` loops (see Staging), and returns that. Work-items share the
/// making of a copy: `k.work_items`, `k.deps` and what `k.product` has before its factors are found
/// must be there, and the dependences are computed again after the last copy. Throws ArgumentError
/// for a load whose index is not affine in what the copy covers, that has a gate of its own, or
/// whose copy is too large; and where copies of several steps are to be kept, if they do not change
/// from step to step.
UOp stage_operand(ScheduledKernel& k, const UOp& operand, const UOp& load, const Staging& staging,
                  const Target& target);

}  // namespace tg

// How many vectors a kernel computes together for the quotients of what its lanes count
// (kernel/lane_turns.h). Internal to codegen.
#pragma once

#include "codegen/kernel_facts.h"

namespace tg {

/// Vectors of `lanes` along `base` until all quotients and remainders in the kernel's indices begin
/// again; 1 where some never do within reason, or all are the same in every lane of a vector.
int64_t quotient_turns(const KernelFacts& facts, const BaseRange& base, int lanes);

}  // namespace tg

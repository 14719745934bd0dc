// What a lowered kernel does to its arguments, and which of them it may store past the caches. How
// that is spelled: the renderers.
#pragma once

#include "codegen/linear.h"
#include "kernel/kernel_schedule.h"
#include "target/target.h"

namespace tg {

/// Bytes of the largest array of which something is left in the last cache when it is written: half
/// of that cache, for what is read beside it takes the other half; and no more than 32 MiB, for a
/// last level that is larger serves other processors, too.
int64_t most_cached_bytes(const Target& target);

/// Uses of the arguments of `kernel`, of which `schedule` made `ops`, by slot. Results are streamed
/// whose lines are written from end to end, not read, and larger than most_cached_bytes(); where a
/// step writes many lines that are apart, than four times level 2: no hardware fetches these ahead,
/// and each would be waited for, only to be overwritten. A vector of half a line or a quarter will
/// do where what is written next is the rest of the line: processors put these together.
std::vector<ParamUse> param_uses(const std::vector<UOp>& ops, const UOp& kernel,
                                 const KernelSchedule& schedule, const Target& target);

}  // namespace tg

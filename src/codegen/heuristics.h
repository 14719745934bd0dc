// The schedule of a kernel without search, from the target's facts. Three families, by what the
// kernel does: contractions (heuristics_contraction.cpp), other reductions, elementwise
// (heuristics.cpp). The Opts are src/kernel/kernel_schedule.h.
#pragma once

#include "kernel/kernel_schedule.h"
#include "target/target.h"

namespace tg {

/// A good schedule for `kernel`; always legal. O(axes² + accesses·axes).
KernelSchedule choose_schedule(const UOp& kernel, const Target& target);

/// The same for targets whose kernels run on groups of work-items (heuristics_work_items.cpp).
KernelSchedule schedule_for_work_items(const UOp& kernel, const Target& target);

}  // namespace tg

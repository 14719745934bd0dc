// One kernel graph to linear code: schedule applied, loops built, list emitted. Which schedule:
// heuristics.h.
#pragma once

#include "codegen/linear.h"
#include "kernel/kernel_cost.h"
#include "kernel/kernel_schedule.h"
#include "target/target.h"

namespace tg {

/// Lowers `kernel` (SINK of END(STORE…)) under `schedule` for `target`. `linear.ops` satisfies the
/// contract of linear.h and uses only what the target supports.
LinearKernel lower(const UOp& kernel, const KernelSchedule& schedule, const Target& target);

/// The name of a kernel under a schedule: what it is (e: elementwise, r: with a reduction), its
/// extents, a hash.
std::string kernel_name(const UOp& kernel, const KernelSchedule& schedule);

}  // namespace tg

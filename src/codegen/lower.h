// One kernel graph to linear code: schedule applied, loops built, list emitted. Which schedule:
// heuristics.h.
#pragma once

#include "codegen/linear.h"
#include "kernel/kernel_cost.h"
#include "kernel/kernel_schedule.h"
#include "target/target.h"

namespace tg {

/// The VARs below `kernel`, in the order of its nodes.
std::vector<UOp> variables_of(const UOp& kernel);

/// Lowers `kernel` (SINK of END(STORE…)) under `schedule` for `target`. `linear.ops` satisfies the
/// contract of linear.h and uses only what the target supports. A launch takes values of `vars`, in
/// this order: the kernel's, and others where it is a phase of a larger one.
LinearKernel lower(const UOp& kernel, const KernelSchedule& schedule, const Target& target,
                   std::span<const UOp> vars);
inline LinearKernel lower(const UOp& kernel, const KernelSchedule& schedule, const Target& target) {
  return lower(kernel, schedule, target, variables_of(kernel));
}

/// The name of a kernel under a schedule: what it is (e: elementwise, r: with a reduction), its
/// extents (n: up to a variable), a hash.
std::string kernel_name(const UOp& kernel, const KernelSchedule& schedule);

}  // namespace tg

// Which part of a range matters: where everything that a range closes stands under a gate `range <
// limit`, and the limit is an expression of variables, loops need not run beyond it. The gates stay
// what makes results right; limits only save the work. Used when loops are emitted
// (emit_loops.cpp).
#pragma once

#include <vector>

#include "kernel/kernel_schedule.h"

namespace tg {

/// By base range of `schedule`: the limit, a scalar of dtype Index below which all values of the
/// range that matter lie, or empty. O(nodes of the kernel).
std::vector<UOp> loop_limits(const UOp& kernel, const KernelSchedule& schedule);

}  // namespace tg

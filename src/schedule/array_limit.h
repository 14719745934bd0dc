// Kernels that would take more arrays than their target binds, or have more loops than a schedule
// has axes for, cut into several that do not. Fusion, the kernel builder and in-place copies know
// nothing of the limit; merge_kernels.cpp stays below it by itself. Internal to src/schedule.
#pragma once

#include <vector>

#include "schedule/schedule.h"

namespace tg {

/// Puts in the place of every kernel of more than `target.max_arrays` arrays, results included, or
/// of more than 20 loops of reductions, several of at most so many: some of its inner values get
/// storage of their own, are computed by kernels before it, and it reads them. `items` stand in an
/// order in which they can run, and do so afterwards. The new storage is added to `buffers`, and
/// its nodes, which nobody else holds, to `keep`. No operation changes and none changes its place,
/// so that numbers are what they were. A kernel that reduces should also leave room for the
/// workspaces of its phases (kernel/split_reductions.h), and is cut for that where it costs little.
/// Throws DeviceError where an operation by itself has more operands than fit. With 5 arrays no
/// elementwise operation has; a load takes its array, and one more for each index that is data.
/// O(nodes) a kernel; O(cuts · nodes²) for one that is cut.
void limit_kernels(std::vector<ScheduleItem>& items, std::vector<ScheduledBuffer>& buffers,
                   std::vector<UOp>& keep, const Target& target);

}  // namespace tg

// In which orders kernels read the arrays that they have in common: whether one kernel in place of
// two reads them once. Internal to src/schedule.
#pragma once

#include "schedule/schedule.h"

namespace tg {

/// Bytes of the arrays that `x` and `y` read in different orders, as a matrix and its transpose:
/// `joined`, which computes what both do, reads them twice all the same. O(nodes).
double bytes_read_apart(const ScheduleItem& x, const ScheduleItem& y, const ScheduleItem& joined);

}  // namespace tg

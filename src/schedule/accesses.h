// What a kernel does with the memory behind each of its parameters. Internal to scheduling and
// execution; the order that follows from it: batch_kernels.h, capture.h in src/engine.
#pragma once

#include <vector>

#include "schedule/schedule.h"

namespace tg {

struct Access {
  bool reads = false;
  bool writes = false;
};

/// By slot of the item. A copy between devices reads slot 1 and writes slot 0. O(kernel size).
std::vector<Access> accesses_of(const ScheduleItem& item);

}  // namespace tg

// Which kernels are launched together: small ones that do not depend on each other. Where merging
// (merge_kernels.h) makes one kernel of several, a batch leaves them as they are, of any shapes,
// and saves the launches between them: its members' chunks are one stretch of work for all
// threads. Used for each schedule, and again for a captured sequence of them
// (src/engine/capture.cpp).
#pragma once

#include <span>

#include "schedule/schedule.h"

namespace tg {

/// Where an item went.
struct Placed {
  size_t item = 0;
  int step = 0;
};

/// `items`, given in an order in which they can run, in one in which the members of a batch are
/// neighbours and have equal steps. Members run on one device, and none writes what another
/// touches. A kernel is small if all threads together need less than 100 us for it, or less than 20
/// times what a launch costs; reductions that are split into phases are not, for they fill the
/// threads by themselves and wait in between. A kernel waits for its batch only behind kernels that
/// do not need it, and only while the temporaries that all waiting kernels read fit in the cores'
/// caches. `kept[b]` says that buffer b is needed after the items have run. Batches are logged at
/// DEBUG=3. O(accesses + kernel sizes + items · log(items)).
std::vector<Placed> batch_kernels(std::span<const ScheduleItem> items,
                                  std::span<const ScheduledBuffer> buffers,
                                  const std::vector<bool>& kept, const Target& target);

}  // namespace tg

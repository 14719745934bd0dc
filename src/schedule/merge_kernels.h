// Which kernels become one: those over the same loops that would read the same memory twice.
// Internal to src/schedule.
#pragma once

#include "schedule/pending.h"

namespace tg {

/// The items in an order in which they can run, some of them merged. `users[i]` are the items that
/// must wait for item i, without cycles; `kept[b]` says that buffer b is needed after the schedule
/// has run (a result, or storage of an argument). Two kernels are merged if neither waits for a
/// third one that waits for the other, their combination is legal (combine_kernels.h), holds no
/// contraction, saves at least a quarter of the smaller one's memory traffic, takes no more arrays
/// than the target binds and is modelled to be faster. Values that only the merged kernel reads are
/// not stored at all. Decisions are logged at DEBUG=3. O(items · neighbours · kernel size).
std::vector<ScheduleItem> merge_kernels(std::span<const PendingItem> items,
                                        const std::vector<std::vector<size_t>>& users,
                                        const std::vector<bool>& kept, const Target& target);

}  // namespace tg

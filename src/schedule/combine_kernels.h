// One kernel out of several that run over the same loops: their stores side by side, values passed
// on instead of stored and read again, equal loads and loops shared. Whether that pays is decided
// in merge_kernels.cpp. Internal to src/schedule.
#pragma once

#include <optional>
#include <span>

#include "schedule/pending.h"

namespace tg {

/// The combination of `members`, in an order in which each may follow the ones before it, or
/// nothing if it would not be equal to running them one after the other. Equal means: all members
/// store without gates over loops of the same extents; a value that an earlier member made is read
/// only at the point where it is stored; an array that is overwritten is read only at the point
/// that is overwritten. Stores to buffers in `dropped` are left out (nobody outside reads them).
std::optional<ScheduleItem> combine_kernels(std::span<const PendingItem* const> members,
                                            std::span<const int> dropped = {});

/// Extents of the loops that all stores of the kernel run over; empty if they differ, or if a store
/// is gated, goes to elements that depend on data, or writes one more than once. Scalars have one
/// loop list without entries, hence the optional.
std::optional<std::vector<int64_t>> common_loops(const UOp& kernel);

/// `kernel`, whose PARAMs have the numbers of buffers, with slots and ranges numbered by first use,
/// so that equal kernels are one graph. Appends the buffer of each slot to `buffers`, which is
/// empty.
UOp numbered_by_first_use(const UOp& kernel, std::vector<int>& buffers);

}  // namespace tg

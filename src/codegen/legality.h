// Which schedules a kernel allows, beyond what its table alone says: the Opts see axes, this sees
// stores and loads. Each rule refuses with the Opt's name and the reason.
#pragma once

#include "kernel/kernel_schedule.h"

namespace tg {

/// By base of `s`: may iterations of it store to one place, so that their order decides what is
/// there in the end? They may where the index of a store depends on data, unless some dimension of
/// it is the range itself; and where no dimension depends on the range.
std::vector<bool> meeting_ranges(const UOp& kernel, const KernelSchedule& s);

/// Arrays that the kernel reads and, at places which iterations may share, writes: what is read
/// there depends on the iterations before.
std::vector<const Node*> arrays_updated_in_turn(const UOp& kernel);

/// Throws ArgumentError if `schedule` could change what `kernel` computes or names loads that it
/// does not have:
/// - STAGE of a load that is not in the kernel, or of an array that the kernel overwrites;
/// - a tail that shifts, which computes items twice, where a store combines or updates in place, or
///   where work-items share the axis;
/// - THREAD over a range that some store does not run over, THREAD or LOCAL over one whose
///   iterations may meet at one place;
/// - lanes along, or another order of, ranges whose iterations may store to one place in turn.
void check_legal(const UOp& kernel, const KernelSchedule& schedule);

}  // namespace tg

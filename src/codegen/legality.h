// Which schedules a kernel allows, beyond what its table alone says: the Opts see axes, this sees
// stores and loads. Each rule refuses with the Opt's name and the reason.
#pragma once

#include "kernel/kernel_schedule.h"

namespace tg {

/// By base: must iterations of it keep their order? They may store to one element, so that it
/// decides what is there in the end (kernel/element_sharing.h), or a running reduction goes along.
struct SharingBases {
  std::vector<bool> with_others;  ///< iterations that may differ in other bases, too
  std::vector<bool> alone;        ///< even those that differ in no other base
};
SharingBases bases_sharing_elements(const UOp& kernel, const KernelSchedule& s);

/// Arrays that the kernel reads and, writes at elements that iterations share: what is read
/// there depends on the iterations before.
std::vector<const Node*> arrays_updated_in_turn(const UOp& kernel);

/// Throws ArgumentError if `schedule` could change what `kernel` computes or names loads that it
/// does not have:
/// - STAGE of a load that is not in the kernel, or of an array that the kernel overwrites;
/// - a tail that shifts, which computes items twice, where a store combines or updates in place, or
///   where work-items share the axis;
/// - THREAD over a range that some store does not run over, THREAD or LOCAL over one whose
///   iterations may store to one element;
/// - lanes or work-items along a range that a running reduction goes along;
/// - another order of ranges whose iterations may store to one element in turn, and lanes along one
///   of which two iterations alone may.
void check_legal(const UOp& kernel, const KernelSchedule& schedule);

}  // namespace tg

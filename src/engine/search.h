// BEAM=n: schedules are tried on the device and the quickest is kept. The search begins with the
// schedule that the heuristics choose, looks at what one edit makes of the best n so far
// (codegen/neighbours.h), leaves out what the model of time thinks hopeless
// (codegen/schedule_time.h), compiles and times the others, and goes on from the best n. It ends
// when a round brings nothing or the kernel's seconds (option BEAM_SECONDS) are up. What it finds
// is kept on disk. Without BEAM nothing here runs: choose_schedule alone decides, always alike.
#pragma once

#include <cstdint>
#include <span>

#include "codegen/linear.h"
#include "kernel/kernel_schedule.h"
#include "runtime/device.h"

namespace tg {

/// What a search, or a file of an earlier one, says of a kernel.
struct FoundSchedule {
  KernelSchedule schedule;
  double before = 0, after = 0;  ///< seconds of the heuristics' schedule, and of this one
  int64_t tried = 0;             ///< schedules that were timed; 0 if it comes from a file
};

/// The quickest schedule found for `kernel`, a graph behind the passes of codegen/pipeline.h that
/// takes `vars`; the heuristics' own if nothing was quicker by 3 % in a last comparison, if its
/// arrays together are beyond 1 GiB, if it runs no longer than a launch takes, or if BEAM_SECONDS
/// is 0 and no file has it. A schedule is taken only if its results agree with those of the
/// heuristics' schedule on random numbers. One search at a time in a process: others would disturb
/// its clock. Throws DeviceError when the device fails, CancelledError when interrupted.
FoundSchedule search_schedule(Device& device, const UOp& kernel, std::span<const UOp> vars);

}  // namespace tg

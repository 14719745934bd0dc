// Schedules near another one, for a search (src/engine/search.h). A schedule is a list of Opts, so
// one near it is that list with a size changed, an Opt left out, put in or moved. Nothing is known
// here of what a kernel computes; whether a list is legal, applying it tells. Which of them are
// good is the question of src/codegen/schedule_time.h.
#pragma once

#include <vector>

#include "kernel/kernel_schedule.h"
#include "target/target.h"

namespace tg {

/// Legal schedules of `kernel` that one edit makes of `s`, or two that belong together (the size of
/// a tile and that of the tile inside it), in a fixed order, each once and none like `s`. Some tens
/// for each loop; a few µs each.
std::vector<KernelSchedule> neighbours_of(const UOp& kernel, const KernelSchedule& s,
                                          const Target& target);

}  // namespace tg

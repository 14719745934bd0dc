// Opts as text for files, so that a schedule that was found once is made again in another process:
// a line an Opt, complete, unlike the text for people (text_of). What belongs to one process only,
// nodes and units, is written as its place among the kernel's nodes and as its name.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kernel/kernel_schedule.h"

namespace tg {

/// The Opts of a schedule of `kernel`: "tile 1 64 0 2 peel - -\n…". O(nodes · stages).
std::string save_opts(const UOp& kernel, const KernelSchedule& s);

/// The schedule of `kernel` that such lines make of its plain one. Empty if they are damaged, or
/// say what this kernel's table does not allow; what its accesses allow is not asked here.
std::optional<KernelSchedule> load_opts(const UOp& kernel, std::string_view text);

}  // namespace tg

// A launch of several kernels in order, with arrays that live as long as it: see
// src/kernel/split_reductions.h.
#pragma once

#include <vector>

#include "runtime/device.h"

namespace tg {

/// One kernel of a launch; it takes the first `parameters` of the launch's arguments and
/// workspaces.
struct Phase {
  Ref<Program> program;
  size_t parameters = 0;
};

/// The phases as one program for `device`. Arguments before slot `first_workspace` come from the
/// launch, those from there on are arrays of `workspace_bytes` each that the launch makes. With a
/// single phase and no workspace this is that phase's program.
Ref<Program> program_of_phases(Device& device, std::vector<Phase> phases, size_t first_workspace,
                               std::vector<int64_t> workspace_bytes);

}  // namespace tg

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

/// A program of phases: a launch makes its workspaces and waits for the device before it frees
/// them.
class PhasedProgram final : public Program {
 public:
  PhasedProgram(Device& device, std::vector<Phase> phases, size_t first_workspace,
                std::vector<int64_t> workspace_bytes)
      : device_(device),
        phases_(std::move(phases)),
        first_workspace_(first_workspace),
        workspace_bytes_(std::move(workspace_bytes)) {}

  void launch(std::span<void* const> buffers, std::span<const int64_t> vars) override;

  const std::vector<Phase>& phases() const { return phases_; }
  /// Slot of the first workspace, behind the arguments.
  size_t first_workspace() const { return first_workspace_; }
  const std::vector<int64_t>& workspace_bytes() const { return workspace_bytes_; }

 private:
  Device& device_;
  const std::vector<Phase> phases_;
  const size_t first_workspace_;
  const std::vector<int64_t> workspace_bytes_;
};

/// The phases as one program for `device`. Arguments before slot `first_workspace` come from the
/// launch, those from there on are arrays of `workspace_bytes` each that the launch makes. With a
/// single phase and no workspace this is that phase's program.
Ref<Program> program_of_phases(Device& device, std::vector<Phase> phases, size_t first_workspace,
                               std::vector<int64_t> workspace_bytes);

}  // namespace tg

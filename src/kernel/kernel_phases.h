// Kernels that stand for one, and run one after the other in its launch. What makes them:
// split_reductions.h, split_index_sets.h; what runs them: src/engine/phased_program.h.
#pragma once

#include <vector>

#include "tg/ir/uop.h"

namespace tg {

/// An array that lives as long as one launch.
struct Workspace {
  Shape shape;
  DType dtype;
  int64_t bytes() const;
};

/// Kernels to run one after the other. Parameter slots of the original kernel keep their numbers;
/// the workspaces follow from slot `first_workspace` on.
struct KernelPhases {
  std::vector<UOp> kernels;
  int first_workspace = 0;
  std::vector<Workspace> workspaces;
};

/// The number of the kernel's parameter slots: one more than the largest.
int slots_of(const UOp& kernel);

}  // namespace tg

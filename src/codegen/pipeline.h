// What every kernel goes through between the scheduler and the choice of its schedule: a table of
// passes, run by one function that times, prints and checks them. A pass is an equal kernel for a
// kernel; what makes several of one (kernel/split_reductions.h, kernel/flat_kernel.h) and what
// lowers it (codegen/lower.h) comes behind.
#pragma once

#include <span>
#include <string_view>

#include "target/target.h"
#include "tg/ir/uop.h"

namespace tg {

struct KernelPass {
  std::string_view name;     ///< "refine-ranges"
  std::string_view purpose;  ///< one line, for the documentation
  bool optional;             ///< makes kernels faster, not possible: left out under NOOPT
  UOp (*run)(const UOp& kernel, const Target& target);
};

/// In the order in which they run. docs/kernel-facts.md shows the same table; a test compares.
std::span<const KernelPass> kernel_passes();

/// `kernel`, a SINK as the scheduler makes it, after all passes, or under NOOPT after those that
/// are not optional; and after those that the program has added (tg/ir/pass.h). PROFILE shows the
/// time of each, DEBUG=5 the kernel behind each that changed it. Under CHECK the grammar is verified
/// behind each; InternalError names the pass.
UOp run_kernel_passes(const UOp& kernel, const Target& target);

}  // namespace tg

// What a tensor graph goes through before it is decided what is stored: a table of passes, run by
// one function. A pass is an equal graph for a graph; the table of kernels is codegen/pipeline.h.
// Internal to src/schedule, but for the table.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "target/target.h"
#include "tg/ir/uop.h"

namespace tg {

struct GraphPass {
  std::string_view name;                               ///< "simplify"
  std::string_view purpose;                            ///< one line, for the documentation
  bool optional;                                       ///< left out where fusion is off
  UOp (*run)(const UOp& graph, const Target& target);  ///< of a SINK
};

/// In the order in which they run.
std::span<const GraphPass> graph_passes();

/// The roots after all passes, those of the program among them; with `fuse` false without those
/// that are optional. A root stays on its device, and one that is computed stays no mere name of
/// storage.
std::vector<UOp> run_graph_passes(std::vector<UOp> roots, const Target& target, bool fuse);

}  // namespace tg

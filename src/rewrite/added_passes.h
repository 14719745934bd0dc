// The passes that the program has added (tg/ir/pass.h): the list of them, and how one is run and
// checked. The compiler's own tables ask here between their passes. Internal.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "tg/ir/rewrite.h"

namespace tg {

struct ListedPass {
  uint64_t id;
  PassPoint at;
  std::string after;  ///< the pass behind which it runs; empty: in front of all
  Pass pass;
};
/// All of them, in the order in which they were added. The list never changes: who adds or removes
/// makes a new one.
std::shared_ptr<const std::vector<ListedPass>> listed_passes();
/// Counts the changes of the list; 0 as long as nothing was ever added. A part of the key of what
/// is remembered of graphs and kernels.
uint64_t listed_passes_version();

/// Adds one; gives its id, never 0. ArgumentError if its name is that of another or one of `taken`,
/// at the same point.
uint64_t list_pass(PassPoint at, Pass pass, std::string after,
                   std::span<const std::string_view> taken);
/// Does nothing if there is none with that id.
void unlist_pass(uint64_t id) noexcept;

/// `graph` after all that run at `at` behind the pass called `after` (empty: in front of the
/// compiler's own), and after those that run behind these. ArgumentError if one returns anything
/// else than a graph of that stage with the same roots and storage.
UOp run_listed_passes(PassPoint at, std::string_view after, UOp graph);

/// Is this thread inside a pass that the program added?
bool in_listed_pass();

}  // namespace tg

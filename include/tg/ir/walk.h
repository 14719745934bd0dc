// Iterative traversals. A chain of a million nodes is a legal graph: nothing here recurses.
#pragma once

#include <unordered_map>
#include <vector>

#include "tg/export.h"
#include "tg/ir/function_ref.h"
#include "tg/ir/uop.h"

namespace tg {

/// All nodes reachable from `roots`, sources before users, each once, in an order that depends only
/// on structure. O(nodes + edges). The pointers live as long as the roots do.
TG_API std::vector<const Node*> toposort(std::span<const UOp> roots);
TG_API std::vector<const Node*> toposort(const UOp& root);
/// The same, without nodes that are only below leaves (by `is_leaf`).
TG_API std::vector<const Node*> toposort(std::span<const UOp> roots,
                                         FunctionRef<bool(const Node*)> is_leaf);

/// Whether `holds` for all nodes below `root`, itself included. Each is asked once, after
/// one of its users, and none after the first for which it does not hold: where that is near the
/// root, what is below it is not walked.
TG_API bool all_nodes(const UOp& root, FunctionRef<bool(const Node*)> holds);

/// How many nodes below `root` have that op.
TG_API int64_t count_nodes(const UOp& root, Op op);

/// The graph with nodes replaced: `map` gives replacements by node, looked up before sources are
/// visited. One walk, memoised.
TG_API UOp substitute(const UOp& root, const std::unordered_map<const Node*, UOp>& map);
/// The same with a function that gives a node's replacement, empty for none; asked once a node.
TG_API UOp substitute(const UOp& root, FunctionRef<UOp(const Node*)> replacement);

/// All RANGE nodes that `u` depends on and that are not closed below it (by REDUCE, STAGE or END),
/// in structural order. A fresh walk each call: passes that ask often keep their own memo.
TG_API std::vector<UOp> free_ranges(const UOp& u);

}  // namespace tg

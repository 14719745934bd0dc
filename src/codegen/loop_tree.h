// Where code goes: a tree of loops whose bodies hold items in execution order. An item is a step of
// a reduction, the clearing of its scratch accumulators, the gathering of what the work-items of a
// group reduced each, the copy of a staged operand, or a store.
// Values are not placed here: emission puts each into the innermost loop that it depends on, so
// hoisting is a consequence of placement.
#pragma once

#include <vector>

#include "codegen/scheduled_kernel.h"

namespace tg {

/// The result of a REDUCE or STAGE as it is made in one place of the tree. It is complete in its
/// scope, the innermost of the loops `scope`, and its users stand inside that. Users whose own
/// loops make them read it in different scopes have a production each.
struct Production {
  const Node* node = nullptr;  ///< REDUCE or STAGE
  LeafSet path = 0;            ///< loops around an update, or around the stores of a copy
  LeafSet scope = 0;           ///< the outer ones of them, inside which the result is complete
  std::vector<int> needs;      ///< productions that its items read, as indices; sorted, unique
  int parts = -1;  ///< of a GROUP's result: the production of what its work-items reduced each

  // How a REDUCE keeps its running values.
  int first_red =
      -1;  ///< outermost reduced loop, or -1 if all reduced leaves are unrolled or lanes
  LeafSet array_loops =
      0;  ///< parallel loops inside it: the running values live in a scratch array over these
  LeafSet carried =
      0;  ///< reduced loops that carry values in registers: those inside all array loops
  bool uses_array() const { return array_loops != 0; }
};

struct Item {
  enum class Kind : uint8_t { Clear, Update, Gather, Copy, Store } kind;
  const Node* node;        ///< REDUCE, STAGE, or STORE
  int production = -1;     ///< that the item belongs to; -1 for a Store
  std::vector<int> needs;  ///< productions that it reads
};

struct LoopNode {
  static constexpr int kRoot = -1;
  static constexpr int kThreads = -2;  ///< all Thread leaves together, and all Local ones
  struct Child {
    bool is_loop;
    int index;  ///< into LoopTree::loops or ::items
  };
  int leaf = kRoot;
  std::vector<Child> body;
};

struct LoopTree {
  std::vector<LoopNode> loops;  ///< loops[0] is the root
  std::vector<Item> items;
  std::vector<Production> productions;

  /// Calls `fn(item)` for every item inside `child`.
  template <typename Fn>
  void for_items(const LoopNode::Child& child, const Fn& fn) const;
};

/// Places all effects of the kernel. Two items share a loop unless one needs a result that the loop
/// completes for the other.
LoopTree build_loops(const ScheduledKernel& kernel);

template <typename Fn>
void LoopTree::for_items(const LoopNode::Child& child, const Fn& fn) const {
  std::vector<LoopNode::Child> work{child};
  while (!work.empty()) {
    const LoopNode::Child c = work.back();
    work.pop_back();
    if (!c.is_loop) {
      fn(items[static_cast<size_t>(c.index)]);
      continue;
    }
    const std::vector<LoopNode::Child>& body = loops[static_cast<size_t>(c.index)].body;
    work.insert(work.end(), body.begin(), body.end());
  }
}

}  // namespace tg

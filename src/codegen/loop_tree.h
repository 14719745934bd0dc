// Where code goes: a tree of loops whose bodies hold items in execution order. An item is a step of a reduction, the clearing of
// its scratch accumulators, the copy of a staged operand, or a store. Values are not placed here: emission puts each into the
// innermost loop that it depends on, so hoisting is a consequence of placement.
#pragma once

#include <vector>

#include "codegen/scheduled_kernel.h"

namespace tg {

/// How a reduction keeps its running values.
struct AccumulatorPlan {
  const Node* reduce = nullptr;
  LeafSet path = 0;           ///< loops around an update
  int first_red = -1;         ///< outermost reduced loop, or -1 if all reduced leaves are unrolled or lanes
  LeafSet array_loops = 0;    ///< parallel loops inside it: if any, the running values live in a scratch array over them
  LeafSet carried = 0;        ///< reduced loops that carry values in registers: those inside all array loops
  bool uses_array() const { return array_loops != 0; }
};

struct Item {
  enum class Kind : uint8_t { Clear, Update, Copy, Store } kind;
  const Node* node;  ///< REDUCE, STAGE, or STORE
  int plan = -1;     ///< for Clear and Update
};

struct LoopNode {
  static constexpr int kRoot = -1;
  static constexpr int kThreads = -2;  ///< all Thread leaves together
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
  std::vector<AccumulatorPlan> plans;

  const AccumulatorPlan& plan_of(const Node* reduce) const;
};

/// Places all effects of the kernel. Two items share a loop unless one needs a result that the loop completes for the other.
LoopTree build_loops(const ScheduledKernel& kernel);

}  // namespace tg

// Where the work-items of a group part ways: which values of linear code differ between work-items,
// and so which ifs and loops only some of them go through. Barriers may not stand there
// (verify_linear.cpp checks it, src/codegen/barriers.cpp places them elsewhere).
#pragma once

#include <unordered_set>

#include "tg/ir/uop.h"

namespace tg {

/// Is it one of the ranges that stand for work-items?
bool is_work_item_range(const Node* n);

/// Reads a list in order. What it says is cautious: a carried value counts as different.
class WorkItemFlow {
 public:
  /// To be called for every node of the list, in order.
  void add(const Node* n);
  /// May the value differ between work-items?
  bool varies(const Node* n) const { return varying_.contains(n); }
  /// Do only some work-items go through this RANGE or IF, or some more often than others?
  bool parts(const Node* opener) const;

 private:
  bool differs(const Node* n) const;
  bool work_items_ = false;
  std::unordered_set<const Node*> varying_;
};

}  // namespace tg

// Selects between a value that is quickly made and one that is not: sine, whose large arguments are
// reduced in wide integers, is one of them. What only the long value needs is emitted under the
// select's condition (emit_arms.cpp), not beside the quick value.
#pragma once

#include <unordered_map>

#include "tg/ir/uop.h"

namespace tg {

/// What is made only where a condition holds, or only where it does not.
class LongArms {
 public:
  /// Of a kernel in ranged form, lowered as far as its arithmetic goes. O(nodes).
  explicit LongArms(const UOp& kernel);

  bool empty() const { return arm_.empty(); }
  /// The source of a WHERE that is such a value, 1 or 2; 0 if neither is.
  int arm_of(const Node* select) const;
  /// The condition that a value waits for: one number for all selects that have it in common; −1 of
  /// what need not wait. A value may be needed before it holds all the same, where selects stand in
  /// each other's arms in several ways.
  int region_of(const Node* n) const;

 private:
  std::unordered_map<const Node*, int> arm_, region_;
};

}  // namespace tg

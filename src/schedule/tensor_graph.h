// The tensor graph as the scheduler sees it: nodes in order, users, and which of them get storage.
// Internal to src/schedule.
#pragma once

#include <unordered_map>
#include <vector>

#include "target/target.h"
#include "tg/ir/uop.h"

namespace tg {

/// Decides for a node whether it is materialised, given what the solver would choose: tests
/// enumerate all choices with it.
using FusionOverride = bool (*)(const Node* x, bool proposed, void* context);

struct FusionOptions {
  FusionOverride override_choice = nullptr;
  void* context = nullptr;
  bool fuse = true;   ///< false: every elementwise op and reduction is materialised
  DeviceId home = 0;  ///< where roots that live nowhere are computed; 0: items of no device
};

/// What gets storage, by node: roots and marks always, candidates as the solver decides.
class Materialised {
 public:
  bool contains(const Node* n) const { return set_.contains(n); }
  void add(const Node* n) { set_.emplace(n, true); }

 private:
  std::unordered_map<const Node*, bool> set_;
};

/// Chooses, from users to sources, which nodes of the graph below `roots` are computed where they
/// are read and which are stored, by modelled seconds. `order` is the graph in topological order.
Materialised decide_fusion(std::span<const Node* const> order, std::span<const UOp> roots,
                           const Target& target, const FusionOptions& options);

/// True for storage as a kernel sees it: PARAM, or a version of one behind AFTER.
inline bool is_storage(const Node* n) {
  return n->op == Op::Param || n->op == Op::Buffer || n->op == Op::After;
}

/// Is this reduction a contraction: a sum of products whose factors are both broadcast? Such a
/// reduction re-reads its operands, so they should be plain, and its kernel should hold no second
/// one.
bool is_contraction(const Node* reduce);

}  // namespace tg

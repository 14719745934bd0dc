// The list under construction: nested scopes, each with its instructions so far. A node is appended
// to the innermost scope that one of its sources lives in, once: this hoists values out of loops
// that they do not depend on, and merges equal ones.
#pragma once

#include <unordered_map>
#include <vector>

#include "tg/ir/uop.h"

namespace tg {

class EmitScopes {
 public:
  EmitScopes() { scopes_.emplace_back(); }

  /// The node, made part of the list: after its sources, at most once a scope.
  UOp put(const UOp& n);
  UOp put(Op op, std::initializer_list<UOp> src, IntSpan arg = {}, DType dtype = DType::Void) {
    return put(make(op, src, arg, dtype));
  }
  /// A node that must stand in the current scope although its sources live outside: stores, pinned
  /// pointers.
  UOp put_here(const UOp& n);

  /// Opens a scope that starts with `head` (RANGE or IF).
  void open(const UOp& head);
  /// Ends the scope with `tail` (END or ENDIF) and splices it into the enclosing one, where `tail`
  /// becomes known.
  void close(const UOp& tail);
  /// From now on loads and subgroup shuffles stand no further out than the innermost scope:
  /// work-items have begun.
  void keep_loads_inside() { loads_ = depth(); }
  /// The RANGE or IF that opened the innermost scope; empty at the root.
  UOp innermost() const { return scopes_.back().head; }
  /// True if `n` stands where what comes next can use it.
  bool is_known(const UOp& n) const { return level_.contains(n.node()); }
  /// True if `n` stands in the innermost scope.
  bool is_here(const UOp& n) const {
    const auto it = level_.find(n.node());
    return it != level_.end() && it->second == depth();
  }
  int depth() const { return static_cast<int>(scopes_.size()) - 1; }

  std::vector<UOp> take();

 private:
  struct Scope {
    UOp head;
    std::vector<UOp> list;
  };
  std::vector<Scope> scopes_;
  std::unordered_map<const Node*, int> level_;
  int loads_ = 0;  // the outermost scope that loads and subgroup shuffles may stand in
};

}  // namespace tg

// See emit_scope.h.
#include "codegen/emit_scope.h"

#include <algorithm>

#include "support/check.h"
#include "tg/ir/text.h"

namespace tg {

UOp EmitScopes::put(const UOp& n) {
  if (level_.contains(n.node())) return n;
  int level = n.is(Op::Load) || n.is(Op::LoadRows) || n.is(Op::SubgroupShuffle) ? loads_ : 0;
  for (const Node* s : n.node()->src()) {
    auto it = level_.find(s);
    TG_CHECK(it != level_.end(), "{} used by {} before it was emitted", op_name(s->op),
             print_expr(n));
    level = std::max(level, it->second);
  }
  level_.emplace(n.node(), level);
  scopes_[static_cast<size_t>(level)].list.push_back(n);
  return n;
}

UOp EmitScopes::put_here(const UOp& n) {
  level_.emplace(n.node(), depth());
  scopes_.back().list.push_back(n);
  return n;
}

void EmitScopes::open(const UOp& head) {
  scopes_.push_back({head, {}});
  put_here(head);
}

void EmitScopes::close(const UOp& tail) {
  Scope inner = std::move(scopes_.back());
  scopes_.pop_back();
  for (const UOp& n : inner.list) level_.erase(n.node());
  std::vector<UOp>& outer = scopes_.back().list;
  outer.insert(outer.end(), inner.list.begin(), inner.list.end());
  put_here(tail);
}

std::vector<UOp> EmitScopes::take() {
  TG_CHECK(depth() == 0, "{} scopes still open", depth());
  return std::move(scopes_.back().list);
}

}  // namespace tg

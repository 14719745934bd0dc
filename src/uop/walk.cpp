// Depth-first order with an explicit stack; see walk.h.
#include "tg/ir/walk.h"

#include <algorithm>
#include <variant>

#include "uop/node_table.h"

namespace tg {
namespace {

constexpr size_t kFewNodes = 16;  // more than most single calls have

template <typename IsLeaf>
std::vector<const Node*> walk(std::span<const UOp> roots, const IsLeaf& is_leaf) {
  std::vector<const Node*> order;
  NodeTable<std::monostate> entered;
  std::vector<std::pair<const Node*, uint32_t>> stack;
  order.reserve(kFewNodes);
  stack.reserve(kFewNodes);
  for (const UOp& root : roots) {
    if (!root || !entered.insert(root.node(), {})) continue;
    stack.emplace_back(root.node(), 0);
    while (!stack.empty()) {
      auto& [n, next] = stack.back();
      if (next == n->n_src || (next == 0 && is_leaf(n))) {
        order.push_back(n);
        stack.pop_back();
        continue;
      }
      const Node* child = n->src()[next++];
      if (entered.insert(child, {})) stack.emplace_back(child, 0);
    }
  }
  return order;
}

}  // namespace

std::vector<const Node*> toposort(std::span<const UOp> roots) {
  return walk(roots, [](const Node*) { return false; });
}

std::vector<const Node*> toposort(std::span<const UOp> roots,
                                  FunctionRef<bool(const Node*)> is_leaf) {
  return walk(roots, is_leaf);
}

std::vector<const Node*> toposort(const UOp& root) { return toposort(std::span(&root, 1)); }

bool all_nodes(const UOp& root, FunctionRef<bool(const Node*)> holds) {
  NodeTable<std::monostate> entered;
  std::vector<const Node*> open;
  const auto enter = [&](const Node* n) {
    if (!entered.insert(n, {})) return true;
    open.push_back(n);
    return holds(n);
  };
  if (root && !enter(root.node())) return false;
  while (!open.empty()) {
    const Node* n = open.back();
    open.pop_back();
    for (const Node* s : n->src()) {
      if (!enter(s)) return false;
    }
  }
  return true;
}

int64_t count_nodes(const UOp& root, Op op) {
  return std::ranges::count_if(toposort(root), [op](const Node* n) { return n->op == op; });
}

UOp substitute(const UOp& root, const std::unordered_map<const Node*, UOp>& map) {
  if (const auto whole = map.find(root.node()); whole != map.end()) return whole->second;
  return substitute(root, [&](const Node* n) {
    const auto found = map.find(n);
    return found == map.end() ? UOp() : found->second;
  });
}

UOp substitute(const UOp& root, FunctionRef<UOp(const Node*)> replacement) {
  NodeTable<UOp> done;
  std::vector<std::pair<const Node*, uint32_t>> stack;
  std::vector<UOp> src;
  stack.reserve(kFewNodes);
  stack.emplace_back(root.node(), 0);
  while (!stack.empty()) {
    auto& [n, next] = stack.back();
    if (next == 0) {
      if (UOp other = replacement(n)) {
        done.insert(n, std::move(other));
        stack.pop_back();
        continue;
      }
    }
    if (next < n->n_src) {
      const Node* child = n->src()[next++];
      if (done.find(child) == nullptr) stack.emplace_back(child, 0);
      continue;
    }
    src.clear();
    for (const Node* s : n->src()) src.push_back(*done.find(s));
    done.insert(n, with_sources(UOp::share(n), src));
    stack.pop_back();
  }
  return *done.find(root.node());
}

std::vector<UOp> free_ranges(const UOp& u) {
  std::unordered_map<const Node*, std::vector<const Node*>> free;
  for (const Node* n : toposort(u)) {
    std::vector<const Node*>& mine = free[n];
    if (n->op == Op::Range) {
      mine.push_back(n);
      continue;
    }
    const std::span<Node* const> closed = closed_ranges(n);
    for (size_t i = 0; i < n->n_src - closed.size(); ++i) {
      for (const Node* r : free[n->src()[i]]) {
        const bool ends = std::ranges::find(closed, r) != closed.end();
        if (!ends && std::ranges::find(mine, r) == mine.end()) mine.push_back(r);
      }
    }
  }
  std::vector<UOp> out;
  for (const Node* r : free[u.node()]) out.push_back(UOp::share(r));
  return out;
}

}  // namespace tg

// Depth-first order with an explicit stack; see walk.h.
#include "tg/ir/walk.h"

#include <algorithm>
#include <unordered_set>

namespace tg {
namespace {

template <typename IsLeaf>
std::vector<const Node*> walk(std::span<const UOp> roots, const IsLeaf& is_leaf) {
  std::vector<const Node*> order;
  std::unordered_set<const Node*> entered;
  std::vector<std::pair<const Node*, uint32_t>> stack;
  for (const UOp& root : roots) {
    if (!root || !entered.insert(root.node()).second) continue;
    stack.emplace_back(root.node(), 0);
    while (!stack.empty()) {
      auto& [n, next] = stack.back();
      if (next == n->n_src || (next == 0 && is_leaf(n))) {
        order.push_back(n);
        stack.pop_back();
        continue;
      }
      const Node* child = n->src()[next++];
      if (entered.insert(child).second) stack.emplace_back(child, 0);
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

int64_t count_nodes(const UOp& root, Op op) {
  return std::ranges::count_if(toposort(root), [op](const Node* n) { return n->op == op; });
}

UOp substitute(const UOp& root, const std::unordered_map<const Node*, UOp>& map) {
  return substitute(root, [&](const Node* n) {
    const auto found = map.find(n);
    return found == map.end() ? UOp() : found->second;
  });
}

UOp substitute(const UOp& root, FunctionRef<UOp(const Node*)> replacement) {
  std::unordered_map<const Node*, UOp> done;
  std::vector<std::pair<const Node*, uint32_t>> stack{{root.node(), 0}};
  std::vector<UOp> src;
  while (!stack.empty()) {
    auto& [n, next] = stack.back();
    if (next == 0) {
      if (UOp other = replacement(n)) {
        done.emplace(n, std::move(other));
        stack.pop_back();
        continue;
      }
    }
    if (next < n->n_src) {
      const Node* child = n->src()[next++];
      if (!done.contains(child)) stack.emplace_back(child, 0);
      continue;
    }
    src.clear();
    for (const Node* s : n->src()) src.push_back(done.at(s));
    done.emplace(n, with_sources(UOp::share(n), src));
    stack.pop_back();
  }
  return done.at(root.node());
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

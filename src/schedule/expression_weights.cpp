// See expression_weights.h.
#include "schedule/expression_weights.h"

#include <algorithm>
#include <utility>

#include "schedule/tensor_graph.h"
#include "tg/ir/walk.h"

namespace tg {
namespace {

constexpr int kMaxInlineNodes = 400;  // bound on the size of a kernel's expressions

double op_flops(const Node* x) {
  switch (x->op) {
    case Op::FDiv:
    case Op::Sqrt:
      return 4;
    case Op::Exp2:
    case Op::Log2:
      return 10;
    case Op::Sin:
      return 14;
    case Op::Threefry:
      return 35;
    case Op::IDiv:
    case Op::Mod:  // by a constant it is a product and shifts
      return constant_of(x->src()[1]) != nullptr ? 4 : 20;
    default:
      return 1;
  }
}

bool ends_expressions(const Node* x) {
  return is_storage(x) || x->op == Op::Reduce || x->op == Op::Scan || x->op == Op::Contiguous ||
         x->op == Op::Copy || x->op == Op::Scatter;
}

}  // namespace

const Node* constant_of(const Node* x) {
  while (in_group(x->op, kMovement) || x->op == Op::Cast) x = x->src()[0];
  return x->op == Op::Const ? x : nullptr;
}

bool is_masked_by_place(const Node* x) {
  if (x->op != Op::Where) return false;
  const auto is_zero = [](const Node* arm) {
    const Node* c = constant_of(arm);
    return c != nullptr && UOp::share(c).is_const(0);
  };
  if (!is_zero(x->src()[1]) && !is_zero(x->src()[2])) return false;
  bool has_places = false;
  const auto compares_places = [&](const Node* n) {
    has_places = has_places || n->op == Op::Iota;
    return n->op == Op::Iota || n->op == Op::Const || n->op == Op::CmpLt || n->op == Op::Xor ||
           n->op == Op::And || n->op == Op::Add || n->op == Op::Mul || n->op == Op::Cast ||
           in_group(n->op, kMovement);
  };
  return all_nodes(UOp::share(x->src()[0]), compares_places) && has_places;
}

bool is_broadcast(const Node* x) {
  while (in_group(x->op, kMovement) || x->op == Op::Cast) {
    if (x->op == Op::Expand) return true;
    x = x->src()[0];
  }
  return false;
}

bool only_stretches(const Node* x) {
  return x->op == Op::Mul && std::ranges::all_of(x->src(), is_broadcast);
}

ExpressionWeights::ExpressionWeights(std::span<const Node* const> order)
    : order_(order), weights_(order.size()), too_large_(order.size()), walked_(order.size()) {
  for (size_t i = 0; i < order.size(); ++i) index_.emplace(order[i], i);
  for (size_t i = 0; i < order.size(); ++i) weigh(i);
}

// Sums over sources count what these share several times, so a sum that seems too large is counted
// again node by node.
void ExpressionWeights::weigh(size_t i) {
  const Node* x = order_[i];
  Weight& w = weights_[i];
  if (ends_expressions(x)) {
    w = {0, 1, 1};
    return;
  }
  for (const Node* s : x->src()) {
    const Weight& ws = weights_[index_.at(s)];
    w.flops += ws.flops;
    w.loads += ws.loads;
    w.nodes += ws.nodes;
  }
  if (in_group(x->op, kElementwise)) w.flops += op_flops(x);
  w.nodes += 1;
  if (w.nodes > kMaxInlineNodes) w = weigh_each_once(i);
  const bool cuts = !in_group(x->op, kMovement) && x->op != Op::Detach && !only_stretches(x);
  too_large_[i] = cuts && w.nodes > kMaxInlineNodes;
  if (too_large_[i]) w = {0, 1, 1};
}

// What would be inlined below a node, each node once; stops counting where that is too large.
Weight ExpressionWeights::weigh_each_once(size_t root) {
  Weight w;
  std::vector<size_t> work{root};
  ++walk_;
  while (!work.empty() && w.nodes <= kMaxInlineNodes) {
    const size_t i = work.back();
    const Node* x = order_[i];
    work.pop_back();
    w.nodes += 1;
    if (ends_expressions(x) || too_large_[i]) {
      w.loads += 1;
      continue;
    }
    if (in_group(x->op, kElementwise)) w.flops += op_flops(x);
    for (const Node* s : x->src()) {
      const size_t k = index_.at(s);
      if (std::exchange(walked_[k], walk_) != walk_) work.push_back(k);
    }
  }
  return w;
}

}  // namespace tg

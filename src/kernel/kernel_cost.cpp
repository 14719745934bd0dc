// See kernel_cost.h.
#include "kernel/kernel_cost.h"

#include <algorithm>
#include <unordered_map>

#include "tg/ir/walk.h"
#include "uop/shape.h"

namespace tg {

namespace {

struct Traffic {
  const Node* ptr;
  Op direction;
  double elements = 0;
};

double& elements_of(std::vector<Traffic>& traffic, const Node* access) {
  for (Traffic& t : traffic) {
    if (t.ptr == access->src()[0] && t.direction == access->op) return t.elements;
  }
  traffic.push_back({access->src()[0], access->op});
  return traffic.back().elements;
}

}  // namespace

KernelCost cost_of(const UOp& kernel) {
  KernelCost cost;
  std::vector<Traffic> traffic;  // by array and direction, in order of first access
  std::unordered_map<const Node*, std::vector<const Node*>> free;
  auto points = [](const std::vector<const Node*>& ranges) {
    double n = 1;
    for (const Node* r : ranges) n *= static_cast<double>(r->src()[0]->arg()[0]);
    return n;
  };
  for (const Node* n : toposort(kernel)) {
    std::vector<const Node*>& mine = free[n];
    if (n->op == Op::Range) mine.push_back(n);
    const std::span<Node* const> closed = closed_ranges(n);
    for (size_t i = 0; i < n->n_src - closed.size(); ++i) {
      for (const Node* r : free[n->src()[i]]) {
        if (std::ranges::find(mine, r) == mine.end()) mine.push_back(r);
      }
    }
    if (is_float(n->dtype) && in_group(n->op, kElementwise) && n->op != Op::Where &&
        n->op != Op::Cast)
      cost.flops += (n->op == Op::Fma ? 2 : 1) * points(mine);
    if (n->op == Op::Reduce && is_float(n->dtype)) {
      std::vector<const Node*> all = mine;
      for (const Node* r : n->src().subspan(1)) {
        if (std::ranges::find(all, r) == all.end()) all.push_back(r);
      }
      cost.flops += points(all);
    }
    std::erase_if(mine,
                  [&](const Node* r) { return std::ranges::find(closed, r) != closed.end(); });
    if (n->op == Op::Load || n->op == Op::Store) elements_of(traffic, n) += points(mine);
  }
  for (const Traffic& t : traffic) {
    cost.bytes += std::min(t.elements, static_cast<double>(numel(t.ptr->shape()))) *
                  static_cast<double>(dtype_size(t.ptr->dtype));
  }
  return cost;
}

double seconds_of(const KernelCost& cost, const Target& target) {
  return std::max(cost.flops / target.flops_per_second, cost.bytes / target.bytes_per_second) +
         target.launch_seconds;
}

bool is_ranged_contraction(const Node* reduce) {
  if (reduce->op != Op::Reduce || static_cast<ReduceOp>(reduce->arg()[0]) != ReduceOp::Add ||
      reduce->src()[0]->op != Op::Mul) {
    return false;
  }
  const Node* product = reduce->src()[0];
  const std::vector<UOp> a = free_ranges(UOp::share(product->src()[0])),
                         b = free_ranges(UOp::share(product->src()[1]));
  auto misses_one_of = [](const std::vector<UOp>& x, const std::vector<UOp>& y) {
    return std::ranges::any_of(y, [&](const UOp& r) { return std::ranges::find(x, r) == x.end(); });
  };
  return misses_one_of(a, b) && misses_one_of(b, a);
}

}  // namespace tg

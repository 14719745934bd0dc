// One reverse topological walk; see gradient.h.
#include "autodiff/gradient.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "support/check.h"
#include "tg/ir/walk.h"
#include "uop/limits.h"
#include "uop/shape.h"

namespace tg {
namespace {

using NodeSet = std::unordered_set<const Node*>;

Grads source_gradients(const UOp& y, const UOp& dy) {
  const GradRule& rule = record(y.op()).grad;
  if (rule.kind == GradRule::Kind::NotDifferentiable) {
    user_error<DTypeError>("gradient", fmt::format("{} has no gradient", op_name(y.op())),
                           "Hint: detach() what must not be differentiated.");
  }
  if (rule.kind == GradRule::Kind::Zero) return Grads(static_cast<size_t>(y.n_src()));
  Grads grads = rule.fn({y, dy});
  TG_CHECK(grads.size() == static_cast<size_t>(y.n_src()), "{} has {} sources and {} gradients",
           op_name(y.op()), y.n_src(), grads.size());
  return grads;
}

void check_seed(const UOp& loss, const UOp& seed) {
  if (!std::ranges::equal(loss.shape(), seed.shape())) {
    user_error<ShapeError>("gradient",
                           fmt::format("the seed must have the value's shape: {} and {}",
                                       format_shape(seed.shape()), format_shape(loss.shape())));
  }
  if (loss.dtype() != seed.dtype() || !is_float(loss.dtype())) {
    user_error<DTypeError>("gradient",
                           fmt::format("needs a float value and a seed of its dtype: {} and {}",
                                       dtype_name(loss.dtype()), dtype_name(seed.dtype())));
  }
}

}  // namespace

NodeSet differentiable_from(std::span<const Node* const> order, const NodeSet& targets) {
  NodeSet on;
  for (const Node* n : order) {
    bool depends = targets.contains(n);
    if (!depends && is_float(n->dtype) && record(n->op).grad.kind != GradRule::Kind::Zero) {
      depends = std::ranges::any_of(n->src(), [&](const Node* s) { return on.contains(s); });
    }
    if (depends) on.insert(n);
  }
  return on;
}

std::vector<UOp> gradient(const UOp& loss, const UOp& seed, std::span<const UOp> targets) {
  check_seed(loss, seed);
  NodeSet wanted;
  for (const UOp& t : targets) wanted.insert(t.node());
  const std::vector<const Node*> order = toposort(loss);
  const NodeSet on = differentiable_from(order, wanted);
  std::unordered_map<const Node*, UOp> grads;
  if (on.contains(loss.node())) grads.emplace(loss.node(), seed);
  // A target's sources matter only if another target stands below it.
  NodeSet below;
  for (const Node* n : order) {
    if (std::ranges::any_of(n->src(), [&](const Node* s) { return on.contains(s); }))
      below.insert(n);
  }
  for (size_t i = order.size(); i-- > 0;) {
    const Node* n = order[i];
    const auto found = grads.find(n);
    if (found == grads.end() || !below.contains(n)) continue;
    const UOp dy = found->second;
    if (!wanted.contains(n)) grads.erase(found);
    const UOp y = UOp::share(n);
    // Storage that was written holds values, not a computation.
    if (y.is(Op::After)) continue;
    const Grads parts = source_gradients(y, dy);
    for (size_t k = 0; k < parts.size(); ++k) {
      const Node* s = n->src()[k];
      if (!parts[k] || !on.contains(s)) continue;
      const UOp part = with_limits_of(parts[k], s);
      UOp& sum = grads[s];
      sum = sum ? sum + part : part;
    }
  }
  std::vector<UOp> out;
  for (const UOp& t : targets) {
    const auto found = grads.find(t.node());
    const bool nowhere = found != grads.end() && found->second.device() == 0;
    // Of a constant slope nothing else says where it lives.
    out.push_back(found == grads.end()         ? UOp{}
                  : nowhere && t.device() != 0 ? copy_to(found->second, t.device())
                                               : found->second);
  }
  return out;
}

}  // namespace tg

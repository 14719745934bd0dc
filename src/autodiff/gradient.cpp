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

// Of a small float that was widened the gradient stays float32 for as long as it is only moved and
// added up: rounding each term of a sum would lose digits, and keep a contraction from the matrix
// units that take the factors as they are.
using Grad = std::unordered_map<const Node*, UOp>;

UOp cast_to(const UOp& dy, DType dtype) { return dy.dtype() == dtype ? dy : cast(dy, dtype); }

bool keeps_wide(const Node* n) { return n->op == Op::Cast || in_group(n->op, kMovement); }

void add_to(Grad& grads, const Node* source, const UOp& part) {
  const UOp fitting = with_limits_of(part, source);
  UOp& sum = grads[source];
  if (!sum) {
    sum = fitting;
  } else if (sum.dtype() == fitting.dtype()) {
    sum = sum + fitting;
  } else {
    sum = cast_to(sum, DType::Float32) + cast_to(fitting, DType::Float32);
  }
}

// Where the elements of a window, a chain of movement over `base`, stand in `base`; empty if it has
// none.
UOp places_of(const UOp& window, const UOp& base) {
  // Whatever the base was made of is not looked at.
  const UOp leaf = param(0, base.shape_vec(), base.dtype());
  const UOp view = substitute(window, {{base.node(), leaf}});
  const UOp marks = gradient(view, const_like(view, 1.0), std::span(&leaf, 1))[0];
  return marks ? ne(marks, const_like(marks, 0.0)) : UOp{};
}

// Of storage that was written: what is read of a window is the value that was stored there last,
// all else what was there before.
void flow_through_stores(const UOp& after, const UOp& dy, const NodeSet& on, Grad& grads) {
  const UOp base = after.src(0);
  UOp rest = dy;
  for (int k = after.n_src(); k-- > 1;) {
    const UOp store = after.src(k);
    if (!store.is(Op::Store)) continue;
    const UOp window = store.src(0), value = store.src(1);
    if (on.contains(value.node()))
      add_to(grads, value.node(), substitute(window, {{base.node(), rest}}));
    if (window == base) return;  // nothing of before is left
    if (const UOp written = places_of(window, base))
      rest = where(written, const_like(rest, 0.0), rest);
  }
  if (on.contains(base.node())) add_to(grads, base.node(), rest);
}

// Whether the gradient of a node may reach the source: of a store it is the value's.
bool depends_on(const Node* n, const NodeSet& on) {
  if (n->op == Op::Store) return on.contains(n->src()[1]);
  if (!is_float(n->dtype) || record(n->op).grad.kind == GradRule::Kind::Zero) return false;
  return std::ranges::any_of(n->src(), [&](const Node* s) { return on.contains(s); });
}

}  // namespace

NodeSet differentiable_from(std::span<const Node* const> order, const NodeSet& targets) {
  NodeSet on;
  for (const Node* n : order) {
    if (targets.contains(n) || depends_on(n, on)) on.insert(n);
  }
  return on;
}

std::vector<UOp> gradient(const UOp& loss, const UOp& seed, std::span<const UOp> targets) {
  check_seed(loss, seed);
  NodeSet wanted;
  for (const UOp& t : targets) wanted.insert(t.node());
  const std::vector<const Node*> order = toposort(loss);
  const NodeSet on = differentiable_from(order, wanted);
  Grad grads;
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
    const UOp dy = keeps_wide(n) ? found->second : cast_to(found->second, n->dtype);
    if (!wanted.contains(n)) grads.erase(found);
    const UOp y = UOp::share(n);
    if (y.is(Op::After)) {
      flow_through_stores(y, dy, on, grads);
      continue;
    }
    const Grads parts = source_gradients(y, dy);
    for (size_t k = 0; k < parts.size(); ++k) {
      const Node* s = n->src()[k];
      if (parts[k] && on.contains(s)) add_to(grads, s, parts[k]);
    }
  }
  std::vector<UOp> out;
  for (const UOp& t : targets) {
    const auto found = grads.find(t.node());
    if (found == grads.end()) {
      out.emplace_back();
      continue;
    }
    const UOp dy = cast_to(found->second, t.dtype());
    // Of a constant slope nothing else says where it lives.
    const bool nowhere = dy.device() == 0 && t.device() != 0;
    out.push_back(nowhere ? copy_to(dy, t.device()) : dy);
  }
  return out;
}

}  // namespace tg

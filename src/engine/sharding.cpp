// The rule of each family of operations. See sharding.h.
#include "engine/sharding.h"

#include <algorithm>

#include "runtime/buffer.h"
#include "support/check.h"
#include "tg/ir/walk.h"
#include "uop/device_groups.h"

namespace tg {
namespace {

using AxisOf = FunctionRef<int(const Node*)>;

size_t count_of(const Node* n) { return members_of(n->device).size(); }

bool has(std::span<const int64_t> axes, int axis) {
  return std::ranges::find(axes, int64_t{axis}) != axes.end();
}

bool divides(size_t count, Dim size) { return size % static_cast<Dim>(count) == 0; }

// A window or a border keeps the axis if it leaves parts of equal size, even if elements move from
// one member to another.
int kept_if_even(const Node* n, int axis) {
  const Dim size = n->shape()[static_cast<size_t>(axis)];
  return size > 0 && divides(count_of(n), size) ? axis : kWhole;
}

int moved_axis(const Node* n, int axis) {
  if (axis == kWhole) return kWhole;
  switch (n->op) {
    case Op::Reshape:
      return reshaped_axis(n->src()[0]->shape(), n->shape(), axis, count_of(n));
    case Op::Permute:
      return static_cast<int>(std::ranges::find(n->arg(), int64_t{axis}) - n->arg().begin());
    case Op::Pad:
    case Op::Shrink:
      return kept_if_even(n, axis);
    case Op::Shear:
      return n->arg()[0] == axis || n->arg()[1] == axis ? kWhole : axis;
    case Op::Offset:
    case Op::Limit:
      return n->arg()[0] == axis ? kWhole : axis;
    default:
      return axis;  // EXPAND, FLIP
  }
}

int gathered_axis(const Node* n, AxisOf of) {
  const int index = of(n->src()[1]), x = of(n->src()[0]);
  if (index != kWhole) return index;
  return x == n->arg()[0] ? kWhole : x;
}

int scattered_axis(const Node* n, AxisOf of) {
  for (const Node* s : {n->src()[2], n->src()[1], n->src()[0]}) {
    const int axis = of(s);
    if (axis != kWhole && axis != n->arg()[0]) return axis;
  }
  return kWhole;
}

// Of operands that are split differently the last one decides.
int joined_axis(const Node* n, AxisOf of) {
  int axis = kWhole;
  for (const Node* s : n->src()) {
    const int here = of(s);
    if (here != kWhole) axis = here;
  }
  return axis;
}

int any_axis(const Node* n, AxisOf of) {
  if (in_group(n->op, kMovement)) return moved_axis(n, of(n->src()[0]));
  switch (n->op) {
    case Op::Buffer:
      return n->resource == nullptr ? kWhole : static_cast<Buffer*>(n->resource)->axis();
    case Op::Copy:
      return n->arg().empty() ? kWhole : static_cast<int>(n->arg()[0]);
    case Op::Const:
    case Op::Iota:
      return kWhole;
    case Op::Gather:
      return gathered_axis(n, of);
    case Op::Scatter:
      return scattered_axis(n, of);
    case Op::Reduce: {
      const int axis = of(n->src()[0]);
      return has(n->arg().subspan(1), axis) ? kWhole : axis;
    }
    case Op::Scan: {
      const int axis = of(n->src()[0]);
      return axis == n->arg()[1] ? kWhole : axis;
    }
    case Op::After:
    case Op::WithGradient:
      return of(n->src()[0]);
    default:
      return joined_axis(n, of);
  }
}

}  // namespace

int reshaped_axis(std::span<const Dim> from, std::span<const Dim> to, int axis, size_t count) {
  Dim before = 1, reached = 1;
  for (int a = 0; a < axis; ++a) before *= from[static_cast<size_t>(a)];
  int found = kWhole;
  for (size_t a = 0; a < to.size() && reached <= before; ++a) {
    if (reached == before) found = static_cast<int>(a);  // the last: axes of size 1 stand before it
    reached *= to[a];
  }
  if (found == kWhole || before == 0) return kWhole;
  return divides(count, to[static_cast<size_t>(found)]) ? found : kWhole;
}

// What exists of an axis of variable size does not depend on equal parts.
int axis_of(const Node* n, AxisOf of) {
  const int axis = any_axis(n, of);
  return axis != kWhole && n->limit(static_cast<size_t>(axis)) != nullptr ? kWhole : axis;
}

int summed_axis(const Node* n, AxisOf of) {
  if (n->op == Op::Reduce) {
    const int axis = of(n->src()[0]);
    return axis != kWhole && has(n->arg().subspan(1), axis) ? axis : kWhole;
  }
  const bool adds = n->op == Op::Scatter && static_cast<Combine>(n->arg()[1]) == Combine::Add;
  if (!adds || scattered_axis(n, of) != kWhole) return kWhole;
  const int values = of(n->src()[2]), index = of(n->src()[1]);
  return values != kWhole ? values : index;
}

int shard_axis(const UOp& x) {
  if (!is_group(x.device())) return kWhole;
  std::unordered_map<const Node*, int> axes;
  const auto known = [&](const Node* n) {
    const auto found = axes.find(n);
    return found == axes.end() ? kWhole : found->second;
  };
  // What a copy or a stored value is made of does not matter.
  const auto ends = [](const Node* n) { return n->op == Op::Copy || !is_group(n->device); };
  for (const Node* n : toposort(std::span(&x, 1), ends)) {
    if (is_group(n->device) && n->op != Op::Store) axes.emplace(n, axis_of(n, known));
  }
  return known(x.node());
}

}  // namespace tg

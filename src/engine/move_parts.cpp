// See move_parts.h.
#include "engine/move_parts.h"

#include <algorithm>

#include "tg/ir/walk.h"
#include "uop/device_groups.h"

namespace tg {
namespace {

// The node with another first source and argument.
UOp with_first(const Node* n, const UOp& x, IntSpan arg) {
  std::vector<UOp> src = {x};
  for (const Node* s : n->src().subspan(1)) src.push_back(UOp::share(s));
  return make(n->op, src, arg);
}

bool touches(const Node* n, int axis) {
  const auto a = static_cast<size_t>(axis);
  return n->shape()[a] != n->src()[0]->shape()[a] ||
         (n->op == Op::Pad && n->arg()[2 * a] + n->arg()[2 * a + 1] != 0);
}

bool flips(const Node* n, int axis) {
  return n->op == Op::Flip && std::ranges::find(n->arg(), int64_t{axis}) != n->arg().end();
}

// The argument of the op on a part, which is as long as it is along its axis.
std::vector<int64_t> part_argument(const Node* n, int after, size_t count) {
  std::vector<int64_t> arg(n->arg().begin(), n->arg().end());
  if (after == kWhole) return arg;
  const auto a = static_cast<size_t>(after);
  const auto size = n->shape()[a] / static_cast<Dim>(count);
  if (n->op == Op::Reshape || n->op == Op::Expand) arg[a] = size;
  if (n->op == Op::Shrink) arg[2 * a + 1] = size;
  return arg;
}

// A window or border along the axis: what else the op does is done on each part, and then each
// member takes the elements that it shall have.
Spread window_along(const Node* n, const Spread& x, int after) {
  const auto a = static_cast<size_t>(x.axis);
  std::vector<int64_t> others(n->arg().begin(), n->arg().end());
  const bool pads = n->op == Op::Pad;
  const Dim begin = pads ? -others[2 * a] : others[2 * a], length = n->shape()[a];
  others[2 * a] = 0;
  others[2 * a + 1] = pads ? 0 : x.parts[0].dim(x.axis);
  const Scalar fill = pads ? Scalar::of_bits(static_cast<uint64_t>(others.back()), n->dtype)
                           : Scalar::of_int(0, n->dtype);
  Spread inner{x.group, x.axis, {}};
  for (const UOp& p : x.parts) inner.parts.push_back(with_first(n, p, others));
  const auto members = members_of(x.group);
  const Dim size = after == kWhole ? length : length / static_cast<Dim>(members.size());
  Spread out{x.group, after, {}};
  for (size_t k = 0; k < members.size(); ++k) {
    const Dim from = begin + (after == kWhole ? 0 : static_cast<Dim>(k) * size);
    out.parts.push_back(window_of(inner, from, size, fill, members[k]));
  }
  return out;
}

}  // namespace

bool moves_within_parts(const Node* n, int before, int after) {
  if (before == kWhole) return true;
  if (after == kWhole || flips(n, before)) return false;
  const bool windows = n->op == Op::Pad || n->op == Op::Shrink;
  return !windows || !touches(n, before);
}

Spread moved_parts(const Node* n, const Spread& x) {
  const auto axis_of_x = [&](const Node* s) { return s == n->src()[0] ? x.axis : kWhole; };
  const int after = axis_of(n, axis_of_x);
  const auto members = members_of(x.group);
  const bool windows = n->op == Op::Pad || n->op == Op::Shrink;
  if (!moves_within_parts(n, x.axis, after) && windows) return window_along(n, x, after);
  Spread from = x;
  if (x.axis != kWhole && after == kWhole) from = moved_to(x, x.group, kWhole);
  // The last part, mirrored, is the first.
  if (x.axis != kWhole && flips(n, x.axis)) std::ranges::reverse(from.parts);
  const std::vector<int64_t> arg = part_argument(n, after, members.size());
  Spread out{x.group, after, {}};
  for (size_t k = 0; k < members.size(); ++k) {
    const UOp& p = from.parts[k];
    out.parts.push_back(with_first(n, p.device() == 0 ? p : copy_to(p, members[k]), arg));
  }
  return out;
}

}  // namespace tg

// One case an op; reshape goes through the flat index. See index_map.h.
#include "schedule/index_map.h"

#include <algorithm>

#include "rules/valid.h"
#include "support/check.h"
#include "tg/ir/walk.h"
#include "uop/shape.h"

namespace tg {
namespace {

// lo ≤ i < hi, without the halves that always hold; empty if both do.
UOp between(const UOp& i, int64_t lo, int64_t hi, IndexSimplifier& simplify) {
  const Interval b = simplify.bounds_of(i);
  UOp gate;
  if (b.hi >= hi) gate = both_gates(gate, simplify(lt(i, index_const(hi))));
  if (b.lo < lo) gate = both_gates(gate, simplify(lt(index_const(lo - 1), i)));
  return gate;
}

std::vector<UOp> map_reshape(const Node* x, const std::vector<UOp>& idx,
                             IndexSimplifier& simplify) {
  const auto from = x->shape(), to = x->src()[0]->shape();
  std::vector<UOp> out(to.size(), index_const(0));
  if (numel(to) == 0) return out;  // nothing is ever read
  // Blocks of axes with equal products are mapped apart from each other, which keeps expressions
  // small.
  size_t i = 0, j = 0;
  while (i < from.size() || j < to.size()) {
    const size_t i0 = i, j0 = j;
    int64_t a = i < from.size() ? from[i++] : 1, b = j < to.size() ? to[j++] : 1;
    while (a != b) {
      if (a < b) {
        a *= from[i++];
      } else {
        b *= to[j++];
      }
    }
    UOp flat = index_const(0);
    for (size_t k = i0; k < i; ++k) flat = flat * from[k] + idx[k];
    int64_t stride = b;
    for (size_t k = j0; k < j; ++k) {
      stride /= std::max<int64_t>(to[k], 1);
      if (to[k] == 1) continue;
      UOp digit = stride == 1 ? flat : idiv(flat, index_const(stride));
      if (k != j0) digit = mod(digit, index_const(to[k]));
      out[k] = simplify(digit);
    }
  }
  return out;
}

}  // namespace

IndexedRead map_read(const Node* x, const IndexedRead& read, IndexSimplifier& simplify,
                     UOp& inside) {
  IndexedRead out{read.idx, read.gate};
  const auto arg = x->arg();
  auto fill_outside = [&](size_t axis, const UOp& i) {
    out.idx[axis] = simplify(i);
    inside = both_gates(inside, between(out.idx[axis], 0, x->src()[0]->shape()[axis], simplify));
  };
  inside = {};
  switch (x->op) {
    case Op::Reshape:
      out.idx = map_reshape(x, read.idx, simplify);
      break;
    case Op::Permute:
      for (size_t i = 0; i < arg.size(); ++i) out.idx[static_cast<size_t>(arg[i])] = read.idx[i];
      break;
    case Op::Expand:
      for (size_t i = 0; i < arg.size(); ++i) {
        if (x->src()[0]->shape()[i] == 1) out.idx[i] = index_const(0);
      }
      break;
    case Op::Shrink:
      for (size_t i = 0; i < out.idx.size(); ++i) {
        if (arg[2 * i] != 0) out.idx[i] = simplify(read.idx[i] + index_const(arg[2 * i]));
      }
      break;
    case Op::Flip:
      for (int64_t a : arg) {
        const size_t i = static_cast<size_t>(a);
        out.idx[i] = simplify(index_const(x->shape()[i] - 1) - read.idx[i]);
      }
      break;
    case Op::Pad:
      for (size_t i = 0; i < out.idx.size(); ++i) {
        if (arg[2 * i] != 0 || arg[2 * i + 1] != 0) fill_outside(i, read.idx[i] - arg[2 * i]);
      }
      break;
    case Op::Shear: {
      const size_t i = static_cast<size_t>(arg[0]), k = static_cast<size_t>(arg[1]);
      fill_outside(i, read.idx[i] + read.idx[k] * arg[2] + arg[3]);
      break;
    }
    case Op::Offset:
      fill_outside(static_cast<size_t>(arg[0]),
                   read.idx[static_cast<size_t>(arg[0])] + UOp::share(x->src()[1]));
      break;
    case Op::Limit:
      break;
    default:
      TG_CHECK(false, "{} is no movement op", op_name(x->op));
  }
  out.gate = both_gates(read.gate, inside);
  return out;
}

bool mixes(const IndexedRead& read, std::span<const Node* const> ranges) {
  const std::vector<UOp> idx = read.gate ? simplify_under(read.gate, read.idx) : read.idx;
  for (const UOp& index : idx) {
    for (const Node* n : toposort(index)) {
      if (n->op != Op::IDiv && n->op != Op::Mod) continue;
      const std::vector<UOp> free = free_ranges(UOp::share(n->src()[0]));
      const auto inner = std::ranges::count_if(
          free, [&](const UOp& f) { return std::ranges::find(ranges, f.node()) != ranges.end(); });
      if (inner > 0 && inner < std::ssize(free)) return true;
    }
  }
  return false;
}

}  // namespace tg

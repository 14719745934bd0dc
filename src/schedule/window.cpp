// Chains with borders are judged by the indices that reach the storage. See window.h.
#include "schedule/window.h"

#include <algorithm>

#include "kernel/element_sharing.h"
#include "schedule/index_map.h"
#include "schedule/tensor_graph.h"
#include "uop/shape.h"

namespace tg {
namespace {

bool passes(const Node* n) { return in_group(n->op, kMovement) || n->op == Op::Detach; }

// An index for each axis of the view.
std::vector<UOp> fresh_ranges(const Node* view) {
  std::vector<UOp> out;
  for (Dim d : view->shape())
    out.push_back(d == 1 ? index_const(0) : range(d, static_cast<int64_t>(out.size())));
  return out;
}

// The indices at which the storage is read by the element of the view at fresh ranges; empty if
// some element may be a fill value.
std::vector<UOp> indices_below(const Node* view) {
  IndexSimplifier simplify;
  IndexedRead at{fresh_ranges(view), {}};
  for (; !is_storage(view); view = view->src()[0]) {
    if (view->op == Op::Detach) continue;
    UOp inside;
    at = map_read(view, at, simplify, inside);
    if (inside) return {};
  }
  return at.idx;
}

bool is_empty(const Node* n) { return std::ranges::find(n->shape(), 0) != n->shape().end(); }

}  // namespace

const Node* storage_below(const Node* view) {
  const Node* n = view;
  bool borders = false;
  for (; !is_storage(n); n = n->src()[0]) {
    if (!passes(n)) return nullptr;
    borders = borders || n->op == Op::Pad || n->op == Op::Shear;
  }
  const bool fills = borders && !is_empty(view) && indices_below(view).empty() && n->n_dim != 0;
  return fills ? nullptr : n;
}

bool is_injective(const Node* view) {
  bool overlaps = false;
  for (const Node* n = view; !is_storage(n); n = n->src()[0]) {
    overlaps = overlaps || n->op == Op::Expand || n->op == Op::Shear;
  }
  if (!overlaps || is_empty(view)) return true;
  const Node* base = storage_below(view);
  if (base == nullptr) return false;
  const std::vector<UOp> index = indices_below(view);
  if (index.empty()) return base->n_dim == 0 && numel(view->shape()) == 1;
  return ranges_sharing_elements({index, {}}, fresh_ranges(view)).empty();
}

}  // namespace tg

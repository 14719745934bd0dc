// Chains with borders are judged by the indices that reach the storage. See window.h.
#include "schedule/window.h"

#include <algorithm>

#include "kernel/affine.h"
#include "schedule/index_map.h"
#include "schedule/tensor_graph.h"

namespace tg {
namespace {

bool passes(const Node* n) { return in_group(n->op, kMovement) || n->op == Op::Detach; }

// The indices at which the storage is read by the element of the view at fresh ranges; empty if
// some element may be a fill value.
std::vector<UOp> indices_below(const Node* view) {
  IndexSimplifier simplify;
  IndexedRead at;
  int64_t id = 0;
  for (Dim d : view->shape()) at.idx.push_back(d == 1 ? index_const(0) : range(d, id++));
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
  // Distinct if each range steps over all that the ranges with smaller steps reach.
  Affine flat = flat_index(indices_below(view), base->shape());
  std::ranges::sort(flat.terms, {}, [](const Affine::Term& t) { return std::abs(t.coef); });
  int64_t reach = 0, elements = 1;
  for (const Affine::Term& t : flat.terms) {
    if (!t.term.is(Op::Range) || std::abs(t.coef) <= reach) return false;
    const int64_t extent = t.term.src_node(0)->arg()[0];
    reach += std::abs(t.coef) * (extent - 1);
    elements *= extent;
  }
  int64_t wanted = 1;
  for (Dim d : view->shape()) wanted *= d;
  return flat.ok && elements == wanted;
}

}  // namespace tg

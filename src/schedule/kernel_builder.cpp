// One kernel a node: see value_builder.h for what is in it. See kernel_builder.h.
#include "schedule/kernel_builder.h"

#include <algorithm>
#include <array>

#include "kernel/asked_loops.h"
#include "schedule/value_builder.h"
#include "support/check.h"
#include "tg/ir/walk.h"
#include "uop/shape.h"

namespace tg {
namespace {

bool computes_scan(const Node* x) {
  const std::array roots = {UOp::share(x)};
  const auto ends = [](const Node* n) { return !in_group(n->op, kElementwise); };
  return std::ranges::any_of(toposort(roots, ends),
                             [](const Node* n) { return n->op == Op::Scan; });
}

// Whether each axis of `to` is some neighbours of `from`, in order.
bool joins_axes(std::span<const Dim> from, std::span<const Dim> to) {
  size_t i = 0;
  for (const Dim d : to) {
    Dim joined = 1;
    while (i < from.size() && joined < d) joined *= from[i++];
    if (joined != d) return false;
  }
  return std::ranges::all_of(from.subspan(i), [](Dim d) { return d == 1; });
}

}  // namespace

Shape loops_of_kernel(const Node* x) {
  const Node* r = x->op == Op::Contiguous ? x->src()[0] : x;
  const bool joins = r->op == Op::Reshape && r->n_limit == 0 && numel(r->shape()) > 0 &&
                     computes_scan(r->src()[0]) && joins_axes(r->src()[0]->shape(), r->shape());
  const auto shape = joins ? r->src()[0]->shape() : x->shape();
  return {shape.begin(), shape.end()};
}

std::vector<UOp> index_at_loops(const Node* x, std::span<const UOp> loops) {
  const Shape extents = loops_of_kernel(x);
  if (std::ranges::equal(extents, x->shape())) return {loops.begin(), loops.end()};
  std::vector<UOp> index;
  size_t i = 0;
  for (const Dim d : x->shape()) {
    UOp at = index_const(0);
    for (Dim joined = 1; i < loops.size() && joined < d; joined *= extents[i++])
      at = extents[i] == 1 ? at : at * extents[i] + loops[i];
    index.push_back(at);
  }
  return index;
}

BuiltKernel build_kernel(const Node* x, const InMemory& in_memory) {
  ValueBuilder b(in_memory);
  const UOp ptr = b.storage(x);
  const std::vector<UOp> loops = b.fresh_indices(loops_of_kernel(x)),
                         idx = index_at_loops(x, loops);
  BuiltKernel out = b.finish(ptr, idx, b.compute(x, idx), loops, b.exists(x, idx), Combine::Set);
  out.ast = with_asked_loops(out.ast, UOp::share(x));
  return out;
}

BuiltKernel build_store_kernel(const Node* store, const InMemory& in_memory) {
  ValueBuilder b(in_memory);
  const Node *view = store->src()[0], *v = store->src()[1];
  const std::vector<UOp> idx = b.fresh_indices(v->shape());
  IndexedRead at{idx, {}};
  at.gate = both_gates(b.exists(view, idx), b.exists(v, idx));
  while (!is_storage(view)) {
    TG_CHECK(in_group(view->op, kMovement) || view->op == Op::Detach, "store through {}",
             op_name(view->op));
    UOp inside;
    if (view->op != Op::Detach) at = map_read(view, at, b.simplify(), inside);
    TG_CHECK(!inside || view->op == Op::Offset, "store through {}", op_name(view->op));
    view = view->src()[0];
  }
  const UOp ptr = b.storage(view);
  return b.finish(ptr, at.idx, b.read(v, idx), idx, at.gate, Combine::Set);
}

}  // namespace tg

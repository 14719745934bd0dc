// One kernel a node: see value_builder.h for what is in it. See kernel_builder.h.
#include "schedule/kernel_builder.h"

#include "schedule/value_builder.h"
#include "support/check.h"

namespace tg {

BuiltKernel build_kernel(const Node* x, const InMemory& in_memory) {
  ValueBuilder b(in_memory);
  const UOp ptr = b.storage(x);
  const std::vector<UOp> idx = b.fresh_indices(x->shape());
  return b.finish(ptr, idx, b.compute(x, idx), idx, b.exists(x, idx), Combine::Set);
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

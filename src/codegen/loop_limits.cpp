// See loop_limits.h. A reduction does nothing where its value is its identity, a store nothing
// where its gate is false.
#include "codegen/loop_limits.h"

#include <algorithm>

#include "rules/index.h"
#include "uop/walk.h"

namespace tg {
namespace {

// The condition without which an effect or reduction does nothing; empty if there is none.
UOp condition_of(const Node* closing) {
  if (closing->op == Op::End) {
    const Node* store = closing->src()[0];
    if (store->op != Op::Store) return {};
    const size_t without_gate = 2 + static_cast<size_t>(store->src()[0]->n_dim);
    return store->n_src > without_gate ? UOp::share(store->src()[store->n_src - 1]) : UOp{};
  }
  const UOp value = UOp::share(closing->src()[0]);
  if (!value.is(Op::Where) || !value.src(2).is(Op::Const)) return {};
  const Scalar identity = reduce_identity(static_cast<ReduceOp>(closing->arg()[0]), value.dtype());
  return value.src(2).scalar() == identity ? value.src(0) : UOp{};
}

bool is_uniform(const UOp& e) {
  return std::ranges::all_of(toposort(e), [](const Node* n) {
    return n->op == Op::Var || n->op == Op::Const || in_group(n->op, kElementwise);
  });
}

// The limit that `range + rest < k`, one conjunct of a condition, sets: k − rest. Comparisons come
// as terms < constant (rules/index.h).
UOp limit_in(const UOp& conjunct, const UOp& range) {
  if (!conjunct.is(Op::CmpLt) || conjunct.src(0).dtype() != DType::Index) return {};
  Affine sum = Affine::of(conjunct.src(0));
  sum.add(Affine::of(conjunct.src(1)), -1);
  const auto at = std::ranges::find(sum.terms, range, &Affine::Term::term);
  if (!sum.ok || at == sum.terms.end() || at->coef != 1) return {};
  sum.terms.erase(at);
  const UOp limit = sum.times(-1).to_uop();
  return limit.dtype() == DType::Index && is_uniform(limit) ? limit : UOp{};
}

UOp limit_of(const UOp& condition, const UOp& range) {
  if (!condition) return {};
  for (const UOp& c : conjuncts(condition)) {
    if (UOp limit = limit_in(c, range)) return limit;
  }
  return {};
}

}  // namespace

std::vector<UOp> loop_limits(const UOp& kernel, const KernelSchedule& schedule) {
  std::vector<UOp> out(schedule.bases.size());
  std::vector<bool> seen(out.size(), false);
  for (const Node* n : toposort(kernel)) {
    if (n->op != Op::Reduce && n->op != Op::End && n->op != Op::Stage) continue;
    const UOp condition = n->op == Op::Stage ? UOp{} : condition_of(n);
    for (const Node* r : n->src().subspan(1)) {
      const int base = schedule.find_base(UOp::share(r));
      if (base < 0) continue;
      const auto b = static_cast<size_t>(base);
      const UOp limit = limit_of(condition, UOp::share(r));
      if (!seen[b]) {
        out[b] = limit;
      } else if (out[b] != limit) {
        out[b] = {};
      }
      seen[b] = true;
    }
  }
  return out;
}

}  // namespace tg

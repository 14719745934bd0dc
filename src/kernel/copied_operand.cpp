// What of a kernel may be copied before it is used: a load, or an expression of loads point by
// point whose ranges are whole indices of one of them. Declared with the schedule's other parts in
// kernel_schedule.h; the copy itself: src/codegen/stage.h.
#include <algorithm>
#include <optional>
#include <unordered_set>

#include "kernel/affine.h"
#include "kernel/kernel_schedule.h"
#include "rules/index.h"
#include "tg/ir/walk.h"

namespace tg {

std::vector<WalkedRange> walked_ranges(const UOp& load) {
  std::vector<WalkedRange> out;
  for (int d = 0; d < load.src_node(0)->n_dim; ++d) {
    const Affine index = Affine::of(load.src(1 + d));
    if (index.terms.size() == 1 && index.terms[0].coef == 1 && index.terms[0].term.is(Op::Range))
      out.push_back({index.terms[0].term, d, index.constant});
  }
  return out;
}

namespace {

bool walks_all(const UOp& load, std::span<const UOp> ranges) {
  const std::vector<WalkedRange> walked = walked_ranges(load);
  return std::ranges::all_of(ranges, [&](const UOp& r) {
    return std::ranges::find(walked, r, &WalkedRange::range) != walked.end();
  });
}

bool has_load(const UOp& u) {
  return std::ranges::any_of(toposort(u), [](const Node* n) { return n->op == Op::Load; });
}

// Loads of an expression that nothing else is part of, but for results of reductions and numbers
// made of indices alone; nothing if something is. Without `gated`, loads have no gates.
std::optional<std::vector<UOp>> loads_of_expression(const UOp& operand, bool gated) {
  std::vector<UOp> loads;
  std::unordered_set<const Node*> seen;
  std::vector<UOp> work = {operand};
  while (!work.empty()) {
    const UOp u = work.back();
    work.pop_back();
    if (!seen.insert(u.node()).second || u.is(Op::Const)) continue;
    if ((u.dtype() == DType::Index || (gated && u.dtype() == DType::Bool)) && !has_load(u))
      continue;
    if (u.is(Op::Reduce) && !is_running(u.node())) continue;
    if (u.is(Op::Load) && (gated || !gate_of(u)) && u.src(0).is(Op::Param)) {
      loads.push_back(u);
    } else if (in_group(u.op(), kElementwise)) {
      for (int i = 0; i < u.n_src(); ++i) work.push_back(u.src(i));
    } else {
      return {};
    }
  }
  return loads;
}

}  // namespace

UOp staged_load(const UOp& operand) {
  UOp load = operand;
  while (load.is(Op::Where)) load = load.src(1);
  if (load.is(Op::Load)) return load;
  const std::vector<UOp> ranges = free_ranges(operand);
  const std::vector<UOp> loads = loads_of_expression(operand, true).value_or(std::vector<UOp>{});
  for (const UOp& l : loads) {
    if (!gate_of(l) && walks_all(l, ranges)) return l;
  }
  const auto n_ranges = [](const UOp& l) { return free_ranges(l).size(); };
  return loads.empty() ? UOp{} : *std::ranges::max_element(loads, {}, n_ranges);
}

std::vector<UOp> reductions_of(const UOp& operand) {
  std::vector<UOp> found, work = {operand};
  std::unordered_set<const Node*> seen;
  while (!work.empty()) {
    const UOp u = work.back();
    work.pop_back();
    if (!seen.insert(u.node()).second) continue;
    if (u.is(Op::Reduce)) {
      found.push_back(u);
    } else if (!u.is(Op::Load)) {
      for (int i = 0; i < u.n_src(); ++i) work.push_back(u.src(i));
    }
  }
  return found;
}

bool is_copied_factor(const UOp& operand) {
  return in_group(operand.op(), kElementwise) && reductions_of(operand).empty() &&
         !loads_of_expression(operand, true).value_or(std::vector<UOp>{}).empty();
}

bool is_copied_expression(const UOp& operand) {
  const bool number = operand.dtype() != DType::Index && operand.dtype() != DType::Bool;
  if (!number || !in_group(operand.op(), kElementwise) || !loads_of_expression(operand, false))
    return false;
  const UOp load = staged_load(operand);
  return load && walks_all(load, free_ranges(operand));
}

}  // namespace tg

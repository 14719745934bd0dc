// See repeated_terms.h.
#include "codegen/repeated_terms.h"

#include <algorithm>
#include <unordered_set>

#include "tg/ir/walk.h"

namespace tg {
namespace {

using NodeSet = std::unordered_set<const Node*>;

NodeSet nodes_of(const UOp& kernel) {
  const std::vector<const Node*> order = toposort(kernel);
  return {order.begin(), order.end()};
}

bool depends_on(const UOp& u, const UOp& range) {
  return std::ranges::count(free_ranges(u), range) > 0;
}

// Of an element, those on indices and of reductions aside.
int64_t operations_of(const UOp& expression) {
  const auto is_leaf = [](const Node* n) { return n->op == Op::Reduce || n->op == Op::Load; };
  const std::vector<const Node*> all = toposort(std::span(&expression, 1), is_leaf);
  return std::ranges::count_if(all, [](const Node* n) {
    return in_group(n->op, kElementwise) && n->dtype != DType::Index && n->op != Op::Const;
  });
}

// The largest parts of `term` that are in the kernel and depend on `range`.
std::vector<UOp> parts_in(const NodeSet& kernel, const UOp& term, const UOp& range) {
  std::vector<UOp> found, work = {term};
  NodeSet seen;
  while (!work.empty()) {
    const UOp u = work.back();
    work.pop_back();
    if (!seen.insert(u.node()).second || !in_group(u.op(), kElementwise)) continue;
    if (kernel.contains(u.node()) && depends_on(u, range)) {
      found.push_back(u);
      continue;
    }
    for (int i = 0; i < u.n_src(); ++i) work.push_back(u.src(i));
  }
  return found;
}

// How many loops stand outside a row along `own`: all of those that it depends on else, as loops;
// −1 if they are not.
int level_of_row(const KernelSchedule& s, std::span<const UOp> ranges, const UOp& own) {
  int level = 0;
  for (const UOp& r : ranges) {
    if (r == own) continue;
    for (const int axis : s.digits(s.find_base(r))) {
      const Kind kind = s.axes[static_cast<size_t>(axis)].kind;
      if (kind != Kind::Serial && kind != Kind::Thread) return -1;
      level = std::max(level, axis + 1);
    }
  }
  const auto is_outside = [&](const Axis& a) {
    const UOp& range = s.bases[static_cast<size_t>(a.base)].range;
    return range != own && std::ranges::count(ranges, range) > 0;
  };
  const auto outside = std::span(s.axes).first(static_cast<size_t>(level));
  return std::ranges::all_of(outside, is_outside) ? level : -1;
}

}  // namespace

std::optional<Twin> twin_of(const UOp& kernel, const KernelSchedule& s, const UOp& operand,
                            int base) {
  const BaseRange& own = s.bases[static_cast<size_t>(base)];
  if (own.extent == 1) return std::nullopt;
  const NodeSet nodes = nodes_of(kernel);
  for (size_t b = 0; b < s.bases.size(); ++b) {
    const BaseRange& other = s.bases[b];
    const bool as_long = static_cast<int>(b) != base && other.extent == own.extent;
    if (!as_long || depends_on(operand, other.range)) continue;
    const UOp twin = substitute(operand, {{own.range.node(), other.range}});
    if (nodes.contains(twin.node())) return Twin{twin, static_cast<int>(b)};
  }
  return std::nullopt;
}

UOp repeated_term(const UOp& kernel, const KernelSchedule& s, const UOp& reduce,
                  int64_t operations) {
  if (reduce.n_src() != 2 || operations_of(reduce.src(0)) < operations) return {};
  const UOp range = reduce.src(1);
  const NodeSet nodes = nodes_of(kernel);
  for (const BaseRange& other : s.bases) {
    const bool as_long = other.range != range && range.src(0) == other.range.src(0);
    if (!as_long || other.role != Role::Par || depends_on(reduce.src(0), other.range)) continue;
    const UOp term = substitute(reduce.src(0), {{range.node(), other.range}});
    for (const UOp& part : parts_in(nodes, term, other.range)) {
      const UOp own = substitute(part, {{other.range.node(), range}});
      const bool is_there = nodes.contains(own.node()) && is_copied_expression(own);
      if (is_there && operations_of(part) >= operations) return own;
    }
  }
  return {};
}

bool is_staged(const KernelSchedule& s, const UOp& operand) {
  return std::ranges::any_of(s.stages, [&](const Staging& other) {
    return staged_load(other.operand) == staged_load(operand);
  });
}

// The last reductions first: results that read a copy have no use for parts of what it holds.
void keep_repeated_terms(const UOp& kernel, const KernelFacts& facts, const Target& target,
                         KernelSchedule& s) {
  constexpr int64_t kLeastOperations = 8;
  UOp left = kernel;
  for (size_t i = facts.reduces.size(); i-- > 0;) {
    const UOp& reduce = facts.reduces[i];
    const UOp term = repeated_term(left, s, reduce, kLeastOperations);
    if (!term || is_staged(s, term)) continue;
    const UOp own = reduce.src(1);
    const int base = s.find_base(own), level = level_of_row(s, free_ranges(term), own);
    const int64_t bytes =
        static_cast<int64_t>(dtype_size(term.dtype())) * s.bases[static_cast<size_t>(base)].extent;
    const bool in_loops = level > 0 && level < loop_count(s);
    if (!in_loops || bytes > target.l2_bytes / 4) continue;
    const auto twin = twin_of(left, s, term, base);
    if (!twin) continue;
    opt_stage(s, {term, level});
    left = substitute(left, {{twin->expression.node(), constant(0.0, term.dtype())}});
  }
}

}  // namespace tg

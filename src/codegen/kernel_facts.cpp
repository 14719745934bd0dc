// See kernel_facts.h.
#include "codegen/kernel_facts.h"

#include <algorithm>

#include "codegen/scheduled_kernel.h"
#include "codegen/stage_dimension.h"
#include "tg/ir/walk.h"
#include "uop/shape.h"

namespace tg {
namespace {

// Of a value that lanes hold; 0 for indices and effects. Numbers that say where lanes are have
// words at the least.
int value_bytes(const Node* n) {
  constexpr int kWord = 4;
  const bool elementwise = in_group(n->op, kElementwise);
  if ((!elementwise && n->op != Op::Load) || n->dtype == DType::Index || n->dtype == DType::Void)
    return 0;
  const auto is_index = [](const Node* s) { return s->dtype == DType::Index; };
  const bool of_index = elementwise && std::ranges::any_of(n->src(), is_index);
  return std::max(of_index ? kWord : 1, static_cast<int>(dtype_size(n->dtype)));
}

}  // namespace

bool streams(const KernelFacts& facts) {
  if (!facts.reduces.empty() || !facts.quotients.empty() || facts.runs) return false;
  const auto contiguous_along = [&](size_t b) {
    return std::ranges::any_of(facts.accesses,
                               [b](const AccessFacts& a) { return a.stride[b] == 1; });
  };
  return std::ranges::none_of(facts.accesses, [&](const AccessFacts& a) {
    for (size_t b = 0; b < a.stride.size(); ++b) {
      if (a.depends[b] && a.stride[b] == 0 && contiguous_along(b)) return true;
    }
    return a.gated;
  });
}

KernelFacts facts_of(const UOp& kernel, const KernelSchedule& plain) {
  KernelFacts facts;
  std::vector<const Node*> read, written;
  facts.sharing = bases_sharing_elements(kernel, plain);
  facts.shared.resize(plain.bases.size(), true);
  for (const Node* n : toposort(kernel)) {
    for (size_t b = 0; n->op == Op::End && b < plain.bases.size(); ++b) {
      const auto closed = n->src().subspan(1);
      if (std::ranges::find(closed, plain.bases[b].range.node()) == closed.end())
        facts.shared[b] = false;
    }
    if (is_running(n)) facts.runs = true;
    if (n->op == Op::Reduce && !is_running(n)) facts.reduces.push_back(UOp::share(n));
    facts.max_value_bytes = std::max(facts.max_value_bytes, value_bytes(n));
    const bool divides = n->op == Op::IDiv || n->op == Op::Mod;
    if (divides && n->dtype == DType::Index && n->src()[1]->op == Op::Const &&
        n->src()[1]->arg()[0] > 0)
      facts.quotients.push_back(UOp::share(n));
    if (n->op != Op::Load && n->op != Op::Store) continue;
    AccessFacts a;
    a.access = UOp::share(n);
    a.store = n->op == Op::Store;
    a.gated = static_cast<bool>(gate_of(a.access));
    const UOp ptr = a.access.src(0);
    a.elements = numel(ptr.shape());
    (a.store ? written : read).push_back(ptr.node());
    std::vector<UOp> idx;
    for (int d = 0; d < ptr.ndim(); ++d) idx.push_back(a.access.src(1 + d));
    const Affine flat = flat_index(idx, ptr.shape());
    for (const BaseRange& b : plain.bases) {
      a.stride.push_back(coef_of(flat, b.range));
      a.depends.push_back(false);
    }
    for (const Affine::Term& t : flat.terms) {
      for (const UOp& r : free_ranges(t.term)) {
        const int base = plain.find_base(r);
        if (base >= 0) a.depends[static_cast<size_t>(base)] = true;
      }
    }
    const auto element_bytes = static_cast<int>(dtype_size(ptr.dtype()));
    facts.min_element_bytes = std::min(facts.min_element_bytes, element_bytes);
    facts.max_element_bytes = std::max(facts.max_element_bytes, element_bytes);
    facts.accesses.push_back(std::move(a));
  }
  facts.updates_in_place = std::ranges::any_of(
      written, [&](const Node* p) { return std::ranges::find(read, p) != read.end(); });
  return facts;
}

bool masks_loads(const Target& target, const KernelFacts& facts) {
  constexpr int kLeastBytes = 4;  // of AVX2's vmaskmovps
  return target.has_masked_access ||
         (target.has_masked_loads && facts.min_element_bytes >= kLeastBytes);
}

bool is_walked(const UOp& load) {
  if (!load.src(0).is(Op::Param)) return false;
  for (int d = 0; d < load.src_node(0)->n_dim; ++d) {
    for (const Affine::Term& t : Affine::of(load.src(1 + d)).terms) {
      if (!t.term.is(Op::Range)) return false;
    }
  }
  return gate_is_bounds(load);
}

int loop_of(const KernelSchedule& s, int base) {
  for (size_t i = 0; i < s.axes.size(); ++i) {
    if (s.axes[i].base == base &&
        (s.axes[i].kind == Kind::Serial || s.axes[i].kind == Kind::Thread))
      return static_cast<int>(i);
  }
  return -1;
}

int innermost_loop_of(const KernelSchedule& s, int base) {
  int found = -1;
  for (int i = 0; i < loop_count(s); ++i) {
    if (s.axes[static_cast<size_t>(i)].base == base) found = i;
  }
  return found;
}

bool is_unrolled(const KernelSchedule& s, int base) {
  return std::ranges::any_of(
      s.axes, [base](const Axis& a) { return a.base == base && a.kind == Kind::Unroll; });
}

int loop_count(const KernelSchedule& s) {
  return static_cast<int>(std::ranges::count_if(
      s.axes, [](const Axis& a) { return a.kind == Kind::Serial || a.kind == Kind::Thread; }));
}

int64_t staged_elements(const KernelSchedule& s, const Staging& staging) {
  const UOp load = staged_load(staging.operand);
  int64_t n = 1;
  for (int d = 0; d < load.src_node(0)->n_dim; ++d) {
    std::vector<Reach> reaches;
    for (const Affine::Term& t : Affine::of(load.src(1 + d)).terms) {
      const int b = s.find_base(t.term);
      for (size_t i = 0; i < s.axes.size(); ++i) {
        const Axis& a = s.axes[i];
        const bool loop = a.kind == Kind::Serial || a.kind == Kind::Thread;
        if (a.base == b && a.extent > 1 && (!loop || static_cast<int>(i) >= staging.level))
          reaches.push_back({t.coef * a.stride, a.extent});
      }
    }
    n = saturating_mul(n, copied_elements(reaches));
  }
  return n;
}

}  // namespace tg

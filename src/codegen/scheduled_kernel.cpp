// Substitution of base ranges by leaves. See scheduled_kernel.h; staged copies are stage.cpp.
#include "codegen/scheduled_kernel.h"

#include <algorithm>
#include <bit>

#include "codegen/legality.h"
#include "codegen/repeated_terms.h"
#include "codegen/stage.h"
#include "codegen/unit_product.h"
#include "codegen/work_item_ranges.h"
#include "rules/bounds.h"
#include "support/check.h"
#include "tg/ir/walk.h"
#include "uop/shape.h"

namespace tg {
namespace {

constexpr size_t kMaxLeaves = 64;

bool closes_ranges(Op op) { return op == Op::Reduce || op == Op::Stage || op == Op::End; }

class Applier {
 public:
  Applier(const UOp& kernel, const KernelSchedule& schedule, const Target& target)
      : kernel_(kernel), schedule_(schedule), target_(target) {}

  ScheduledKernel run() {
    check_legal(kernel_, schedule_);
    k_.updated_in_turn = arrays_updated_in_turn(kernel_);
    make_leaves();
    replace_ranges();
    set_limits();
    check_stage_levels();
    compute_deps(k_);
    share_work_items(k_, target_);
    begin_unit_product(k_, schedule_, target_);
    stage_operands();
    find_unit_product(k_);
    check_lanes();
    return std::move(k_);
  }

 private:
  // The value of a base range: its digits, outermost first. Shift clamps the start of the last
  // tile.
  UOp value_of(int base, std::span<const int> leaf_ids) {
    const BaseRange& b = k_.bases[static_cast<size_t>(base)];
    UOp sum;
    for (size_t i = 0; i < leaf_ids.size(); ++i) {
      const Leaf& leaf = k_.leaves[static_cast<size_t>(leaf_ids[i])];
      UOp part = leaf.stride == 1 ? leaf.range : leaf.range * leaf.stride;
      if (i == 0 && b.tail == Tail::Shift) part = minimum(part, index_const(b.extent - b.tile));
      sum = sum ? sum + part : part;
    }
    return sum ? sum : index_const(0);
  }

  void make_leaves() {
    k_.bases = schedule_.bases;
    for (const Axis& a : schedule_.axes) {
      const int id = k_.add_leaf(a.base, a.stride, a.extent, a.kind);
      k_.leaves[static_cast<size_t>(id)].unit_bit = a.unit_bit;
    }
    for (size_t b = 0; b < k_.bases.size(); ++b) {
      k_.base_value.push_back(value_of(static_cast<int>(b), schedule_.digits(static_cast<int>(b))));
    }
  }

  // The closing ops list leaf ranges in place of the base range; everywhere else the base range
  // becomes its value.
  void replace_ranges() {
    std::vector<UOp> src;
    for (const Node* n : toposort(kernel_)) {
      if (const int base = schedule_.find_base(UOp::share(n)); base >= 0) {
        replaced_.emplace(n, k_.base_value[static_cast<size_t>(base)]);
        continue;
      }
      src.clear();
      const size_t n_values = closes_ranges(n->op) ? 1 : n->n_src;
      for (size_t i = 0; i < n_values; ++i) src.push_back(replaced_.at(n->src()[i]));
      for (size_t i = n_values; i < n->n_src; ++i) append_leaves(UOp::share(n->src()[i]), src);
      const UOp u = is_running(n) ? running(n, src) : with_sources(UOp::share(n), src);
      replaced_.emplace(n, u);
      if (n->op == Op::Reduce) k_.results.emplace(n, u);
    }
    k_.sink = replaced_.at(kernel_.node());
  }

  // Along all digits of the range.
  UOp running(const Node* n, std::span<const UOp> src) const {
    const int base = schedule_.find_base(UOp::share(ranges_along(n).front()));
    return make(Op::Reduce, src, {{n->arg()[0], std::ssize(schedule_.digits(base))}});
  }

  void set_limits() {
    k_.limits = loop_limits(kernel_, schedule_);
    find_limit_conditions();
    const auto over_leaves = [&](std::optional<LoopBound>& bound) {
      if (!bound) return;
      Affine sum = Affine::of_constant(bound->over.constant);
      for (const Affine::Term& t : bound->over.terms) {
        const auto known = replaced_.find(t.term.node());
        sum.add(Affine::of(known == replaced_.end() ? t.term : known->second), t.coef);
      }
      if (sum.ok) {
        bound->over = std::move(sum);
      } else {
        bound.reset();
      }
    };
    for (LoopLimits& l : k_.limits) {
      over_leaves(l.first);
      over_leaves(l.limit);
    }
  }

  void find_limit_conditions() {
    for (const Node* n : toposort(kernel_)) {
      for (size_t b = 0; n->dtype == DType::Bool && b < k_.limits.size(); ++b) {
        const std::optional<LoopBound>& limit = k_.limits[b].limit;
        if (limit && has_variable(*limit) &&
            says_limit(UOp::share(n), schedule_.bases[b].range, *limit))
          k_.limit_conditions.emplace(replaced_.at(n).node(), static_cast<int>(b));
      }
    }
  }

  void append_leaves(const UOp& base_range, std::vector<UOp>& out) {
    const int base = schedule_.find_base(base_range);
    for (int id : schedule_.digits(base)) out.push_back(k_.leaves[static_cast<size_t>(id)].range);
  }

  // Opts after a STAGE may have left fewer loops than it stands in.
  void check_stage_levels() const {
    for (const Staging& st : schedule_.stages) {
      const bool work_items = schedule_.unit || k_.set_of(Kind::Local) != 0;
      if (st.level >= std::popcount(k_.loops()) + (work_items ? 1 : 0))
        user_error<ArgumentError>("STAGE", "no loop is left that the copy could stand before");
    }
  }

  // One copy after the other: what is staged later may contain what was staged before.
  void stage_operands() {
    struct Operand {
      UOp value, load;
      std::optional<TwinInCopy> twin;
    };
    std::vector<Operand> operands;
    for (const Staging& st : schedule_.stages) {
      operands.push_back({replaced_.at(st.operand.node()),
                          replaced_.at(staged_load(st.operand).node()), twin_in_copy(st)});
      if (auto& twin = operands.back().twin)
        twin->expression = replaced_.at(twin->expression.node());
    }
    const auto put = [&](const UOp& u, const UOp& copy) {
      const std::unordered_map<const Node*, UOp> map = {{u.node(), copy}};
      k_.sink = substitute(k_.sink, map);
      for (auto& [from, to] : k_.results) to = substitute(to, map);
      for (Operand& o : operands) {
        o.value = substitute(o.value, map);
        o.load = substitute(o.load, map);
        if (o.twin) o.twin->expression = substitute(o.twin->expression, map);
      }
    };
    for (size_t i = 0; i < operands.size(); ++i) {
      const auto [value, load, twin] = operands[i];
      if (!k_.deps.contains(value.node()))
        user_error<ArgumentError>("STAGE", "the operand is read from the copy of another");
      const UOp copy = stage_operand(k_, value, load, schedule_.stages[i], target_);
      put(value, copy);
      if (twin) put(operands[i].twin->expression, read_at(*twin, copy));
      compute_deps(k_);
    }
    if (!schedule_.stages.empty()) check_copies();
  }

  struct TwinInCopy : Twin {
    int own;  // the base that the copied expression has in place of the twin's
  };

  // The expression of another base, if all points of its own are in the copy. But the other factor
  // of a matrix times its transpose has a place of its own: in its copy, or where a unit takes it.
  std::optional<TwinInCopy> twin_in_copy(const Staging& st) const {
    if (!is_copied_expression(st.operand) || st.depth > 1 || schedule_.unit) return {};
    for (const WalkedRange& w : walked_ranges(staged_load(st.operand))) {
      const int own = schedule_.find_base(w.range);
      const std::vector<int> digits = schedule_.digits(own);
      const bool inside =
          std::ranges::all_of(digits, [&](int id) { return is_inside(id, st.level); });
      if (!inside) continue;
      const auto twin = twin_of(kernel_, schedule_, st.operand, own);
      if (!twin || is_staged(schedule_, twin->expression)) continue;
      if (reach_of(twin->base) <= reach_of(own)) return TwinInCopy{*twin, own};
    }
    return {};
  }
  // With what is behind the end, where the extent is no multiple of its tile.
  int64_t reach_of(int base) const { return Bounds()(k_.base_value[static_cast<size_t>(base)]).hi; }
  bool is_inside(int leaf, int level) const {
    const Kind kind = k_.leaves[static_cast<size_t>(leaf)].kind;
    return leaf >= level || (kind != Kind::Serial && kind != Kind::Thread);
  }

  UOp read_at(const TwinInCopy& twin, const UOp& copy) const {
    const auto place = [&](int b) {
      return Affine::of(k_.base_value[static_cast<size_t>(b)]).to_uop();
    };
    const UOp out = substitute(copy, {{place(twin.own).node(), place(twin.base)}});
    TG_CHECK(out != copy, "a copy is not read at the place of its range");
    return out;
  }

  // The copies of a group, with the padding of their layouts.
  void check_copies() const {
    int64_t bytes = 0;
    for (const Node* n : toposort(k_.sink)) {
      if (n->op == Op::Stage)
        bytes += (numel(n->shape()) * static_cast<int64_t>(dtype_size(n->dtype)) + 63) / 64 * 64;
    }
    if (target_.local_bytes > 0 && bytes > target_.local_bytes) {
      user_error<ArgumentError>("STAGE", fmt::format("copies of {} bytes a group, of {} allowed",
                                                     bytes, target_.local_bytes));
    }
  }

  void check_lanes() const {
    const LeafSet lanes = k_.set_of(Kind::Vector);
    for (const auto& [node, set] : k_.deps) {
      const LeafSet inside =
          set | k_.closed_by(node) | (closes_ranges(node->op) ? k_.deps.at(node->src()[0]) : 0);
      if (std::popcount(inside & lanes) > 1)
        user_error<ArgumentError>("VECTOR", "a value would depend on two axes of lanes");
    }
  }

  const UOp& kernel_;
  const KernelSchedule& schedule_;
  const Target& target_;
  ScheduledKernel k_;
  std::unordered_map<const Node*, UOp> replaced_;
};

}  // namespace

LeafSet ScheduledKernel::set_of(Kind kind) const {
  LeafSet set = 0;
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (leaves[i].kind == kind) set |= LeafSet{1} << i;
  }
  return set;
}

int ScheduledKernel::add_leaf(int base, int64_t stride, int64_t extent, Kind kind) {
  if (leaves.size() == kMaxLeaves)
    user_error<ArgumentError>("schedule", fmt::format("more than {} axes", kMaxLeaves));
  const int id = static_cast<int>(leaves.size());
  leaves.push_back({range(extent, id), base, stride, extent, kind});
  return id;
}

int ScheduledKernel::leaf_of(const Node* range) const {
  TG_CHECK(range->op == Op::Range && range->arg()[0] < static_cast<int64_t>(leaves.size()),
           "{} is no leaf", op_name(range->op));
  return static_cast<int>(range->arg()[0]);
}

LeafSet ScheduledKernel::closed_by(const Node* n) const {
  LeafSet set = 0;
  if (!closes_ranges(n->op)) return set;
  for (const Node* r : n->src().subspan(1)) set |= LeafSet{1} << leaf_of(r);
  return set;
}

LeafSet ScheduledKernel::run_along(const Node* n) const {
  LeafSet set = 0;
  for (const Node* r : ranges_along(n)) set |= LeafSet{1} << leaf_of(r);
  return set;
}

void compute_deps(ScheduledKernel& k) {
  k.deps.clear();
  for (const Node* n : toposort(k.sink)) {
    LeafSet set = 0;
    if (n->op == Op::Range) {
      set = LeafSet{1} << k.leaf_of(n);
    } else {
      for (const Node* s : n->src()) set |= k.deps.at(s);
      set &= ~(k.closed_by(n) & ~k.run_along(n));
    }
    k.deps.emplace(n, set);
  }
  const auto add = [&](const UOp& index) {
    for (const Node* n : toposort(index)) {
      LeafSet set = n->op == Op::Range ? LeafSet{1} << k.leaf_of(n) : 0;
      for (const Node* s : n->src()) set |= k.deps.at(s);
      k.deps.emplace(n, set);
    }
  };
  std::ranges::for_each(k.base_value, add);
  for (const std::vector<UOp>& place : k.copy_place) std::ranges::for_each(place, add);
}

ScheduledKernel apply_schedule(const UOp& kernel, const KernelSchedule& schedule,
                               const Target& target) {
  return Applier(kernel, schedule, target).run();
}

bool is_copied(const ScheduledKernel& k, const UOp& term, int level) {
  return std::ranges::any_of(free_ranges(term), [&](const UOp& r) {
    const int leaf = k.leaf_of(r.node());
    const Kind kind = k.leaves[static_cast<size_t>(leaf)].kind;
    return leaf >= level || (kind != Kind::Serial && kind != Kind::Thread);
  });
}

}  // namespace tg

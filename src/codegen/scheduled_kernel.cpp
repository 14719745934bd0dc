// Substitution of base ranges by leaves, and the insertion of staged copies. See
// scheduled_kernel.h.
#include "codegen/scheduled_kernel.h"

#include <algorithm>
#include <bit>

#include "codegen/item_ranges.h"
#include "codegen/legality.h"
#include "support/check.h"
#include "uop/walk.h"

namespace tg {
namespace {

constexpr size_t kMaxLeaves = 64;
constexpr int64_t kMaxCopyBytes = int64_t{64} << 20;

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
    for (const Staging& st : schedule_.stages) stage_operand(st);
    compute_deps(k_);
    check_lanes();
    share_items(k_, target_);
    return std::move(k_);
  }

 private:
  int add_leaf(int base, int64_t stride, int64_t extent, Kind kind) {
    if (k_.leaves.size() == kMaxLeaves)
      user_error<ArgumentError>("schedule", fmt::format("more than {} axes", kMaxLeaves));
    const int id = static_cast<int>(k_.leaves.size());
    k_.leaves.push_back({range(extent, id), base, stride, extent, kind});
    return id;
  }

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
    for (const Axis& a : schedule_.axes) add_leaf(a.base, a.stride, a.extent, a.kind);
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
      replaced_.emplace(n, with_sources(UOp::share(n), src));
    }
    k_.sink = replaced_.at(kernel_.node());
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
      if (st.level >= std::popcount(k_.loops()))
        user_error<ArgumentError>("STAGE", "no loop is left that the copy could stand before");
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

  // ---- staging
  struct Dimension {
    Affine outer;  // terms outside the copy, and the lowest inner offset
    Affine inner;  // terms inside, shifted so that the lowest value is 0
    int64_t extent = 1;
    UOp copy_index;  // over the box
    int box_base = -1;
    bool has_lanes = false;
  };

  bool is_inner(const UOp& term, int level) const {
    for (const UOp& r : free_ranges(term)) {
      const int leaf = k_.leaf_of(r.node());
      const Kind kind = k_.leaves[static_cast<size_t>(leaf)].kind;
      if (leaf >= level || (kind != Kind::Serial && kind != Kind::Thread)) return true;
    }
    return false;
  }

  Dimension split_index(const UOp& idx, int level) {
    Dimension d;
    Affine all = Affine::of(idx);
    d.outer.constant = all.constant;
    int64_t lowest = 0, highest = 0;
    for (const Affine::Term& t : all.terms) {
      if (!is_inner(t.term, level)) {
        d.outer.add_term(t.term, t.coef);
        continue;
      }
      if (!t.term.is(Op::Range)) {
        user_error<ArgumentError>(
            "STAGE", "the operand's index is not affine in the axes that the copy covers");
      }
      const Leaf& leaf = k_.leaves[static_cast<size_t>(k_.leaf_of(t.term.node()))];
      const int64_t reach = saturating_mul(t.coef, leaf.extent - 1);
      lowest = saturating_add(lowest, std::min<int64_t>(reach, 0));
      highest = saturating_add(highest, std::max<int64_t>(reach, 0));
      d.has_lanes |= leaf.kind == Kind::Vector;
      d.inner.add_term(t.term, t.coef);
    }
    d.outer.constant += lowest;
    d.inner.constant = -lowest;
    d.extent = saturating_add(saturating_add(highest, saturating_mul(lowest, -1)), 1);
    return d;
  }

  void stage_operand(const Staging& st) {
    const UOp old_load = replaced_.at(st.load.node());
    const UOp ptr = old_load.src(0);
    if (!gate_is_bounds(old_load)) {
      user_error<ArgumentError>("STAGE",
                                "the operand is gated by more than the bounds of its array");
    }
    std::vector<Dimension> dims;
    for (int i = 0; i < ptr.ndim(); ++i) dims.push_back(split_index(old_load.src(1 + i), st.level));
    int64_t bytes = dtype_size(ptr.dtype());
    for (const Dimension& d : dims) bytes = saturating_mul(bytes, d.extent);
    if (bytes > kMaxCopyBytes) {
      user_error<ArgumentError>(
          "STAGE", fmt::format("the copy takes {} bytes, of {} allowed", bytes, kMaxCopyBytes));
    }
    std::vector<UOp> copy_idx;
    for (size_t i = 0; i < dims.size(); ++i) {
      Dimension& d = dims[i];
      UOp start = d.outer.to_uop();
      if (d.extent > 1) {
        make_box_range(d, i + 1 == dims.size());
        start = start.is(Op::Const) && start.arg(0) == 0 ? d.copy_index : start + d.copy_index;
      }
      copy_idx.push_back(start);
    }
    // Memory order: as in the array, but the dimension of the lanes last.
    std::vector<const Dimension*> order;
    for (const Dimension& d : dims) {
      if (d.extent > 1 && !d.has_lanes) order.push_back(&d);
    }
    for (const Dimension& d : dims) {
      if (d.extent > 1 && d.has_lanes) order.push_back(&d);
    }
    std::vector<UOp> copy_ranges, read_idx;
    for (const Dimension* d : order) {
      append_box_leaves(d->box_base, copy_ranges);
      read_idx.push_back(d->inner.to_uop());
    }
    insert_stage(old_load, ptr, copy_idx, copy_ranges, order, read_idx);
  }

  // The copy's own loop over one dimension of the box; lanes along the one that is contiguous in
  // the source.
  void make_box_range(Dimension& d, bool contiguous) {
    d.box_base = static_cast<int>(k_.bases.size());
    BaseRange base{UOp{}, d.extent, Role::Par};
    const int lanes = target_.lanes_of(DType::Float32);
    const bool vector = contiguous && lanes > 1 && d.extent >= lanes;
    if (vector && d.extent % lanes != 0) {
      base.tail = Tail::Peel;
      base.tile = lanes;
    }
    k_.bases.push_back(base);
    std::vector<int> ids;
    if (!vector || d.extent > lanes) {
      ids.push_back(add_leaf(d.box_base, vector ? lanes : 1,
                             vector ? (d.extent + lanes - 1) / lanes : d.extent, Kind::Serial));
    }
    if (vector) ids.push_back(add_leaf(d.box_base, 1, lanes, Kind::Vector));
    d.copy_index = value_of(d.box_base, ids);
    k_.base_value.push_back(d.copy_index);
  }

  void append_box_leaves(int box_base, std::vector<UOp>& out) {
    for (const Leaf& leaf : k_.leaves) {
      if (leaf.base == box_base) out.push_back(leaf.range);
    }
  }

  void insert_stage(const UOp& old_load, const UOp& ptr, const std::vector<UOp>& copy_idx,
                    const std::vector<UOp>& copy_ranges, const std::vector<const Dimension*>& order,
                    const std::vector<UOp>& read_idx) {
    // The array is addressed by box dimensions; STAGE closes the leaves of the copy loops. Its
    // argument lists the box's extents.
    std::vector<int64_t> arg = {next_stage_++, static_cast<int64_t>(Space::Scratch)};
    std::vector<UOp> src = {load(ptr, copy_idx)};
    src.insert(src.end(), copy_ranges.begin(), copy_ranges.end());
    for (const Dimension* d : order) arg.push_back(d->extent);
    UOp array = make(Op::Stage, src, arg);
    std::unordered_map<const Node*, UOp> map{{old_load.node(), load(array, read_idx)}};
    k_.sink = substitute(k_.sink, map);
    for (auto& [from, to] : replaced_) {
      if (to == old_load) to = map.begin()->second;
    }
  }

  const UOp& kernel_;
  const KernelSchedule& schedule_;
  const Target& target_;
  ScheduledKernel k_;
  std::unordered_map<const Node*, UOp> replaced_;
  int64_t next_stage_ = 0;
};

}  // namespace

LeafSet ScheduledKernel::set_of(Kind kind) const {
  LeafSet set = 0;
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (leaves[i].kind == kind) set |= LeafSet{1} << i;
  }
  return set;
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

void compute_deps(ScheduledKernel& k) {
  k.deps.clear();
  for (const Node* n : toposort(k.sink)) {
    LeafSet set = 0;
    if (n->op == Op::Range) {
      set = LeafSet{1} << k.leaf_of(n);
    } else {
      for (const Node* s : n->src()) set |= k.deps.at(s);
      set &= ~k.closed_by(n);
    }
    k.deps.emplace(n, set);
  }
  for (const UOp& v : k.base_value) {
    for (const Node* n : toposort(v)) {
      LeafSet set = n->op == Op::Range ? LeafSet{1} << k.leaf_of(n) : 0;
      for (const Node* s : n->src()) set |= k.deps.at(s);
      k.deps.emplace(n, set);
    }
  }
}

ScheduledKernel apply_schedule(const UOp& kernel, const KernelSchedule& schedule,
                               const Target& target) {
  return Applier(kernel, schedule, target).run();
}

}  // namespace tg

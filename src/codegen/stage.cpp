// The box that a copy covers, the loops that fill it, and how it is read. See stage.h.
#include "codegen/stage.h"

#include <algorithm>

#include "codegen/copy_layout.h"
#include "codegen/factor_rows.h"
#include "codegen/stage_dimension.h"
#include "codegen/staged_element.h"
#include "codegen/unit_product.h"
#include "rules/bounds.h"
#include "support/check.h"
#include "tg/ir/walk.h"

namespace tg {
namespace {

constexpr int64_t kMaxCopyBytes = int64_t{64} << 20;
constexpr int64_t kMostUnrolled = 8;  // steps of a work-item that become accesses of their own

class Stager {
 public:
  Stager(ScheduledKernel& k, const UOp& operand, const UOp& load, const Staging& staging,
         const Target& target)
      : k_(k),
        operand_(operand),
        load_(load),
        element_(k, operand, load, staging),
        level_(staging.level),
        depth_(staging.depth),
        target_(target),
        lanes_(std::clamp(target.lanes_of(element_.dtype()), 1, target.lanes_of(DType::Float32))) {}

  UOp run() {
    if (depth_ > 1) check_steps();
    find_dimensions();
    join_groups();
    check_size();
    find_rows();
    find_blocks();
    if (k_.work_items.empty()) {
      for (StagedDimension& d : dims_) {
        if (d.extent > 1) fill_by_loop(d);
      }
    } else {
      fill_by_work_items();
    }
    return insert();
  }

 private:
  UOp array() const { return load_.src(0); }

  // The loop whose steps have a copy each is the innermost that the copy stands in.
  void check_steps() const {
    const Leaf& loop = k_.leaves[static_cast<size_t>(level_) - 1];
    const std::vector<UOp> moves = free_ranges(load_);
    if (loop.kind != Kind::Serial || std::ranges::find(moves, loop.range) == moves.end())
      user_error<ArgumentError>("STAGE", "the operand does not change from step to step");
  }

  // ---- the box
  void find_dimensions() {
    const std::vector<UOp>& indices = element_.indices();
    for (size_t i = 0; i < indices.size(); ++i) {
      StagedDimension whole = split_index(indices[i]);
      whole.of = i;
      if (whole.together > 1) {
        dims_.push_back(std::move(whole));
      } else {
        std::ranges::move(sparse_parts(k_, whole), std::back_inserter(dims_));
      }
    }
  }

  StagedDimension split_index(const UOp& idx) const {
    StagedDimension d;
    Affine all = Affine::of(idx);
    d.outer.constant = all.constant;
    int64_t lowest = 0, highest = 0;
    for (const Affine::Term& t : all.terms) {
      if (!is_copied(k_, t.term, level_)) {
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
      if (leaf.kind == Kind::Unit && k_.product->unit->is_of_one()) {
        d.is_row = is_read_by_rows();
        if (d.is_row || leaf.unit_bit == 0) {
          d.together *= leaf.extent;
          d.taken.add_term(t.term, t.coef);
        }
      }
      d.inner.add_term(t.term, t.coef);
    }
    d.outer.constant += lowest;
    d.inner.constant = -lowest;
    d.extent = saturating_add(saturating_add(highest, saturating_mul(lowest, -1)), 1);
    if (d.together > 1) check_groups(d);
    return d;
  }

  // Whether it is the first factor of tile registers.
  bool is_read_by_rows() const {
    const MatrixUnit& unit = *k_.product->unit;
    return unit.is_tile() && operand_map(k_, k_.deps_of(operand_)) == &unit.a;
  }

  // Whether the elements of the dimension are whole groups, of which a leaf of the unit counts the
  // members.
  void check_groups(const StagedDimension& d) const {
    const auto fits = [&](const Affine::Term& t) {
      return d.is_taken(t.term) || t.coef % d.together == 0;
    };
    const bool in_steps = std::ranges::all_of(d.taken.terms, [&](const Affine::Term& t) {
      return t.coef ==
             int64_t{1} << k_.leaves[static_cast<size_t>(k_.leaf_of(t.term.node()))].unit_bit;
    });
    if (in_steps && d.inner.constant == 0 && d.extent % d.together == 0 &&
        std::ranges::all_of(d.inner.terms, fits))
      return;
    user_error<ArgumentError>("STAGE", "the unit's terms are no whole groups of the operand");
  }

  // Groups that follow each other in the copy as in the array, with nothing between them, are a row
  // of elements: whole vectors of them are copied.
  void join_groups() {
    StagedDimension& row = dims_.back();
    if (row.together == 1 || row.is_row || has_lanes() || !is_contiguous(row)) return;
    row.together = 1;
    row.taken = {};
  }

  // Where a matrix unit reads the copy by itself.
  void find_rows() {
    const std::vector<StagedDimension*> dims = wide_dimensions();
    std::vector<FactorDimension> factor;
    for (const StagedDimension* d : dims) factor.push_back({&d->inner, d->extent});
    rows_ = factor_rows(k_, read_leaves(), factor, element_.dtype());
    if (rows_) lanes_ = target_.lanes_of(element_.dtype());
  }

  // Columns of a tile register lie together if each of its tiles is a whole block.
  void find_blocks() {
    if (!k_.product || !k_.product->unit->is_tile()) return;
    const int64_t n = k_.product->unit->n;
    for (StagedDimension& d : dims_) {
      const bool whole = d.inner.constant == 0 && d.extent % n == 0 && d.extent > n &&
                         std::ranges::all_of(d.inner.terms, [&](const Affine::Term& t) {
                           return t.coef % n == 0 || (t.coef == 1 && is_lane(t.term));
                         });
      if (d.has_lanes && whole) d.block = n;
    }
  }
  bool is_lane(const UOp& range) const {
    return k_.leaves[static_cast<size_t>(k_.leaf_of(range.node()))].kind == Kind::Vector;
  }

  int64_t box_elements() const {
    int64_t n = 1;
    for (const StagedDimension& d : dims_) n = saturating_mul(n, d.extent);
    return n;
  }

  void check_size() const {
    const int64_t bytes =
        saturating_mul(saturating_mul(box_elements(), depth_), dtype_size(element_.dtype()));
    if (bytes <= kMaxCopyBytes) return;
    user_error<ArgumentError>(
        "STAGE", fmt::format("the copy takes {} bytes, of {} allowed", bytes, kMaxCopyBytes));
  }

  // ---- the copy's loops
  int add_base(int64_t extent) {
    k_.bases.push_back({UOp{}, extent, Role::Par});
    return static_cast<int>(k_.bases.size()) - 1;
  }

  // A leaf of the copy, whose points count `stride` of `base`.
  UOp add_leaf(int base, int64_t stride, int64_t extent, Kind kind, int work_items = -1) {
    const int id = k_.add_leaf(base, stride, extent, kind);
    Leaf& leaf = k_.leaves[static_cast<size_t>(id)];
    leaf.work_items = work_items;
    closed_.push_back(leaf.range);
    return stride == 1 ? leaf.range : leaf.range * stride;
  }

  // Whether neighbours along the dimension are neighbours in the source: it is the last, but for
  // those that have one element.
  bool is_contiguous(const StagedDimension& d) const {
    const StagedDimension* last = &dims_.back();
    while (element_.is_of_array() && last->of > 0 && array().dim(static_cast<int>(last->of)) == 1)
      --last;
    return &d == last && d.step == 1;
  }

  // A loop for each dimension; lanes along the one that is contiguous in the source, which is
  // longer by some elements that nothing reads if that makes its vectors whole.
  void fill_by_loop(StagedDimension& d) {
    if (d.together > 1) return fill_by_groups(d);
    if (d.block > 1) return fill_by_blocks(d);
    const bool vector = is_contiguous(d) && lanes_ > 1 && d.extent >= lanes_;
    const int64_t each = vector || is_turned(d) ? lanes_ : 1;
    if (const int64_t whole = (d.extent + each - 1) / each * each; 2 * whole <= 3 * d.extent)
      d.extent = whole;
    const int base = add_base(d.extent);
    if (d.extent % each != 0) {
      k_.bases.back().tail = Tail::Peel;
      k_.bases.back().tile = each;
    }
    if (const int64_t steps = (d.extent + each - 1) / each; steps > 1)
      d.place = add_leaf(base, each, steps, Kind::Serial);
    if (each > 1) {
      const UOp point = add_leaf(base, 1, lanes_, vector ? Kind::Vector : Kind::Unroll);
      d.place = d.place ? d.place + point : point;
    }
    k_.base_value.push_back(d.place);
  }

  // Whether reads run across the vectors that are copied: squares of elements are turned on the
  // way.
  bool is_turned(const StagedDimension& d) const {
    const auto has_vectors = [this](const StagedDimension& other) {
      return is_contiguous(other) && other.extent >= lanes_ && other.together == 1;
    };
    return d.has_lanes && !is_contiguous(d) && lanes_ > 1 && d.extent % lanes_ == 0 &&
           std::ranges::any_of(dims_, has_vectors);
  }

  void fill_by_blocks(StagedDimension& d) {
    const int base = add_base(d.extent);
    const bool vector = is_contiguous(d) && lanes_ > 1 && d.block % lanes_ == 0;
    const int64_t each = vector ? lanes_ : 1;
    d.place = add_leaf(base, d.block, d.extent / d.block, Kind::Serial);
    d.block_place = k_.leaves.back().range;
    d.column = index_const(0);
    if (d.block > each) d.column = add_leaf(base, each, d.block / each, Kind::Serial);
    if (vector) d.column = d.column + add_leaf(base, 1, lanes_, Kind::Vector);
    d.place = d.place + d.column;
    k_.base_value.push_back(d.place);
  }

  // Groups lie in a row in the copy: members are copied together where they do in the array.
  void fill_by_groups(StagedDimension& d) {
    const int base = add_base(d.extent);
    const Kind kind = is_contiguous(d) ? Kind::Vector : Kind::Unroll;
    const UOp from = add_leaf(base, d.together, d.extent / d.together, Kind::Serial);
    d.groups = k_.leaves.back().range;
    d.member = add_leaf(base, 1, d.together, kind);
    d.place = from + d.member;
    k_.base_value.push_back(d.place);
  }

  // One loop over all elements, in the order of the source: neighbouring work-items copy
  // neighbours.
  void fill_by_work_items() {
    const int64_t elements = box_elements();
    int64_t group_size = 1;
    for (int64_t n : k_.work_items) group_size *= n;
    writes_ = (elements + group_size - 1) / group_size;
    vectors_ = whole_vectors() && elements % (group_size * lanes_) == 0 &&
               vectors_pay(in_memory(wide_dimensions()), writes_);
    const int64_t each = vectors_ ? lanes_ : 1;
    const int base = add_base(elements);
    const int64_t steps = (elements + group_size * each - 1) / (group_size * each);
    UOp at = index_const(0);
    if (steps > 1)
      at = add_leaf(base, group_size * each, steps,
                    steps <= kMostUnrolled ? Kind::Unroll : Kind::Serial);
    int64_t stride = group_size * each;
    for (size_t d = 0; d < k_.work_items.size(); ++d) {
      stride /= k_.work_items[d];
      at = at + add_leaf(base, stride, k_.work_items[d], Kind::Local, static_cast<int>(d));
    }
    if (each > 1) at = at + add_leaf(base, 1, each, Kind::Vector);
    k_.base_value.push_back(at);
    int64_t inside = 1;
    for (size_t i = dims_.size(); i-- > 0;) {
      StagedDimension& d = dims_[i];
      if (d.extent == 1) continue;
      const UOp above = idiv(at, index_const(inside));
      inside *= d.extent;
      d.place = simplify_index(inside == elements ? above : mod(above, index_const(d.extent)));
    }
  }

  bool has_lanes() const { return std::ranges::any_of(dims_, &StagedDimension::has_lanes); }

  // Whether the vectors of a row of the box are vectors of the array, in it and in the copy.
  bool whole_vectors() const {
    const StagedDimension& row = dims_.back();
    const auto whole = [&](int64_t n) { return n % lanes_ == 0; };
    const bool last = row.has_lanes || !has_lanes();
    const auto in_whole_rows = [&](const StagedDimension& d) {
      return &d == &row ? d.step == 1 : d.of != row.of || whole(d.step);
    };
    return lanes_ > 1 && last && whole(row.extent) && whole(row.outer.constant) &&
           whole(array().shape().back()) && std::ranges::all_of(dims_, in_whole_rows) &&
           std::ranges::all_of(row.outer.terms, [&](const auto& t) { return whole(t.coef); });
  }

  CopyInMemory in_memory(std::span<StagedDimension* const> dims) const {
    return {k_, dims, element_.dtype(), lanes_, target_.subgroup_size};
  }
  LeafSet read_leaves() { return leaves_of_reads(k_, wide_dimensions()); }

  // Which of the copies that are kept: what that is in a step, its loop says.
  UOp add_slot() {
    const int base = add_base(depth_);
    const int id = k_.add_leaf(base, 1, depth_, Kind::Slot);
    const UOp range = k_.leaves[static_cast<size_t>(id)].range;
    k_.base_value.push_back(range);
    k_.copy_slot.back() = id;
    return range;
  }

  // ---- the copy in the graph
  UOp insert() {
    std::vector<UOp> read;
    const std::vector<StagedDimension*> dims = wide_dimensions();
    const ScratchLayout layout =
        rows_ ? ScratchLayout{} : best_layout(in_memory(dims), vectors_, writes_);
    std::vector<int64_t> arg = {std::ssize(k_.copy_place), static_cast<int64_t>(Space::Scratch)};
    std::vector<UOp>& place = k_.copy_place.emplace_back();
    k_.copy_slot.push_back(-1);
    k_.copy_rows.push_back(rows_);
    k_.copy_is_factor.push_back(element_.is_factor());
    if (depth_ > 1) {
      const UOp slot = add_slot();
      arg.push_back(depth_);
      place.push_back(slot);
      read.push_back(slot);
    }
    std::vector<int64_t> extents;
    for (const StagedDimension* d : dims) extents.push_back(d->extent);
    const StagedDimension* grouped = nullptr;
    if (rows_) {
      const StagedDimension &beside = *dims[0], &along = *dims[1];
      const std::vector<int64_t> extents = rows_->extents(along.extent, beside.extent);
      arg.insert(arg.end(), extents.begin(), extents.end());
      std::ranges::copy(rows_->places(along.extent, along.place, beside.place),
                        std::back_inserter(place));
      std::ranges::copy(rows_->places(along.extent, along.inner.to_uop(), beside.inner.to_uop()),
                        std::back_inserter(read));
    }
    for (const StagedDimension* d : dims) {
      if (d->block == 1) continue;
      arg.push_back(d->extent / d->block);
      place.push_back(d->block_place);
      read.push_back(d->blocks_read().to_uop());
    }
    for (size_t i = 0; i < dims.size() && !rows_; ++i) {
      const StagedDimension& d = *dims[layout.order[i]];
      if (d.block > 1) {
        arg.push_back(d.block);
        place.push_back(d.column);
        read.push_back(d.column_read().to_uop());
        continue;
      }
      arg.push_back(d.extent / d.together + layout.extent(i, extents) - d.extent);
      place.push_back(d.groups ? d.groups : d.place ? d.place : index_const(0));
      read.push_back(d.groups_read().to_uop());
      if (d.together > 1) grouped = &d;
    }
    if (grouped != nullptr) {
      arg.push_back(grouped->together);
      place.push_back(grouped->member);
      read.push_back(grouped->taken.to_uop());
    }
    std::vector<UOp> src = {element_.at(copied_indices())};
    src.insert(src.end(), closed_.begin(), closed_.end());
    const UOp out = element_.value_of(tg::load(make(Op::Stage, src, arg), read));
    k_.sink = substitute(k_.sink, {{operand_.node(), out}});
    return out;
  }

  // Where the element is read that the copy's leaves stand for.
  std::vector<UOp> copied_indices() const {
    std::vector<UOp> idx(element_.indices().size());
    for (const StagedDimension& d : dims_) {
      const UOp start = d.outer.to_uop();
      const bool zero = start.is(Op::Const) && start.arg(0) == 0;
      UOp at = !d.place ? UOp{} : d.step == 1 ? d.place : d.place * d.step;
      if (!zero || !at) at = at ? start + at : start;
      UOp& sum = idx[d.of];
      const bool nothing = at.is(Op::Const) && at.arg(0) == 0;
      sum = !sum ? at : nothing ? sum : sum + at;
    }
    return idx;
  }

  // Those that the copy has: one at least.
  std::vector<StagedDimension*> wide_dimensions() {
    std::vector<StagedDimension*> dims;
    for (StagedDimension& d : dims_) {
      if (d.extent > 1) dims.push_back(&d);
    }
    if (dims.empty()) dims.push_back(&dims_.back());
    return dims;
  }

  ScheduledKernel& k_;
  const UOp operand_;  // what is replaced
  const UOp load_;
  const StagedElement element_;
  const int level_;
  const int depth_;
  const Target& target_;
  int lanes_;  // of an access
  std::optional<FactorRows> rows_;
  bool vectors_ = false;  // work-items copy vectors
  int64_t writes_ = 0;    // elements that a work-item copies
  std::vector<StagedDimension> dims_;
  std::vector<UOp> closed_;  // the copy's leaves
};

}  // namespace

UOp stage_operand(ScheduledKernel& k, const UOp& operand, const UOp& load, const Staging& staging,
                  const Target& target) {
  return Stager(k, operand, load, staging, target).run();
}

}  // namespace tg

// See copy_layout.h.
#include "codegen/copy_layout.h"

#include <algorithm>

#include "codegen/unit_product.h"
#include "rules/bounds.h"
#include "support/check.h"
#include "tg/ir/walk.h"

namespace tg {
namespace {

class CopyLayouts {
 public:
  explicit CopyLayouts(const CopyInMemory& copy)
      : k_(copy.k),
        dims_(copy.dims),
        element_(copy.element),
        lanes_(copy.lanes),
        subgroup_(copy.subgroup) {}

  bool vectors_pay(int64_t writes) const {
    if (operand_map(k_, read_leaves()) != nullptr || has_lanes()) return true;
    const auto reads = [&](bool vectors) {
      ScratchAccess none{.place = std::vector<std::vector<int64_t>>(dims_.size(), {0}),
                         .lanes = vectors ? lanes_ : 1,
                         .times = 0};
      const int last = vectors ? static_cast<int>(dims_.size()) - 1 : -1;
      return layout_for_reads(last, none).cost;
    };
    return reads(true) - reads(false) <= writes - writes / lanes_;
  }

  ScratchLayout best(bool vectors, int64_t writes) const {
    int with_lanes = -1;
    for (size_t i = 0; i < dims_.size(); ++i)
      with_lanes = dims_[i]->has_lanes ? int(i) : with_lanes;
    if (k_.work_items.empty()) {
      ScratchLayout layout;
      for (size_t i = 0; i < dims_.size(); ++i) layout.order.push_back(i);
      if (with_lanes >= 0)
        std::rotate(layout.order.begin() + with_lanes, layout.order.begin() + with_lanes + 1,
                    layout.order.end());
      std::ranges::stable_partition(layout.order, [&](size_t i) { return dims_[i]->is_row; });
      return layout;
    }
    if (const FragmentMap* map = operand_map(k_, read_leaves()))
      return for_fragments(*map, vectors, writes);
    ScratchAccess write;
    write.lanes = vectors ? lanes_ : 1;
    write.times = writes / write.lanes;
    for (const StagedDimension* d : dims_)
      write.place.push_back(by_work_item(d->place ? d->place : index_const(0), nullptr));
    const int innermost = vectors ? static_cast<int>(dims_.size()) - 1 : with_lanes;
    return layout_for_reads(innermost, write).layout;
  }

 private:
  bool has_lanes() const { return std::ranges::any_of(dims_, &StagedDimension::has_lanes); }
  LeafSet read_leaves() const { return leaves_of_reads(k_, dims_); }

  // Different elements of the copy that a work-item reads.
  int64_t element_reads() const {
    int64_t n = 1;
    const LeafSet set = read_leaves();
    for (size_t i = 0; i < k_.leaves.size(); ++i) {
      if ((set >> i & 1) != 0 && k_.leaves[i].kind != Kind::Local)
        n = saturating_mul(n, k_.leaves[i].extent);
    }
    return n;
  }

  // By work-item of a subgroup: `index` where all else but its leaves is 0; those of a matrix unit
  // as the work-items have them that read a fragment by `map`.
  std::vector<int64_t> by_work_item(const UOp& index, const FragmentMap* map) const {
    std::vector<int64_t> out;
    for (int64_t work_item = 0; work_item < subgroup_; ++work_item) {
      Bounds values;
      for (const UOp& r : free_ranges(index)) {
        const Leaf& leaf = k_.leaves[static_cast<size_t>(k_.leaf_of(r.node()))];
        const int64_t at = map != nullptr && leaf.unit_bit >= 0
                               ? unit_digit(*k_.product, leaf, *map, work_item, 0)
                           : leaf.work_items < 0 ? 0
                                                 : digit_of(work_item, leaf.work_items);
        values.assume(r, {at, at});
      }
      out.push_back(values(index).lo);
    }
    return out;
  }

  // How far neighbouring registers of a fragment are apart along a dimension.
  int64_t step_of(const StagedDimension& d, const FragmentMap& map, size_t bit) const {
    int64_t step = 0;
    for (const Affine::Term& t : d.inner.terms) {
      const Leaf& leaf = k_.leaves[static_cast<size_t>(k_.leaf_of(t.term.node()))];
      if (leaf.unit_bit >= 0)
        step += t.coef * unit_digit(*k_.product, leaf, map, 0, int64_t{1} << bit);
    }
    return step;
  }

  // The place of a work-item in its work-item range; the last range counts fastest.
  int64_t digit_of(int64_t work_item, int range) const {
    for (size_t d = k_.work_items.size() - 1; d > static_cast<size_t>(range); --d)
      work_item /= k_.work_items[d];
    return work_item % k_.work_items[static_cast<size_t>(range)];
  }

  struct CostedLayout {
    ScratchLayout layout;
    int64_t cost = 0;
  };

  // The layout of the least cost, where elements are read by lanes, by themselves, or by whole
  // vectors of what a work-item unrolls.
  CostedLayout layout_for_reads(int innermost, const ScratchAccess& write) const {
    const std::vector<int64_t> sizes = extents();
    const int64_t bytes = dtype_size(element_);
    ScratchAccess read;
    for (const StagedDimension* d : dims_)
      read.place.push_back(by_work_item(d->inner.to_uop(), nullptr));
    CostedLayout best;
    const auto consider = [&](int lanes, int last) {
      read.lanes = lanes;
      read.times = std::max<int64_t>(1, element_reads() / lanes);
      ScratchLayout layout = choose_layout(sizes, bytes, last, read, write);
      const int64_t cost = layout_cost(layout, sizes, bytes, read, write);
      if (best.layout.order.empty() || cost < best.cost) best = {std::move(layout), cost};
    };
    if (has_lanes()) {
      consider(lanes_, innermost);
      return best;
    }
    for (size_t d = 0; d < dims_.size(); ++d) {
      const bool may = innermost < 0 || innermost == static_cast<int>(d);
      if (may && is_read_by_vectors(*dims_[d])) consider(lanes_, static_cast<int>(d));
    }
    consider(1, innermost);
    return best;
  }

  // Whether the emitter reads rows along the dimension by whole vectors (Emitter::unrolled_vector).
  bool is_read_by_vectors(const StagedDimension& d) const {
    int64_t unrolled = 1;
    for (const Affine::Term& t : d.inner.terms) {
      const bool value =
          k_.leaves[static_cast<size_t>(k_.leaf_of(t.term.node()))].kind == Kind::Unroll;
      if (value && std::abs(t.coef) == 1) {
        unrolled += k_.leaves[static_cast<size_t>(k_.leaf_of(t.term.node()))].extent - 1;
      } else if (!value && t.coef % lanes_ != 0) {
        return false;
      }
    }
    return lanes_ > 1 && unrolled >= lanes_ && d.extent % lanes_ == 0;
  }

  // Of a copy that fragments are read from. What neighbouring registers hold is read at once where
  // the innermost dimension has it; a vector of the array is written at once where it is innermost.
  ScratchLayout for_fragments(const FragmentMap& map, bool vectors, int64_t writes) const {
    const std::vector<int64_t> sizes = extents();
    const int64_t bytes = dtype_size(element_);
    ScratchLayout best;
    int64_t least = 0;
    for (size_t last = dims_.size(); last-- > 0;) {
      ScratchAccess read, write;
      read.lanes = step_of(*dims_[last], map, 0) == 1 ? 2 : 1;
      read.times = reads_of(map) / read.lanes;
      write.lanes = vectors && last + 1 == dims_.size() ? lanes_ : 1;
      write.times = writes / write.lanes;
      set_places(&map, read, write);
      ScratchLayout layout = choose_layout(sizes, bytes, static_cast<int>(last), read, write);
      const int64_t cost = layout_cost(layout, sizes, bytes, read, write);
      if (!best.order.empty() && cost >= least) continue;
      best = std::move(layout);
      least = cost;
    }
    return best;
  }

  std::vector<int64_t> extents() const {
    std::vector<int64_t> out;
    for (const StagedDimension* d : dims_) out.push_back(d->extent);
    return out;
  }

  void set_places(const FragmentMap* map, ScratchAccess& read, ScratchAccess& write) const {
    for (const StagedDimension* d : dims_) {
      read.place.push_back(by_work_item(d->inner.to_uop(), map));
      write.place.push_back(by_work_item(d->place ? d->place : index_const(0), nullptr));
    }
  }

  // Elements that a work-item reads: those of its fragments.
  int64_t reads_of(const FragmentMap& map) const {
    int64_t n = map.registers();
    const LeafSet set = read_leaves();
    for (size_t i = 0; i < k_.leaves.size(); ++i) {
      const Leaf& leaf = k_.leaves[i];
      if ((set >> i & 1) != 0 && leaf.unit_bit < 0 && leaf.kind != Kind::Local) n *= leaf.extent;
    }
    return n;
  }

  const ScheduledKernel& k_;
  const std::span<StagedDimension* const> dims_;
  const DType element_;
  const int lanes_;
  const int64_t subgroup_;
};

}  // namespace

LeafSet leaves_of_reads(const ScheduledKernel& k, std::span<StagedDimension* const> dims) {
  LeafSet set = 0;
  for (const StagedDimension* d : dims) {
    for (const Affine::Term& t : d->inner.terms) set |= LeafSet{1} << k.leaf_of(t.term.node());
  }
  return set;
}

bool vectors_pay(const CopyInMemory& copy, int64_t writes) {
  return CopyLayouts(copy).vectors_pay(writes);
}

ScratchLayout best_layout(const CopyInMemory& copy, bool vectors, int64_t writes) {
  return CopyLayouts(copy).best(vectors, writes);
}

}  // namespace tg

// From the last item to the first: the box that its readers look into, by the bounds of their
// indices, then its loops over the box, and of a reduction the places in it that matter to them.
// See trim_stores.h.
#include "schedule/trim_stores.h"

#include <algorithm>

#include "rules/index.h"
#include "schedule/needed_places.h"
#include "tg/ir/interval.h"
#include "tg/ir/walk.h"

namespace tg {
namespace {

class Trimmer {
 public:
  Trimmer(std::span<PendingItem> items, const std::vector<bool>& kept)
      : items_(items), kept_(kept), users_(kept.size()) {
    for (size_t i = 0; i < items_.size(); ++i) {
      reads_.push_back(reads_of(items_[i].item));
      for (const int b : items_[i].item.buffers) users_[static_cast<size_t>(b)].push_back(i);
    }
  }

  void run() {
    for (size_t i = items_.size(); i-- > 0;) {
      ScheduleItem& item = items_[i].item;
      if (!item.kernel) continue;
      const bool gated = gate(item);
      if (trim(item) || gated) reads_[i] = reads_of(item);
    }
  }

 private:
  // The places that loads of an array may have, by axis, from 0 to its extent − 1; none: lo > hi.
  using Box = std::vector<Interval>;
  // By slot; of slots that are not looked at empty, or none.
  struct Reads {
    std::vector<Box> boxes;
    std::vector<std::optional<PlaceConditions>> conditions;
  };

  // Only of temporaries. What is copied is read whole.
  Reads reads_of(const ScheduleItem& item) const {
    std::vector<Box> boxes(item.buffers.size());
    if (!item.kernel) return {std::move(boxes), {}};
    IndexSimplifier simplify;
    for (const Node* n : toposort(item.kernel)) {
      if (n->op != Op::Load || n->src()[0]->op != Op::Param) continue;
      const Node* array = n->src()[0];
      const auto slot = static_cast<size_t>(array->arg()[0]);
      if (kept_[static_cast<size_t>(item.buffers[slot])]) continue;
      Box& box = boxes[slot];
      if (box.empty()) box.assign(array->n_dim, Interval{Interval::kMax, Interval::kMin});
      for (size_t axis = 0; axis < box.size(); ++axis) {
        const int64_t last = array->shape()[axis] - 1;
        if (box[axis] == Interval{0, last}) continue;
        const Interval at = simplify.bounds_of(UOp::share(n->src()[1 + axis]));
        box[axis].lo = std::min(box[axis].lo, std::max<int64_t>(at.lo, 0));
        box[axis].hi = std::max(box[axis].hi, std::min(at.hi, last));
      }
    }
    return {std::move(boxes), needed_places(item.kernel)};
  }

  // What any item may read of the temporary.
  Box read_of(int buffer, std::span<const Dim> extents) const {
    Box all(extents.size(), Interval{Interval::kMax, Interval::kMin});
    for (const size_t user : users_[static_cast<size_t>(buffer)]) {
      const ScheduleItem& item = items_[user].item;
      for (size_t slot = 0; slot < item.buffers.size(); ++slot) {
        if (item.buffers[slot] != buffer) continue;
        const Box& box = reads_[user].boxes[slot];
        for (size_t axis = 0; axis < all.size(); ++axis) {
          const Interval read = !item.kernel  ? Interval{0, extents[axis] - 1}
                                : box.empty() ? all[axis]
                                              : box[axis];
          all[axis] = {std::min(all[axis].lo, read.lo), std::max(all[axis].hi, read.hi)};
        }
      }
    }
    return all;
  }

  // What holds at all places of the temporary that matter to any of its readers.
  PlaceConditions conditions_of(int buffer) const {
    std::optional<PlaceConditions> all;
    for (const size_t user : users_[static_cast<size_t>(buffer)]) {
      const ScheduleItem& item = items_[user].item;
      if (!item.kernel) return {};
      const auto& by_slot = reads_[user].conditions;
      for (size_t slot = 0; slot < std::min(by_slot.size(), item.buffers.size()); ++slot) {
        if (item.buffers[slot] != buffer || !by_slot[slot]) continue;
        all = all ? common_conditions(*all, *by_slot[slot]) : *by_slot[slot];
      }
    }
    return all.value_or(PlaceConditions{});
  }

  // Of a reduction, whose loops then end where nothing matters any more; whether there was
  // something to leave out. Other kernels are merged more easily without a gate.
  bool gate(ScheduleItem& item) const {
    const UOp root = item.kernel.src(0);
    if (item.kernel.n_src() != 1 || !root.is(Op::End) || count_nodes(root, Op::Reduce) == 0)
      return false;
    const UOp store = root.src(0), array = store.src(0);
    if (!array.is(Op::Param)) return false;
    const int buffer = item.buffers[static_cast<size_t>(array.arg(0))];
    if (kept_[static_cast<size_t>(buffer)]) return false;
    PlaceConditions conditions = conditions_of(buffer);
    if (conditions.empty()) return false;
    std::unordered_map<const Node*, UOp> places;
    std::vector<UOp> at;
    for (int axis = 0; axis < array.ndim(); ++axis) {
      at.push_back(store.src(1 + axis));
      places.emplace(place(static_cast<size_t>(axis)).node(), at.back());
    }
    for (UOp& c : conditions) c = substitute(c, places);
    if (const UOp gate = gate_of(store)) {
      for (const UOp& c : conjuncts(gate)) conditions.push_back(c);
    }
    const UOp gated =
        store_at(array, at, store.src(1 + array.ndim()), conjunction(std::move(conditions)),
                 static_cast<Combine>(store.arg(0)));
    const std::vector<UOp> parts = root.srcs();
    const UOp whole = end(gated, std::span(parts).subspan(1));
    item.kernel = with_sources(item.kernel, std::span(&whole, 1));
    return true;
  }

  // The part of a loop's rounds that is left.
  struct Cut {
    UOp rounds;  // a RANGE, or 0 where one round is left
    int64_t begin;
  };
  using Cuts = std::unordered_map<const Node*, Cut>;  // by the RANGE

  // Whether there was something to cut.
  bool trim(ScheduleItem& item) const {
    const UOp root = item.kernel.src(0);
    if (item.kernel.n_src() != 1 || !root.is(Op::End)) return false;
    const UOp store = root.src(0), array = store.src(0);
    const int buffer = item.buffers[static_cast<size_t>(array.arg(0))];
    if (kept_[static_cast<size_t>(buffer)]) return false;
    const Box box = read_of(buffer, array.shape());
    Cuts cuts;
    for (int axis = 0; axis < array.ndim(); ++axis) {
      const UOp index = store.src(1 + axis);
      const Dim extent = array.dim(axis);
      const Interval read = box[static_cast<size_t>(axis)];
      if (!is_loop(root, index) || index.src(0).arg(0) != extent || read.lo > read.hi) continue;
      const int64_t length = read.hi - read.lo + 1;
      if (length == extent) continue;
      const UOp rounds = length == 1 ? index_const(0) : range(length, index.arg(0));
      cuts.emplace(index.node(), Cut{rounds, read.lo});
    }
    if (!cuts.empty()) item.kernel = with_cuts(item.kernel, cuts);
    return !cuts.empty();
  }

  static bool is_loop(const UOp& root, const UOp& index) {
    if (!index.is(Op::Range) || !index.src(0).is(Op::Const)) return false;
    const std::vector<UOp> parts = root.srcs();
    return std::find(parts.begin() + 1, parts.end(), index) != parts.end();
  }

  static UOp with_cuts(const UOp& kernel, const Cuts& cuts) {
    const UOp root = kernel.src(0);
    std::unordered_map<const Node*, UOp> indices;
    for (const auto& [range, cut] : cuts)
      indices.emplace(range, cut.rounds + index_const(cut.begin));
    std::vector<UOp> loops;
    for (int i = 1; i < root.n_src(); ++i) {
      const auto it = cuts.find(root.src_node(i));
      const UOp loop = it == cuts.end() ? root.src(i) : it->second.rounds;
      if (loop.is(Op::Range)) loops.push_back(loop);
    }
    IndexSimplifier simplify;
    const UOp whole = end(simplify(substitute(root.src(0), indices)), loops);
    const UOp out = with_sources(kernel, std::span(&whole, 1));
    // Slots are those of the item: a kernel that needs fewer arrays now is not taken.
    const bool keeps = count_nodes(out, Op::Param) == count_nodes(kernel, Op::Param);
    return keeps ? out : kernel;
  }

  std::span<PendingItem> items_;
  const std::vector<bool>& kept_;
  std::vector<std::vector<size_t>> users_;  // by buffer
  std::vector<Reads> reads_;                // by item
};

}  // namespace

void trim_stores(std::span<PendingItem> items, const std::vector<bool>& kept) {
  Trimmer(items, kept).run();
}

}  // namespace tg

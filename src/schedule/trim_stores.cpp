// From the last item to the first: the box that its readers look into, by the bounds of their
// indices, then its loops over the box. See trim_stores.h.
#include "schedule/trim_stores.h"

#include <algorithm>

#include "rules/index.h"
#include "tg/ir/interval.h"
#include "tg/ir/walk.h"

namespace tg {
namespace {

class Trimmer {
 public:
  Trimmer(std::span<PendingItem> items, const std::vector<bool>& kept)
      : items_(items), kept_(kept), users_(kept.size()) {
    for (size_t i = 0; i < items_.size(); ++i) {
      for (const int b : items_[i].item.buffers) users_[static_cast<size_t>(b)].push_back(i);
    }
  }

  void run() {
    for (size_t i = items_.size(); i-- > 0;) {
      if (items_[i].item.kernel) trim(items_[i].item);
    }
  }

 private:
  // The part of a loop's rounds that is left.
  struct Cut {
    UOp rounds;  // a RANGE, or 0 where one round is left
    int64_t begin;
  };
  using Cuts = std::unordered_map<const Node*, Cut>;  // by the RANGE

  void trim(ScheduleItem& item) {
    const UOp root = item.kernel.src(0);
    if (item.kernel.n_src() != 1 || !root.is(Op::End)) return;
    const UOp store = root.src(0), array = store.src(0);
    const int buffer = item.buffers[static_cast<size_t>(array.arg(0))];
    if (kept_[static_cast<size_t>(buffer)]) return;
    Cuts cuts;
    for (int axis = 0; axis < array.ndim(); ++axis) {
      const UOp index = store.src(1 + axis);
      const Dim extent = array.dim(axis);
      if (!is_loop(root, index) || index.src(0).arg(0) != extent) continue;
      const Interval read = read_along(buffer, extent, axis);
      const int64_t length = read.hi - read.lo + 1;
      if (length < 1 || length == extent) continue;
      const UOp rounds = length == 1 ? index_const(0) : range(length, index.arg(0));
      cuts.emplace(index.node(), Cut{rounds, read.lo});
    }
    if (!cuts.empty()) item.kernel = with_cuts(item.kernel, cuts);
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
    const UOp out = sink(std::span(&whole, 1));
    // Slots are those of the item: a kernel that needs fewer arrays now is not taken.
    const bool keeps = count_nodes(out, Op::Param) == count_nodes(kernel, Op::Param);
    return keeps ? out : kernel;
  }

  // All places along `axis` of the temporary that any item may read, from 0 to extent − 1.
  Interval read_along(int buffer, Dim extent, int axis) const {
    Interval all{extent, -1};
    for (const size_t user : users_[static_cast<size_t>(buffer)]) {
      const ScheduleItem& item = items_[user].item;
      if (!item.kernel) return {0, extent - 1};
      IndexSimplifier simplify;
      for (const Node* n : toposort(item.kernel)) {
        if (n->op != Op::Load || !is_slot_of(n->src()[0], item, buffer)) continue;
        const Interval at = simplify.bounds_of(UOp::share(n->src()[static_cast<size_t>(1 + axis)]));
        all.lo = std::min(all.lo, std::max<int64_t>(at.lo, 0));
        all.hi = std::max(all.hi, std::min(at.hi, extent - 1));
        if (all.lo == 0 && all.hi == extent - 1) return all;
      }
    }
    return all;
  }

  static bool is_slot_of(const Node* array, const ScheduleItem& item, int buffer) {
    return array->op == Op::Param && item.buffers[static_cast<size_t>(array->arg()[0])] == buffer;
  }

  std::span<PendingItem> items_;
  const std::vector<bool>& kept_;
  std::vector<std::vector<size_t>> users_;  // by buffer
};

}  // namespace

void trim_stores(std::span<PendingItem> items, const std::vector<bool>& kept) {
  Trimmer(items, kept).run();
}

}  // namespace tg

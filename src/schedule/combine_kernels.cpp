// Members are renamed apart, then joined: parallel loops by position, loads of values made by
// earlier members replaced by those values, reductions of the same depth and extents put into the
// same loops. Hash-consing merges what has become equal. See combine_kernels.h.
#include "schedule/combine_kernels.h"

#include <algorithm>
#include <map>

#include "kernel/asked_loops.h"
#include "kernel/element_sharing.h"
#include "tg/ir/walk.h"
#include "uop/shape.h"

namespace tg {
namespace {

struct PlainStore {
  UOp ptr;
  std::vector<UOp> at;
  UOp value;
  std::vector<UOp> loops;
};

// The store under a root of the SINK, if it is ungated.
std::optional<PlainStore> plain_store(const UOp& root) {
  const UOp store = root.is(Op::End) ? root.src(0) : root;
  if (!store.is(Op::Store) || store.arg(0) != static_cast<int64_t>(Combine::Set)) return {};
  PlainStore out{store.src(0), {}, {}, {}};
  const int n = store.src(0).ndim();
  if (store.n_src() != n + 2) return {};
  for (int d = 0; d < n; ++d) out.at.push_back(store.src(1 + d));
  out.value = store.src(1 + n);
  for (int i = 1; root.is(Op::End) && i < root.n_src(); ++i) out.loops.push_back(root.src(i));
  return out;
}

bool depends_on_data(const UOp& index) {
  return std::ranges::any_of(toposort(index), [](const Node* n) { return n->op == Op::Load; });
}

// What such a store leaves is known when its loops have ended, not at the point of one iteration.
bool shares_elements(const PlainStore& store) {
  return !ranges_sharing_elements({store.at, {}}, store.loops).empty();
}

class Combiner {
 public:
  Combiner(std::span<const PendingItem* const> members, std::span<const int> dropped)
      : members_(members), dropped_(dropped) {}

  std::optional<ScheduleItem> run() {
    for (const PendingItem* m : members_) {
      if (!add_member(*m)) return {};
    }
    if (!reads_in_place_are_safe()) return {};
    return finish();
  }

 private:
  struct Output {
    int buffer;
    size_t member;
    PlainStore store;
  };

  // The member's kernel over the common loops, parameters numbered by buffer, reduced ranges its
  // own.
  UOp renamed(const PendingItem& m, const std::vector<UOp>& loops) {
    std::unordered_map<const Node*, UOp> map;
    for (size_t i = 0; i < loops.size(); ++i) map.emplace(loops[i].node(), loops_[i]);
    for (const Node* n : toposort(m.item.kernel)) {
      if (n->op == Op::Range && !map.contains(n))
        map.emplace(n, range(n->src()[0]->arg()[0], next_range_++));
      if (n->op != Op::Param) continue;
      const int buffer = m.item.buffers[static_cast<size_t>(n->arg()[0])];
      map.emplace(n, param(buffer, Shape(n->shape().begin(), n->shape().end()), n->dtype));
    }
    return substitute(m.item.kernel, map);
  }

  bool add_member(const PendingItem& m) {
    const auto first = plain_store(m.item.kernel.src(0));
    if (!first) return false;
    if (members_.front() == &m) {
      for (const UOp& l : first->loops) loops_.push_back(range(extent_of(l), next_range_++));
    }
    if (first->loops.size() != loops_.size()) return false;
    UOp kernel = renamed(m, first->loops);
    const size_t index = static_cast<size_t>(std::ranges::find(members_, &m) - members_.begin());
    if (!pass_values(m, kernel)) return false;
    for (int i = 0; i < kernel.n_src(); ++i) {
      auto store = plain_store(kernel.src(i));
      if (!store || store->loops != loops_) return false;
      const int buffer = static_cast<int>(store->ptr.arg(0));
      if (output_of(buffer) != nullptr) return false;
      outputs_.push_back({buffer, index, *std::move(store)});
    }
    return true;
  }

  const Output* output_of(int64_t buffer) const {
    for (const Output& o : outputs_) {
      if (o.buffer == buffer) return &o;
    }
    return nullptr;
  }

  // Replaces loads of what earlier members made by the values themselves.
  bool pass_values(const PendingItem& m, UOp& kernel) {
    std::unordered_map<const Node*, UOp> map;
    for (const Node* n : toposort(kernel)) {
      if (n->op != Op::Load) continue;
      const Output* o = output_of(n->src()[0]->arg()[0]);
      if (o == nullptr) continue;
      if (!reads_result_of(m, *members_[o->member]) || !is_at(n, o->store.at)) return false;
      map.emplace(n, o->store.value);
    }
    if (!map.empty()) kernel = substitute(kernel, map);
    return true;
  }

  // All that the reader reads of this storage must be the version that the maker makes.
  static bool reads_result_of(const PendingItem& reader, const PendingItem& maker) {
    const bool reads = std::ranges::find(reader.reads, maker.makes) != reader.reads.end();
    if (maker.replaces == nullptr) return reads;
    return reads && std::ranges::none_of(reader.reads, [&](const Node* r) {
             return r != maker.makes && base_of(r) == base_of(maker.makes);
           });
  }

  static const Node* base_of(const Node* n) {
    while (n->op == Op::After) n = n->src()[0];
    return n;
  }

  static bool is_at(const Node* load, const std::vector<UOp>& at) {
    if (load->n_src != 1 + at.size()) return false;
    for (size_t d = 0; d < at.size(); ++d) {
      if (load->src()[1 + d] != at[d].node()) return false;
    }
    return true;
  }

  // Stores come after all reads of the same point: safe where every read of a written array is of
  // the point that is written.
  bool reads_in_place_are_safe() const {
    for (const Output& o : outputs_) {
      for (const Node* n : toposort(o.store.value)) {
        if (n->op != Op::Load) continue;
        const Output* written = output_of(n->src()[0]->arg()[0]);
        if (written != nullptr && !is_at(n, written->store.at)) return false;
      }
    }
    return true;
  }

  // Reductions at the same depth over the same extents run in the same loops. False if a range
  // would have to be two.
  bool share_reduced_loops(UOp& whole) {
    std::unordered_map<const Node*, int> depth;
    std::map<std::tuple<int, std::vector<int64_t>, int>, UOp> shared;
    std::unordered_map<const Node*, UOp> map;
    for (const Node* n : toposort(whole)) {
      int d = 0;
      for (const Node* s : n->src()) d = std::max(d, depth.at(s));
      if (n->op == Op::Reduce) {
        std::vector<int64_t> extents;
        for (const Node* r : n->src().subspan(1)) extents.push_back(extent_of(UOp::share(r)));
        for (int i = 0; i < static_cast<int>(extents.size()); ++i) {
          auto [it, fresh] = shared.try_emplace({d, extents, i});
          if (fresh) it->second = range(extents[static_cast<size_t>(i)], next_range_++);
          const Node* r = n->src()[static_cast<size_t>(i) + 1];
          if (map.try_emplace(r, it->second).first->second != it->second) return false;
        }
        ++d;
      }
      depth.emplace(n, d);
    }
    if (!map.empty()) whole = substitute(whole, map);
    return true;
  }

  std::optional<ScheduleItem> finish() {
    std::vector<UOp> roots;
    for (const Output& o : outputs_) {
      if (std::ranges::find(dropped_, o.buffer) != dropped_.end()) continue;
      roots.push_back(
          end(store_at(o.store.ptr, o.store.at, o.store.value, {}, Combine::Set), loops_));
    }
    if (roots.empty()) return {};
    UOp whole = sink(roots);
    if (!share_reduced_loops(whole)) return {};
    ScheduleItem out;
    out.device = members_.front()->item.device;
    out.kernel = numbered_by_first_use(whole, out.buffers);
    return out;
  }

  std::span<const PendingItem* const> members_;
  std::span<const int> dropped_;
  std::vector<UOp> loops_;
  std::vector<Output> outputs_;
  int64_t next_range_ = 0;
};

}  // namespace

std::optional<std::vector<int64_t>> common_loops(const UOp& kernel) {
  std::vector<UOp> loops;
  if (has_asked_loops(kernel)) return {};
  for (int i = 0; i < kernel.n_src(); ++i) {
    const auto store = plain_store(kernel.src(i));
    if (!store || std::ranges::any_of(store->at, depends_on_data) || shares_elements(*store))
      return {};
    if (i == 0) loops = store->loops;
    if (store->loops != loops) return {};
  }
  std::vector<int64_t> extents;
  for (const UOp& l : loops) extents.push_back(extent_of(l));
  return extents;
}

UOp numbered_by_first_use(const UOp& kernel, std::vector<int>& buffers) {
  std::unordered_map<const Node*, UOp> map;
  int64_t next = 0;
  for (const Node* n : toposort(kernel)) {
    if (n->op == Op::Range) map.emplace(n, range(n->src()[0]->arg()[0], next++));
    if (n->op != Op::Param) continue;
    map.emplace(n, param(static_cast<int>(buffers.size()),
                         Shape(n->shape().begin(), n->shape().end()), n->dtype));
    buffers.push_back(static_cast<int>(n->arg()[0]));
  }
  return substitute(kernel, map);
}

std::optional<ScheduleItem> combine_kernels(std::span<const PendingItem* const> members,
                                            std::span<const int> dropped) {
  return Combiner(members, dropped).run();
}

}  // namespace tg

// Kernels for everything that is materialised, then their order. See schedule.h.
#include "schedule/schedule.h"

#include <algorithm>
#include <map>

#include "schedule/kernel_builder.h"
#include "schedule/merge_kernels.h"
#include "support/check.h"
#include "support/profile.h"
#include "uop/walk.h"

namespace tg {
namespace {

class Scheduler {
 public:
  Scheduler(std::span<const UOp> roots, const Target& target, const FusionOptions& options)
      : roots_(roots), target_(target), fuse_(options.fuse), order_(toposort(roots)),
        set_(decide_fusion(order_, computed(roots), target, options)) {
    out_.graph = sink(roots);
  }

  Schedule run() {
    for (const Node* n : order_) build(n);
    for (const UOp& r : roots_) {
      const Node* below = storage_below(r.node());
      out_.results.push_back(below == nullptr ? buffer_of(r.node()) : -1);
    }
    if (fuse_) pending_ = merge_kernels(std::move(pending_), users_of_items(), kept_buffers(), target_);
    sort_items();
    return std::move(out_);
  }

 private:
  // Roots that need storage: not those that only name some.
  static std::vector<UOp> computed(std::span<const UOp> roots) {
    std::vector<UOp> out;
    for (const UOp& r : roots) {
      if (storage_below(r.node()) == nullptr) out.push_back(r);
    }
    return out;
  }

  bool in_memory(const Node* n) const { return set_.contains(n); }

  int buffer_of(const Node* n) {
    while (n->op == Op::After) n = n->src()[0];
    auto [it, fresh] = buffer_index_.try_emplace(n, static_cast<int>(out_.buffers.size()));
    if (fresh) out_.buffers.push_back({n, is_storage(n)});
    return it->second;
  }

  void build(const Node* n) {
    const InMemory memory = [this](const Node* x) { return in_memory(x); };
    if (n->op == Op::After) {
      for (const Node* effect : n->src().subspan(1)) {
        if (effect->op == Op::Store) build_store(n, effect, memory);
      }
      return;
    }
    if (!set_.contains(n)) return;
    if (n->op == Op::Copy) {
      add_copy(n);
    } else if (n->op == Op::Scatter) {
      for (BuiltKernel& k : build_scatter_kernels(n, memory)) add(std::move(k), n, n);
    } else {
      add(build_kernel(n, memory), n, n);
    }
  }

  void build_store(const Node* version, const Node* store, const InMemory& memory) {
    BuiltKernel k = build_store_kernel(store, memory);
    if (reads_elsewhere(k)) {
      // The value reads its own storage at other places: it is computed aside first, then copied in.
      const Node* v = store->src()[1];
      set_.add(v);
      add(build_kernel(v, memory), v, v);
      k = build_store_kernel(store, memory);
    }
    const int target = buffer_of(version);
    add(std::move(k), store, version);
    pending_.back().overwrites = {target};
  }

  // In place is legal where every read of the written array uses the index of the store and is not repeated by a reduction.
  static bool reads_elsewhere(const BuiltKernel& k) {
    const UOp ended = k.ast.src(0);
    const UOp store = ended.is(Op::End) ? ended.src(0) : ended;
    const int n_idx = store.src_node(0)->n_dim;
    for (const Node* n : toposort(k.ast)) {
      if (n->op != Op::Load || n->src()[0] != store.src_node(0)) continue;
      for (int d = 1; d <= n_idx; ++d) {
        if (n->src()[static_cast<size_t>(d)] != store.src_node(d)) return true;
      }
    }
    return false;
  }

  void add_copy(const Node* n) {
    PendingItem p;
    p.item.device = n->device;
    p.item.buffers = {buffer_of(n), buffer_of(n->src()[0])};
    p.reads = {n->src()[0]};
    p.makes = {n};
    pending_.push_back(std::move(p));
  }

  void add(BuiltKernel k, const Node* root, const Node* makes) {
    PendingItem p;
    p.item.kernel = k.ast;
    p.item.device = makes->device;
    for (const Node* s : k.storage) p.item.buffers.push_back(buffer_of(s));
    p.makes = {makes};
    collect_reads(root, p);
    pending_.push_back(std::move(p));
  }

  // Everything in memory that the inlined region below `root` ends at.
  void collect_reads(const Node* root, PendingItem& p) {
    std::vector<const Node*> work(root->src().begin(), root->src().end());
    std::unordered_map<const Node*, bool> seen;
    while (!work.empty()) {
      const Node* n = work.back();
      work.pop_back();
      if (!seen.emplace(n, true).second) continue;
      if (is_storage(n) || set_.contains(n)) {
        p.reads.push_back(n);
      } else {
        work.insert(work.end(), n->src().begin(), n->src().end());
      }
    }
  }

  // For each item those that must wait for it. Read after write by versions; a write in place waits for all readers of older versions
  // of its buffer.
  std::vector<std::vector<size_t>> users_of_items() const {
    const size_t n = pending_.size();
    std::vector<std::vector<size_t>> users(n);
    auto edge = [&](size_t from, size_t to) {
      if (from != to) users[from].push_back(to);
    };
    std::unordered_map<const Node*, std::vector<size_t>> makers;
    for (size_t i = 0; i < n; ++i) {
      for (const Node* m : pending_[i].makes) {
        for (size_t earlier : makers[m]) edge(earlier, i);  // parts of one value, in order
        makers[m].push_back(i);
      }
    }
    for (size_t i = 0; i < n; ++i) {
      for (const Node* r : pending_[i].reads) {
        for (size_t m : makers[r]) edge(m, i);
      }
      if (pending_[i].overwrites.empty()) continue;
      for (size_t j = 0; j < n; ++j) {
        if (reads_older(j, i)) edge(j, i);
      }
    }
    return users;
  }

  std::vector<bool> kept_buffers() const {
    std::vector<bool> kept;
    for (const ScheduledBuffer& b : out_.buffers) kept.push_back(b.external);
    for (int r : out_.results) {
      if (r >= 0) kept[static_cast<size_t>(r)] = true;
    }
    return kept;
  }

  void sort_items() {
    const size_t n = pending_.size();
    const std::vector<std::vector<size_t>> users = users_of_items();
    std::vector<int> waits(n, 0);
    for (const auto& list : users) {
      for (size_t u : list) ++waits[u];
    }
    std::map<size_t, bool> ready;
    for (size_t i = 0; i < n; ++i) {
      if (waits[i] == 0) ready.emplace(i, true);
    }
    while (!ready.empty()) {
      const size_t i = ready.begin()->first;
      ready.erase(ready.begin());
      emit(pending_[i]);
      for (size_t u : users[i]) {
        if (--waits[u] == 0) ready.emplace(u, true);
      }
    }
    if (out_.items.size() == n) return;
    user_error<ArgumentError>("realize", "a value that was overwritten in place is still needed together with the new one",
                              "Hint: realize() it before the assignment, or use contiguous().");
  }

  // Does item `reader` read a version of a buffer that `writer` overwrites which is not (a successor of) what the writer makes?
  bool reads_older(size_t reader, size_t writer) const {
    const PendingItem& w = pending_[writer];
    if (reader == writer) return false;
    for (const Node* r : pending_[reader].reads) {
      auto it = buffer_index_.find(base_of(r));
      if (it == buffer_index_.end() || std::ranges::find(w.overwrites, it->second) == w.overwrites.end()) continue;
      const bool later = std::ranges::any_of(w.makes, [&](const Node* m) { return base_of(m) == base_of(r) && is_version_of(r, m); });
      if (!later) return true;
    }
    return false;
  }

  static const Node* base_of(const Node* n) {
    while (n->op == Op::After) n = n->src()[0];
    return n;
  }
  // Is `n` the version `made`, or a later one made from it?
  static bool is_version_of(const Node* n, const Node* made) {
    for (; n->op == Op::After; n = n->src()[0]) {
      if (n == made) return true;
    }
    return n == made;
  }

  void emit(PendingItem& p) {
    const int at = static_cast<int>(out_.items.size());
    for (int b : p.item.buffers) {
      ScheduledBuffer& s = out_.buffers[static_cast<size_t>(b)];
      if (s.last_use == 0 && s.first_use == 0) s.first_use = at;
      s.last_use = at;
    }
    out_.items.push_back(std::move(p.item));
  }

  std::span<const UOp> roots_;
  const Target& target_;
  bool fuse_;
  std::vector<const Node*> order_;
  Materialised set_;
  Schedule out_;
  std::vector<PendingItem> pending_;
  std::unordered_map<const Node*, int> buffer_index_;
};

}  // namespace

const Node* storage_below(const Node* view) {
  while (true) {
    if (is_storage(view)) return view;
    const bool passes = (in_group(view->op, kMovement) && view->op != Op::Pad && view->op != Op::Shear) || view->op == Op::Detach;
    if (!passes) return nullptr;
    view = view->src()[0];
  }
}

Schedule make_schedule(std::span<const UOp> roots, const Target& target, const FusionOptions& options) {
  ProfileSpan span("schedule", "graph");
  Schedule schedule = Scheduler(roots, target, options).run();
  span.note("kernels", static_cast<double>(schedule.items.size()));
  return schedule;
}

}  // namespace tg

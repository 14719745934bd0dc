// Kernels for everything that is materialised, then their order. See schedule.h.
#include "schedule/schedule.h"

#include <algorithm>

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
    order_items();
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
    add(std::move(k), store, version);
    pending_.back().replaces = version->src()[0];
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
    p.makes = n;
    pending_.push_back(std::move(p));
  }

  void add(BuiltKernel k, const Node* root, const Node* makes) {
    PendingItem p;
    p.item.kernel = k.ast;
    p.item.device = makes->device;
    for (const Node* s : k.storage) p.item.buffers.push_back(buffer_of(s));
    p.makes = makes;
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

  // For each item those that must wait for it: readers of what it makes, and the store that replaces a version that it reads.
  std::vector<std::vector<size_t>> users_of_items() const {
    std::vector<std::vector<size_t>> users(pending_.size());
    std::unordered_map<const Node*, std::vector<size_t>> makers, replacers;
    for (size_t i = 0; i < pending_.size(); ++i) {
      std::vector<size_t>& parts = makers[pending_[i].makes];
      if (!parts.empty()) users[parts.back()].push_back(i);
      parts.push_back(i);
      if (pending_[i].replaces != nullptr) replacers[pending_[i].replaces].push_back(i);
    }
    for (size_t i = 0; i < pending_.size(); ++i) {
      for (const Node* r : pending_[i].reads) {
        for (size_t maker : makers[r]) {
          if (maker != i) users[maker].push_back(i);
        }
        for (size_t writer : replacers[r]) {
          if (writer != i) users[i].push_back(writer);
        }
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

  void order_items() {
    const std::vector<std::vector<size_t>> users = users_of_items();
    const std::vector<size_t> order = launch_order(users);
    if (fuse_) {
      for (ScheduleItem& item : merge_kernels(pending_, users, kept_buffers(), target_)) emit(std::move(item));
      return;
    }
    for (size_t i : order) emit(std::move(pending_[i].item));
  }

  static std::vector<size_t> launch_order(const std::vector<std::vector<size_t>>& users) {
    std::vector<int> waits(users.size(), 0);
    for (const auto& list : users) {
      for (size_t u : list) ++waits[u];
    }
    std::vector<size_t> ready;
    for (size_t i = 0; i < users.size(); ++i) {
      if (waits[i] == 0) ready.push_back(i);
    }
    for (size_t at = 0; at < ready.size(); ++at) {
      for (size_t u : users[ready[at]]) {
        if (--waits[u] == 0) ready.push_back(u);
      }
    }
    if (ready.size() == users.size()) return ready;
    user_error<ArgumentError>("realize", "a value that was overwritten in place is still needed together with the new one",
                              "Hint: realize() it before the assignment, or use contiguous().");
  }

  void emit(ScheduleItem item) {
    const int at = static_cast<int>(out_.items.size());
    for (int b : item.buffers) {
      ScheduledBuffer& s = out_.buffers[static_cast<size_t>(b)];
      if (s.last_use == 0 && s.first_use == 0) s.first_use = at;
      s.last_use = at;
    }
    out_.items.push_back(std::move(item));
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

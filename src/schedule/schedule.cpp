// Kernels for everything that is materialised, then their order. See schedule.h.
#include "schedule/schedule.h"

#include <algorithm>
#include <unordered_set>

#include "schedule/array_limit.h"
#include "schedule/batch_kernels.h"
#include "schedule/graph_passes.h"
#include "schedule/hazards.h"
#include "schedule/kernel_builder.h"
#include "schedule/merge_kernels.h"
#include "schedule/slice_items.h"
#include "schedule/trim_stores.h"
#include "schedule/window.h"
#include "support/check.h"
#include "support/log.h"
#include "support/profile.h"
#include "tg/ir/walk.h"
#include "uop/devices.h"
#include "uop/shape.h"

namespace tg {
namespace {

// Does the graph replace this version?
std::unordered_set<const Node*> replaced_versions(std::span<const Node* const> order) {
  std::unordered_set<const Node*> out;
  for (const Node* n : order) {
    if (n->op == Op::After) out.insert(n->src()[0]);
  }
  return out;
}

// A root that names a version which the same graph replaces is a value of its own: a copy.
std::vector<UOp> lasting_roots(std::span<const UOp> roots) {
  const std::unordered_set<const Node*> replaced = replaced_versions(toposort(roots));
  std::vector<UOp> out(roots.begin(), roots.end());
  for (UOp& r : out) {
    const Node* below = storage_below(r.node());
    if (below != nullptr && replaced.contains(below)) r = copied(r);
  }
  return out;
}

// What only a store of a whole array reads, and what can be made in that array: copies from other
// devices, and what is put at places of the array's own contents.
std::unordered_set<const Node*> made_in_storage(std::span<const Node* const> order,
                                                std::span<const UOp> roots) {
  std::unordered_map<const Node*, int> users;
  std::unordered_set<const Node*> out;
  for (const UOp& r : roots) ++users[r.node()];
  for (const Node* n : order) {
    for (const Node* s : n->src()) ++users[s];
  }
  for (const Node* n : order) {
    if (n->op != Op::Store || !is_storage(n->src()[0])) continue;
    const Node* value = n->src()[1];
    const bool scatters = value->op == Op::Scatter && value->src()[0] == n->src()[0];
    if ((value->op == Op::Copy || scatters) && users.at(value) == 1) out.insert(value);
  }
  return out;
}

int64_t bytes_of(const Node* n) { return numel(n->shape()) * dtype_size(n->dtype); }

class Scheduler {
 public:
  Scheduler(std::span<const UOp> roots, const Target& target, const FusionOptions& options)
      : roots_(resolve_devices(
            lasting_roots(run_graph_passes({roots.begin(), roots.end()}, target, options.fuse)),
            options.home)),
        target_(target),
        fuse_(options.fuse),
        order_(toposort(roots_)),
        set_(decide_fusion(order_, computed(roots_), target, options)),
        made_in_storage_(made_in_storage(order_, roots_)) {}

  Schedule run() {
    check_versions(order_);
    for (const Node* n : order_) build(n);
    for (const UOp& r : roots_) {
      const Node* below = storage_below(r.node());
      out_.results.push_back(below == nullptr ? buffer_of(r.node()) : -1);
    }
    break_cycles();
    emit_items();
    keep_.insert(keep_.end(), roots_.begin(), roots_.end());
    out_.graph = sink(keep_);
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
    if (!set_.contains(n) || made_in_storage_.contains(n)) return;
    if (n->op == Op::Copy) {
      add_copy(n, n);
    } else if (n->op == Op::Scatter) {
      add_scatter(n, build_scatter_kernels(n, memory, target_));
    } else {
      add(build_kernel(n, memory), n, n);
    }
  }

  void build_store(const Node* version, const Node* store, const InMemory& memory) {
    if (const Node* value = store->src()[1]; made_in_storage_.contains(value)) {
      if (value->op == Op::Copy) {
        add_copy(value, version);
      } else if (!add_scatter_in_place(value, version, memory)) {
        return build_store_of(version, store, memory);
      }
      pending_.back().replaces = version->src()[0];
      return;
    }
    build_store_of(version, store, memory);
  }

  void build_store_of(const Node* version, const Node* store, const InMemory& memory) {
    BuiltKernel k = build_store_kernel(store, memory);
    if (reads_elsewhere(k)) {
      // The value reads its own storage at other places: it is computed aside first, then copied
      // in.
      UOp aside = UOp::share(store->src()[1]);
      if (is_storage(aside.node())) aside = copied(aside);
      const UOp staged = tg::store(UOp::share(store->src()[0]), aside);
      keep_.push_back(staged);
      set_.add(aside.node());
      add(build_kernel(aside.node(), memory), aside.node(), aside.node());
      store = staged.node();
      k = build_store_kernel(store, memory);
    }
    add(std::move(k), store, version);
    pending_.back().replaces = version->src()[0];
  }

  // In place is legal where every read of the written array uses the index of the store and is not
  // repeated by a reduction.
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

  void add_scatter(const Node* n, std::vector<BuiltKernel> kernels) {
    int part = 0;
    for (BuiltKernel& k : kernels) {
      add(std::move(k), n, n);
      pending_.back().part = part++;
    }
  }

  // The values of a scatter, put into the array that holds its base. False, and an array of its own
  // is made, where each place asks, or where values or places are read from the array itself.
  bool add_scatter_in_place(const Node* n, const Node* version, const InMemory& memory) {
    std::vector<BuiltKernel> kernels = build_scatter_kernels(n, memory, target_);
    const int array = buffer_of(version);
    const auto is_read = [&](const Node* s) { return s != n && buffer_of(s) == array; };
    if (kernels.size() != 2 || std::ranges::any_of(kernels[1].storage, is_read)) {
      add_scatter(n, std::move(kernels));
      return false;
    }
    std::ranges::replace(kernels[1].storage, n, version);
    add(std::move(kernels[1]), n, version);
    pending_.back().part = 1;
    return true;
  }

  // The copy `n`, into storage of its own or into that of the version which it makes.
  void add_copy(const Node* n, const Node* makes) {
    PendingItem p;
    p.item.device = n->device;
    p.item.buffers = {buffer_of(makes), buffer_of(n->src()[0])};
    p.reads = {n->src()[0]};
    p.root = n;
    p.makes = makes;
    pending_.push_back(std::move(p));
  }

  void add(BuiltKernel k, const Node* root, const Node* makes) {
    PendingItem p;
    p.item.kernel = k.ast;
    p.item.device = makes->device;
    for (const Node* s : k.storage) p.item.buffers.push_back(buffer_of(s));
    p.root = root;
    p.makes = makes;
    collect_reads(root, p);
    pending_.push_back(std::move(p));
  }

  // Everything in memory that the inlined region below `root` ends at.
  void collect_reads(const Node* root, PendingItem& p) {
    for (const Node* n : inlined_region(root)) {
      if (n == root || !ends_region(n)) continue;
      p.reads.push_back(n);
      buffer_of(n);
    }
  }

  // Until there is an order in which each reader of an old version runs before the store that
  // replaces it.
  void break_cycles() {
    for (std::vector<Hazard> cycle = find_cycle(pending_); !cycle.empty();
         cycle = find_cycle(pending_))
      break_cycle(cycle);
  }

  // Copies the version that costs the fewest bytes; items that are copies need no copy themselves.
  void break_cycle(std::span<const Hazard> cycle) {
    const Hazard* best = nullptr;
    std::vector<const Node*> cut;
    for (const Hazard& h : cycle) {
      if (copies_.contains(pending_[h.reader].makes)) continue;
      std::vector<const Node*> here = cheapest_cut(pending_[h.reader], h.version);
      if (best != nullptr && total_bytes(here) >= total_bytes(cut)) continue;
      best = &h;
      cut = std::move(here);
    }
    TG_CHECK(best != nullptr, "a cycle of {} hazards cannot be broken", cycle.size());
    read_copies(best->reader, cut);
  }

  static int64_t total_bytes(std::span<const Node* const> nodes) {
    int64_t n = 0;
    for (const Node* x : nodes) n += bytes_of(x);
    return n;
  }

  bool ends_region(const Node* n) const { return is_storage(n) || set_.contains(n); }

  // What a kernel computes inline below `root`, with the stored values at which it ends; sources
  // before users.
  std::vector<const Node*> inlined_region(const Node* root) const {
    std::vector<const Node*> out, stack{root};
    std::unordered_map<const Node*, bool> done;  // false: sources are on the stack
    while (!stack.empty()) {
      const Node* n = stack.back();
      const auto [it, fresh] = done.emplace(n, false);
      if (!fresh) {
        stack.pop_back();
        if (!std::exchange(it->second, true)) out.push_back(n);
      } else if (n == root || !ends_region(n)) {
        stack.insert(stack.end(), n->src().begin(), n->src().end());
      }
    }
    return out;
  }

  // What the reader needs of a version: the windows through which it looks, or all if that is less.
  std::vector<const Node*> cheapest_cut(const PendingItem& reader, const Node* version) const {
    std::vector<const Node*> windows;
    if (reader.root->op == Op::Copy) return {version};
    std::unordered_set<const Node*> window_of;
    for (const Node* n : inlined_region(reader.root)) {
      const bool moves = in_group(n->op, kMovement) && n != reader.root;
      if (n == version ||
          (moves && window_of.contains(n->src()[0]) && bytes_of(n) <= bytes_of(n->src()[0]))) {
        window_of.insert(n);
      } else if (n == reader.root || !ends_region(n)) {
        for (const Node* s : n->src()) {
          if (window_of.contains(s) && std::ranges::find(windows, s) == windows.end())
            windows.push_back(s);
        }
      }
    }
    return !windows.empty() && total_bytes(windows) < bytes_of(version) ? windows
                                                                        : std::vector{version};
  }

  // The item, built again over copies of `cut`.
  void read_copies(size_t reader, std::span<const Node* const> cut) {
    std::unordered_map<const Node*, UOp> map;
    for (const Node* r : pending_[reader].reads) map.emplace(r, UOp::share(r));
    for (const Node* c : cut) map.insert_or_assign(c, copy_of(c));
    PendingItem& p = pending_[reader];
    const UOp root = p.root->op == Op::Store ? store(UOp::share(p.root->src()[0]),
                                                     substitute(UOp::share(p.root->src()[1]), map))
                                             : with_new_sources(p.root, map);
    keep_.push_back(root);
    if (p.root->op == Op::Copy) {
      p.item.buffers[1] = buffer_of(root.src_node(0));
      p.reads = {root.src_node(0)};
      return;
    }
    const InMemory memory = [&](const Node* x) { return in_memory(x); };
    BuiltKernel k =
        root.is(Op::Store) ? build_store_kernel(root.node(), memory)
        : root.is(Op::Scatter)
            ? build_scatter_kernels(root.node(), memory, target_)[static_cast<size_t>(p.part)]
            : build_kernel(root.node(), memory);
    p.item.kernel = k.ast;
    p.item.buffers.clear();
    for (const Node* s : k.storage)
      p.item.buffers.push_back(buffer_of(s == root.node() ? p.makes : s));
    p.root = root.node();
    p.reads.clear();
    collect_reads(p.root, p);
  }

  static UOp with_new_sources(const Node* root, const std::unordered_map<const Node*, UOp>& map) {
    std::vector<UOp> src;
    for (const Node* s : root->src()) src.push_back(substitute(UOp::share(s), map));
    return with_sources(UOp::share(root), src);
  }

  UOp copy_of(const Node* window) {
    UOp c = copied(UOp::share(window));
    if (set_.contains(c.node())) return c;
    const InMemory memory = [&](const Node* x) { return in_memory(x); };
    set_.add(c.node());
    copies_.insert(c.node());
    out_.version_copies.push_back(c);
    add(build_kernel(c.node(), memory), c.node(), c.node());
    debug_log(2, "copied {} bytes of shape {} that are overwritten in place while still needed",
              bytes_of(window), format_shape(window->shape()));
    return c;
  }

  std::vector<bool> kept_buffers() const {
    std::vector<bool> kept;
    for (const ScheduledBuffer& b : out_.buffers) kept.push_back(b.external);
    for (int r : out_.results) {
      if (r >= 0) kept[static_cast<size_t>(r)] = true;
    }
    return kept;
  }

  void emit_items() {
    for (const PendingItem& p : pending_) {
      if (p.replaces == nullptr) continue;
      const int b = buffer_of(p.replaces);
      if (std::ranges::find(out_.overwritten, b) == out_.overwritten.end())
        out_.overwritten.push_back(b);
    }
    std::vector<ScheduleItem> items;
    if (fuse_) {
      trim_stores(pending_, kept_buffers());
      items = merge_kernels(pending_, users_of_items(pending_), kept_buffers(), target_);
    } else {
      for (size_t i : launch_order(pending_)) items.push_back(std::move(pending_[i].item));
    }
    if (fuse_) slice_items(items, out_.buffers, kept_buffers(), keep_, target_);
    limit_kernels(items, out_.buffers, keep_, target_);
    if (fuse_) {
      for (const Placed& p : batch_kernels(items, out_.buffers, kept_buffers(), target_)) {
        out_.items.push_back(std::move(items[p.item]));
        out_.items.back().step = p.step;
      }
    } else {
      for (ScheduleItem& item : items) {
        item.step = static_cast<int>(out_.items.size());
        out_.items.push_back(std::move(item));
      }
    }
    find_lifetimes();
  }

  void find_lifetimes() {
    for (const ScheduleItem& item : out_.items) {
      for (int b : item.buffers) {
        ScheduledBuffer& s = out_.buffers[static_cast<size_t>(b)];
        if (s.first_use < 0) s.first_use = item.step;
        s.last_use = item.step;
      }
    }
  }

  std::vector<UOp> roots_;
  const Target& target_;
  bool fuse_;
  std::vector<const Node*> order_;
  Materialised set_;
  std::unordered_set<const Node*> made_in_storage_;
  Schedule out_;
  std::vector<PendingItem> pending_;
  std::unordered_map<const Node*, int> buffer_index_;
  std::unordered_set<const Node*> copies_;
  std::vector<UOp> keep_;  // nodes that items refer to besides the graph's own
};

}  // namespace

Schedule make_schedule(std::span<const UOp> roots, const Target& target,
                       const FusionOptions& options) {
  ProfileSpan span("schedule", "graph");
  Schedule schedule = Scheduler(roots, target, options).run();
  span.note("kernels", static_cast<double>(schedule.items.size()));
  return schedule;
}

}  // namespace tg

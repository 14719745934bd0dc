// Greedy, in launch order: each kernel is offered to those that make what it reads and to those
// that read what it reads. See merge_kernels.h.
#include "schedule/merge_kernels.h"

#include <algorithm>
#include <set>

#include "kernel/kernel_cost.h"
#include "schedule/combine_kernels.h"
#include "support/log.h"
#include "support/text.h"
#include "tg/ir/walk.h"
#include "uop/shape.h"

namespace tg {
namespace {

constexpr double kLeastShare = 0.25;   // of the smaller kernel's traffic
constexpr size_t kMaxParameters = 24;  // registers for pointers
constexpr size_t kMaxNodes = 600;      // of a merged kernel
constexpr size_t kMaxNeighbours = 4;   // recent readers of a value that are tried
constexpr size_t kMaxSearch = 4096;    // groups looked at for a path between two kernels

struct Group {
  std::vector<size_t> members;  // by rank
  ScheduleItem item;
  KernelCost cost;
  bool mergeable = false;
  std::vector<int64_t> loops;
};

class Merger {
 public:
  Merger(std::span<const PendingItem> items, const std::vector<std::vector<size_t>>& users,
         const std::vector<bool>& kept, const Target& target)
      : items_(items),
        users_(users),
        kept_(kept),
        target_(target),
        max_parameters_(target.max_arrays == 0
                            ? kMaxParameters
                            : std::min(kMaxParameters, static_cast<size_t>(target.max_arrays))) {}

  std::vector<ScheduleItem> run() {
    for (size_t i = 0; i < items_.size(); ++i) add_group(i);
    rank_.resize(items_.size());
    const std::vector<size_t> order = group_order();
    for (size_t r = 0; r < order.size(); ++r) rank_[order[r]] = r;
    for (size_t i : order) offer(i);
    drop_private_values();
    std::vector<ScheduleItem> out;
    for (size_t g : group_order()) out.push_back(std::move(groups_[g].item));
    return out;
  }

 private:
  // Groups so that each comes after those that it waits for; ties by their first item.
  std::vector<size_t> group_order() const {
    std::vector<int> waits(items_.size(), 0);
    auto for_users = [&](size_t group, auto&& fn) {
      for (size_t m : groups_[group].members) {
        for (size_t u : users_[m]) {
          if (group_of_[u] != group) fn(group_of_[u]);
        }
      }
    };
    std::set<size_t> ready;
    for (size_t i = 0; i < items_.size(); ++i) {
      if (group_of_[i] == i) for_users(i, [&](size_t u) { ++waits[u]; });
    }
    for (size_t i = 0; i < items_.size(); ++i) {
      if (group_of_[i] == i && waits[i] == 0) ready.insert(i);
    }
    std::vector<size_t> order;
    while (!ready.empty()) {
      const size_t i = *ready.begin();
      ready.erase(ready.begin());
      order.push_back(i);
      for_users(i, [&](size_t u) {
        if (--waits[u] == 0) ready.insert(u);
      });
    }
    return order;
  }

  void add_group(size_t i) {
    Group g{{i}, items_[i].item, {}, false, {}};
    if (const UOp& kernel = items_[i].item.kernel) {
      const auto loops = common_loops(kernel);
      const std::vector<const Node*> nodes = toposort(kernel);
      g.mergeable =
          loops && nodes.size() <= kMaxNodes && std::ranges::none_of(nodes, is_ranged_contraction);
      if (loops) g.loops = *loops;
      if (g.mergeable) g.cost = cost_of(kernel);
    }
    groups_.push_back(std::move(g));
    group_of_.push_back(i);
  }

  // Tries kernel i with its neighbours, repeatedly: a merged kernel may take in what one alone
  // could not.
  void offer(size_t i) {
    const std::vector<size_t> near = neighbours(i);
    for (bool merged = groups_[group_of_[i]].mergeable; merged;) {
      merged = std::ranges::any_of(near, [&](size_t other) {
        const size_t a = group_of_[other], b = group_of_[i];
        return a != b && try_merge(a, b);
      });
    }
    remember(i);
  }

  // Makers of what item i reads, and the latest other readers of it.
  std::vector<size_t> neighbours(size_t i) const {
    std::vector<size_t> out;
    for (const Node* value : items_[i].reads) {
      if (auto it = makers_.find(value); it != makers_.end()) out.push_back(it->second);
      auto it = readers_.find(value);
      if (it == readers_.end()) continue;
      const auto count = static_cast<std::ptrdiff_t>(std::min(it->second.size(), kMaxNeighbours));
      out.insert(out.end(), it->second.end() - count, it->second.end());
    }
    return out;
  }

  void remember(size_t i) {
    makers_[items_[i].makes] = i;
    for (const Node* r : items_[i].reads) readers_[r].push_back(i);
  }

  bool try_merge(size_t a, size_t b) {
    const Group &x = groups_[a], &y = groups_[b];
    if (!x.mergeable || x.loops != y.loops || x.item.device != y.item.device) return false;
    if (common_bytes(x.item, y.item) < kLeastShare * std::min(x.cost.bytes, y.cost.bytes))
      return false;
    if (connected_outside(a, b) || connected_outside(b, a)) return false;
    Group joined{{}, {}, {}, true, x.loops};
    auto rank = [this](size_t i) { return rank_[i]; };
    std::ranges::merge(x.members, y.members, std::back_inserter(joined.members), {}, rank, rank);
    auto item = combine(joined.members, {});
    if (!item || item->buffers.size() > max_parameters_ ||
        toposort(item->kernel).size() > kMaxNodes)
      return false;
    joined.item = *std::move(item);
    joined.cost = cost_of(joined.item.kernel);
    const bool taken = pays(x.cost, y.cost, joined.cost);
    debug_log(3, "merge {} + {} kernels over [{}]: {} + {} apart, {} together: {}",
              x.members.size(), y.members.size(), fmt::join(x.loops, ", "),
              human_time(seconds_of(x.cost, target_)), human_time(seconds_of(y.cost, target_)),
              human_time(seconds_of(joined.cost, target_)), taken ? "merged" : "left apart");
    if (!taken) return false;
    const size_t into = std::min(a, b);
    for (size_t m : joined.members) group_of_[m] = into;
    groups_[into] = std::move(joined);
    return true;
  }

  bool pays(const KernelCost& x, const KernelCost& y, const KernelCost& together) const {
    const double saved = x.bytes + y.bytes - together.bytes;
    return saved >= kLeastShare * std::min(x.bytes, y.bytes) &&
           seconds_of(together, target_) < seconds_of(x, target_) + seconds_of(y, target_);
  }

  std::optional<ScheduleItem> combine(const std::vector<size_t>& members,
                                      std::span<const int> dropped) const {
    std::vector<const PendingItem*> list;
    for (size_t m : members) list.push_back(&items_[m]);
    return combine_kernels(list, dropped);
  }

  // Bytes of the buffers that both touch: an upper bound on what one kernel could save.
  static double common_bytes(const ScheduleItem& x, const ScheduleItem& y) {
    double bytes = 0;
    for (const Node* p : toposort(x.kernel)) {
      if (p->op != Op::Param) continue;
      const int buffer = x.buffers[static_cast<size_t>(p->arg()[0])];
      if (std::ranges::find(y.buffers, buffer) == y.buffers.end()) continue;
      bytes += static_cast<double>(numel(p->shape()) * dtype_size(p->dtype));
    }
    return 2 * bytes;  // written by one and read by the other
  }

  // Is there a way from group `a` to group `b` through a third one?
  bool connected_outside(size_t a, size_t b) const {
    std::vector<size_t> work;
    std::unordered_map<size_t, bool> seen{{a, true}};
    auto enter = [&](size_t group) {
      for (size_t m : groups_[group].members) {
        for (size_t u : users_[m]) {
          const size_t next = group_of_[u];
          if (group == a && next == b) continue;
          if (seen.emplace(next, true).second) work.push_back(next);
        }
      }
    };
    enter(a);
    while (!work.empty()) {
      const size_t group = work.back();
      work.pop_back();
      if (group == b || seen.size() > kMaxSearch) return true;
      enter(group);
    }
    return false;
  }

  // What a merged kernel makes for itself alone needs no memory.
  void drop_private_values() {
    std::unordered_map<int, std::vector<size_t>> users;  // groups that touch a buffer
    for (size_t i = 0; i < items_.size(); ++i) {
      for (int b : items_[i].item.buffers) users[b].push_back(group_of_[i]);
    }
    for (size_t i = 0; i < groups_.size(); ++i) {
      Group& g = groups_[i];
      if (group_of_[i] != i || g.members.size() < 2) continue;
      std::vector<int> dropped;
      for (int b : g.item.buffers) {
        const bool mine = std::ranges::all_of(users[b], [&](size_t u) { return u == i; });
        if (mine && !kept_[static_cast<size_t>(b)]) dropped.push_back(b);
      }
      if (dropped.empty()) continue;
      if (auto item = combine(g.members, dropped)) g.item = *std::move(item);
    }
  }

  std::span<const PendingItem> items_;
  const std::vector<std::vector<size_t>>& users_;
  const std::vector<bool>& kept_;
  const Target& target_;
  const size_t max_parameters_;
  std::vector<size_t> rank_;      // by item: its place in a valid order
  std::vector<Group> groups_;     // by first member; those merged into others are stale
  std::vector<size_t> group_of_;  // by item
  std::unordered_map<const Node*, size_t> makers_;
  std::unordered_map<const Node*, std::vector<size_t>> readers_;
};

}  // namespace

std::vector<ScheduleItem> merge_kernels(std::span<const PendingItem> items,
                                        const std::vector<std::vector<size_t>>& users,
                                        const std::vector<bool>& kept, const Target& target) {
  return Merger(items, users, kept, target).run();
}

}  // namespace tg

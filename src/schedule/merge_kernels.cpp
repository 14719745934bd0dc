// Greedy, in launch order: each kernel is offered to those that make what it reads and to those
// that read what it reads. See merge_kernels.h.
#include "schedule/merge_kernels.h"

#include <algorithm>

#include "kernel/kernel_cost.h"
#include "schedule/combine_kernels.h"
#include "schedule/item_groups.h"
#include "schedule/read_orders.h"
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

struct Candidate {
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
        groups_(users),
        kept_(kept),
        target_(target),
        max_parameters_(target.max_arrays == 0
                            ? kMaxParameters
                            : std::min(kMaxParameters, static_cast<size_t>(target.max_arrays))) {}

  std::vector<ScheduleItem> run() {
    for (size_t i = 0; i < items_.size(); ++i) add_group(i);
    for (size_t i : groups_.order()) offer(i);
    drop_private_values();
    std::vector<ScheduleItem> out;
    for (size_t g : groups_.order()) out.push_back(std::move(kernels_[g].item));
    return out;
  }

 private:
  void add_group(size_t i) {
    Candidate g{items_[i].item, {}, false, {}};
    if (const UOp& kernel = items_[i].item.kernel) {
      const auto loops = common_loops(kernel);
      const std::vector<const Node*> nodes = toposort(kernel);
      g.mergeable =
          loops && nodes.size() <= kMaxNodes && std::ranges::none_of(nodes, is_ranged_contraction);
      if (loops) g.loops = *loops;
      if (g.mergeable) g.cost = cost_of(kernel);
    }
    kernels_.push_back(std::move(g));
  }

  // Tries kernel i with its neighbours, repeatedly: a merged kernel may take in what one alone
  // could not.
  void offer(size_t i) {
    const std::vector<size_t> near = neighbours(i);
    for (bool merged = kernels_[groups_.group_of(i)].mergeable; merged;) {
      merged = std::ranges::any_of(near, [&](size_t other) {
        const size_t a = groups_.group_of(other), b = groups_.group_of(i);
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
    const Candidate &x = kernels_[a], &y = kernels_[b];
    if (!x.mergeable || x.loops != y.loops || x.item.device != y.item.device) return false;
    if (common_bytes(x.item, y.item) < kLeastShare * std::min(x.cost.bytes, y.cost.bytes))
      return false;
    if (!groups_.can_join(a, b)) return false;
    Candidate joined{{}, {}, true, x.loops};
    auto item = combine(groups_.joined_members(a, b), {});
    if (!item || item->buffers.size() > max_parameters_ ||
        toposort(item->kernel).size() > kMaxNodes)
      return false;
    joined.item = *std::move(item);
    joined.cost = cost_of(joined.item.kernel);
    joined.cost.bytes += bytes_read_apart(x.item, y.item, joined.item);
    const bool taken = pays(x.cost, y.cost, joined.cost);
    debug_log(3, "merge {} + {} kernels over [{}]: {} + {} apart, {} together: {}",
              groups_.members(a).size(), groups_.members(b).size(), fmt::join(x.loops, ", "),
              human_time(seconds_of(x.cost, target_)), human_time(seconds_of(y.cost, target_)),
              human_time(seconds_of(joined.cost, target_)), taken ? "merged" : "left apart");
    if (!taken) return false;
    kernels_[groups_.join(a, b)] = std::move(joined);
    return true;
  }

  bool pays(const KernelCost& x, const KernelCost& y, const KernelCost& together) const {
    const double saved = x.bytes + y.bytes - together.bytes;
    return saved >= kLeastShare * std::min(x.bytes, y.bytes) &&
           seconds_of(together, target_) < seconds_of(x, target_) + seconds_of(y, target_);
  }

  std::optional<ScheduleItem> combine(std::span<const size_t> members,
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

  // What a merged kernel makes for itself alone needs no memory.
  void drop_private_values() {
    std::unordered_map<int, std::vector<size_t>> users;  // groups that touch a buffer
    for (size_t i = 0; i < items_.size(); ++i) {
      for (int b : items_[i].item.buffers) users[b].push_back(groups_.group_of(i));
    }
    for (size_t i = 0; i < kernels_.size(); ++i) {
      Candidate& g = kernels_[i];
      if (groups_.members(i).size() < 2) continue;
      std::vector<int> dropped;
      for (int b : g.item.buffers) {
        const bool mine = std::ranges::all_of(users[b], [&](size_t u) { return u == i; });
        if (mine && !kept_[static_cast<size_t>(b)]) dropped.push_back(b);
      }
      if (dropped.empty()) continue;
      if (auto item = combine(groups_.members(i), dropped)) g.item = *std::move(item);
    }
  }

  std::span<const PendingItem> items_;
  ItemGroups groups_;
  std::vector<Candidate> kernels_;  // by group; those of groups that went into others are stale
  const std::vector<bool>& kept_;
  const Target& target_;
  const size_t max_parameters_;
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

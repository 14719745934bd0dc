// Two steps. Batches are found by walking the items in order: a small kernel enters the earliest
// level that waits and is behind all that it needs; a kernel that is not small closes the levels
// that it needs. Then batches and single kernels are put in order, each as near to the place of its
// last member as dependences allow, so that what found no company stays where it was. See
// batch_kernels.h.
#include "schedule/batch_kernels.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "kernel/kernel_cost.h"
#include "kernel/merge_axes.h"
#include "kernel/split_reductions.h"
#include "schedule/accesses.h"
#include "support/check.h"
#include "support/log.h"
#include "support/text.h"
#include "tg/ir/walk.h"
#include "uop/shape.h"

namespace tg {
namespace {

// Of kernels that take longer than either, waking the threads and waiting for the last of them is
// no visible part.
constexpr double kLongSeconds = 100e-6;
constexpr double kManyLaunches = 20;  // times what a launch costs

class Batcher {
 public:
  Batcher(std::span<const ScheduleItem> items, std::span<const ScheduledBuffer> buffers,
          const std::vector<bool>& kept, const Target& target)
      : items_(items),
        buffers_(buffers),
        kept_(kept),
        target_(target),
        small_seconds_(std::max(kLongSeconds, kManyLaunches * target.launch_seconds)),
        most_held_(target.l2_bytes * target.threads) {}

  std::vector<Placed> run() {
    needs_.resize(items_.size());
    users_.resize(items_.size());
    group_of_.resize(items_.size());
    level_.resize(items_.size(), kNoLevel);
    for (size_t i = 0; i < items_.size(); ++i) {
      const std::vector<Access> accesses = accesses_of(items_[i]);
      find_needs(i, accesses);
      find_group(i, accesses);
    }
    return in_order();
  }

 private:
  static constexpr int64_t kNoLevel = -1;

  struct Uses {
    std::vector<size_t> writers, readers;  // one writer at most; readers since it
  };

  struct Group {
    std::vector<size_t> members;
    double seconds = 0;  // of the members one after the other
  };

  // ---- dependences
  void find_needs(size_t i, std::span<const Access> accesses) {
    for (size_t slot = 0; slot < accesses.size(); ++slot) {
      const Access a = accesses[slot];
      Uses& uses = uses_[items_[i].buffers[slot]];
      wait_for(uses.writers, i);
      if (a.writes) {
        wait_for(uses.readers, i);
        uses = {{i}, {}};
      } else if (a.reads) {
        uses.readers.push_back(i);
      }
    }
  }

  void wait_for(std::span<const size_t> earlier, size_t i) {
    for (size_t e : earlier) {
      if (e == i) continue;
      needs_[i].push_back(e);
      users_[e].push_back(i);
    }
  }

  // ---- batches
  void find_group(size_t i, std::span<const Access> accesses) {
    int64_t level = first_waiting_;
    for (size_t n : needs_[i]) level = std::max(level, level_[n] + 1);
    const KernelCost cost = items_[i].kernel ? cost_of(items_[i].kernel) : KernelCost{};
    if (!is_small(items_[i].kernel, cost)) {
      first_waiting_ = level;
      group_of_[i] = new_group(i);
      return;
    }
    level_[i] = level;
    auto [it, fresh] = waiting_.try_emplace({level, items_[i].device}, groups_.size());
    if (fresh) {
      group_of_[i] = new_group(i);
    } else {
      group_of_[i] = it->second;
      groups_[it->second].members.push_back(i);
    }
    groups_[it->second].seconds += seconds_of(cost, target_);
    hold(i, level, accesses);
  }

  size_t new_group(size_t i) {
    groups_.push_back({{i}, 0});
    return groups_.size() - 1;
  }

  bool is_small(const UOp& kernel, const KernelCost& cost) const {
    if (!kernel || seconds_on_all_threads(cost) >= small_seconds_) return false;
    const auto reduces = [](const Node* n) { return n->op == Op::Reduce; };
    return std::ranges::none_of(toposort(kernel), reduces) ||
           split_reductions(merge_axes(kernel), target_).kernels.size() == 1;
  }

  double seconds_on_all_threads(const KernelCost& cost) const {
    return std::max(cost.flops / (target_.flops_per_second * target_.threads),
                    cost.bytes / target_.bytes_per_second);
  }

  // Item i keeps what it reads in memory until its batch runs.
  void hold(size_t i, int64_t level, std::span<const Access> accesses) {
    for (; !held_.empty() && held_.begin()->first < first_waiting_; held_.erase(held_.begin()))
      all_held_ -= held_.begin()->second;
    for (size_t slot = 0; slot < accesses.size(); ++slot) {
      const auto b = static_cast<size_t>(items_[i].buffers[slot]);
      if (!accesses[slot].reads || kept_[b]) continue;
      const Node* value = buffers_[b].node;
      const int64_t bytes = numel(value->shape()) * dtype_size(value->dtype);
      held_[level] += bytes;
      all_held_ += bytes;
    }
    if (all_held_ > most_held_) first_waiting_ = waiting_.rbegin()->first.first + 1;
  }

  // ---- order
  std::vector<Placed> in_order() const {
    std::vector<int> waits(groups_.size(), 0);
    auto for_users = [&](size_t group, auto&& fn) {
      for (size_t m : groups_[group].members) {
        for (size_t u : users_[m]) fn(group_of_[u]);
      }
    };
    for (size_t g = 0; g < groups_.size(); ++g) for_users(g, [&](size_t u) { ++waits[u]; });
    std::set<std::pair<size_t, size_t>> ready;  // by last member
    auto make_ready = [&](size_t g) { ready.emplace(groups_[g].members.back(), g); };
    for (size_t g = 0; g < groups_.size(); ++g) {
      if (waits[g] == 0) make_ready(g);
    }
    std::vector<Placed> out;
    for (int step = 0; !ready.empty(); ++step) {
      const size_t g = ready.begin()->second;
      ready.erase(ready.begin());
      emit(groups_[g], step, out);
      for_users(g, [&](size_t u) {
        if (--waits[u] == 0) make_ready(u);
      });
    }
    TG_CHECK(out.size() == items_.size(), "{} of {} items wait for each other",
             items_.size() - out.size(), items_.size());
    return out;
  }

  void emit(const Group& group, int step, std::vector<Placed>& out) const {
    for (size_t m : group.members) out.push_back({m, step});
    const auto saved = static_cast<double>(group.members.size() - 1);
    if (saved == 0) return;
    debug_log(3, "batch {} kernels as launch {}: {} apart, {} together", group.members.size(), step,
              human_time(group.seconds),
              human_time(group.seconds - saved * target_.launch_seconds));
  }

  std::span<const ScheduleItem> items_;
  std::span<const ScheduledBuffer> buffers_;
  const std::vector<bool>& kept_;
  const Target& target_;
  const double small_seconds_;
  const int64_t most_held_;
  std::unordered_map<int, Uses> uses_;              // by buffer
  std::vector<std::vector<size_t>> needs_, users_;  // by item
  std::vector<size_t> group_of_;                    // by item
  std::vector<int64_t> level_;                      // by item; of small ones
  std::vector<Group> groups_;
  std::map<std::pair<int64_t, DeviceId>, size_t> waiting_;  // groups by level and device
  std::map<int64_t, int64_t> held_;                         // bytes by level that waits
  int64_t all_held_ = 0;
  int64_t first_waiting_ = 0;  // levels below have been closed
};

}  // namespace

std::vector<Placed> batch_kernels(std::span<const ScheduleItem> items,
                                  std::span<const ScheduledBuffer> buffers,
                                  const std::vector<bool>& kept, const Target& target) {
  return Batcher(items, buffers, kept, target).run();
}

}  // namespace tg

// Best-fit packing of lifetimes, and the test of index identity. See memory_plan.h.
#include "schedule/memory_plan.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "kernel/element_sharing.h"
#include "support/check.h"
#include "tg/ir/walk.h"
#include "uop/shape.h"

namespace tg {
namespace {

constexpr size_t kManyValues = 4096;

int64_t aligned(int64_t bytes) {
  return (std::max<int64_t>(bytes, 1) + kPlanAlignment - 1) / kPlanAlignment * kPlanAlignment;
}

bool contemporary(const Lifetime& a, const Lifetime& b) {
  return a.first <= b.last && b.first <= a.last;
}

// Steps at which bytes come (first) and go (last + 1), in order of time.
int64_t most_live(std::span<const Lifetime> values) {
  std::map<int, int64_t> change;
  for (const Lifetime& v : values) {
    change[v.first] += aligned(v.bytes);
    change[v.last + 1] -= aligned(v.bytes);
  }
  int64_t live = 0, most = 0;
  for (const auto& [step, bytes] : change) most = std::max(most, live += bytes);
  return most;
}

// The start of the tightest gap of `bytes` between the taken stretches, or behind the last one.
int64_t best_gap(std::vector<std::pair<int64_t, int64_t>>& taken, int64_t bytes) {
  std::ranges::sort(taken);
  int64_t free_from = 0, best = -1, best_slack = 0;
  for (const auto& [begin, end] : taken) {
    const int64_t slack = begin - free_from - bytes;
    if (slack >= 0 && (best < 0 || slack < best_slack)) {
      best = free_from;
      best_slack = slack;
    }
    free_from = std::max(free_from, end);
  }
  return best >= 0 ? best : free_from;
}

void place_largest_first(std::span<const Lifetime> values, MemoryPlan& plan) {
  std::vector<size_t> order(values.size()), placed;
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::greater{}, [&](size_t i) { return values[i].bytes; });
  std::vector<std::pair<int64_t, int64_t>> taken;
  for (size_t i : order) {
    taken.clear();
    for (size_t p : placed) {
      if (!contemporary(values[i], values[p])) continue;
      taken.emplace_back(plan.offsets[p], plan.offsets[p] + aligned(values[p].bytes));
    }
    plan.offsets[i] = best_gap(taken, aligned(values[i].bytes));
    plan.bytes = std::max(plan.bytes, plan.offsets[i] + aligned(values[i].bytes));
    placed.push_back(i);
  }
}

// Free stretches of a growing arena, by offset, and by size for the best fit.
class FreeList {
 public:
  int64_t take(int64_t bytes) {
    auto fit = by_size_.lower_bound({bytes, 0});
    if (fit == by_size_.end()) return grow(bytes);
    const auto [size, offset] = fit->first;
    remove(offset, size);
    if (size > bytes) add(offset + bytes, size - bytes);
    return offset;
  }

  void give(int64_t offset, int64_t bytes) {
    auto next = by_offset_.lower_bound(offset);
    if (next != by_offset_.end() && next->first == offset + bytes) {
      const auto [o, size] = *next;
      remove(o, size);
      bytes += size;
    }
    auto before = by_offset_.lower_bound(offset);
    if (before != by_offset_.begin() && (--before, before->first + before->second == offset)) {
      const auto [o, size] = *before;
      remove(o, size);
      offset = o;
      bytes += size;
    }
    add(offset, bytes);
  }

  int64_t end() const { return end_; }

 private:
  // The last stretch, if it is free, is part of what is asked for.
  int64_t grow(int64_t bytes) {
    int64_t offset = end_;
    if (!by_offset_.empty() && by_offset_.rbegin()->first + by_offset_.rbegin()->second == end_) {
      const auto [o, size] = *by_offset_.rbegin();
      remove(o, size);
      offset = o;
    }
    end_ = offset + bytes;
    return offset;
  }
  void add(int64_t offset, int64_t bytes) {
    by_offset_.emplace(offset, bytes);
    by_size_.emplace(std::pair{bytes, offset}, true);
  }
  void remove(int64_t offset, int64_t bytes) {
    by_offset_.erase(offset);
    by_size_.erase({bytes, offset});
  }

  std::map<int64_t, int64_t> by_offset_;
  std::map<std::pair<int64_t, int64_t>, bool> by_size_;
  int64_t end_ = 0;
};

void place_in_time(std::span<const Lifetime> values, MemoryPlan& plan) {
  std::map<int, std::vector<size_t>> comes, goes;
  for (size_t i = 0; i < values.size(); ++i) {
    comes[values[i].first].push_back(i);
    goes[values[i].last + 1].push_back(i);
  }
  FreeList free;
  auto gone = goes.begin();
  for (const auto& [step, fresh] : comes) {
    for (; gone != goes.end() && gone->first <= step; ++gone) {
      for (size_t i : gone->second) free.give(plan.offsets[i], aligned(values[i].bytes));
    }
    for (size_t i : fresh) plan.offsets[i] = free.take(aligned(values[i].bytes));
  }
  plan.bytes = free.end();
}

// ---- in-place reuse

// The kernel's only store, if it has one and writes each element of a plain PARAM once.
UOp only_store(const UOp& kernel) {
  if (!kernel.is(Op::Sink) || kernel.n_src() != 1) return {};
  const UOp root = kernel.src(0), store = root.is(Op::End) ? root.src(0) : root;
  const bool plain = store.is(Op::Store) && store.src(0).is(Op::Param);
  const bool once = root == store || (plain && ranges_sharing_elements(root.node()).empty());
  return plain && once ? store : UOp{};
}

// Every access to `from` is a load without gate at the indices of the store, outside reductions.
bool same_index_everywhere(const UOp& kernel, const UOp& store, const Node* from) {
  const Node* to = store.src_node(0);
  const bool alike = std::ranges::equal(from->shape(), to->shape()) &&
                     dtype_size(from->dtype) == dtype_size(to->dtype);
  if (!alike) return false;
  const auto n_idx = static_cast<size_t>(to->n_dim);
  for (const Node* n : toposort(kernel)) {
    if (n->op == Op::Reduce) return false;
    if (n->op != Op::Load || n->src()[0] != from) continue;
    if (n->n_src != n_idx + 1) return false;
    for (size_t d = 1; d <= n_idx; ++d) {
      if (n->src()[d] != store.src_node(static_cast<int>(d))) return false;
    }
  }
  return true;
}

const Node* param_of(const UOp& kernel, int64_t slot) {
  for (const Node* n : toposort(kernel)) {
    if (n->op == Op::Param && n->arg()[0] == slot) return n;
  }
  return nullptr;
}

class Reuse {
 public:
  Reuse(Schedule& schedule, std::vector<int>& storage_of)
      : schedule_(schedule), storage_of_(storage_of) {
    storage_of.resize(schedule.buffers.size());
    std::iota(storage_of.begin(), storage_of.end(), 0);
    keep_.resize(schedule.buffers.size(), false);
    for (int r : schedule.results) {
      if (r >= 0) keep_[static_cast<size_t>(r)] = true;
    }
  }

  int run() {
    last_users_ = last_users();
    int joined = 0;
    for (ScheduleItem& item : schedule_.items) joined += join(item);
    return joined;
  }

 private:
  const ScheduledBuffer& buffer(int b) const { return schedule_.buffers[static_cast<size_t>(b)]; }
  bool is_temporary(int b) const { return !buffer(b).external && !keep_[static_cast<size_t>(b)]; }

  // How many items use each buffer in the step in which it dies: members of a batch run side by
  // side.
  std::vector<int> last_users() const {
    std::vector<int> users(schedule_.buffers.size(), 0);
    for (const ScheduleItem& item : schedule_.items) {
      for (auto b = item.buffers.begin(); b != item.buffers.end(); ++b) {
        const bool again = std::find(item.buffers.begin(), b, *b) != b;
        if (!again && buffer(*b).last_use == item.step) ++users[static_cast<size_t>(*b)];
      }
    }
    return users;
  }

  // Only the last of the values in one storage may be written over, and only by its only user then.
  bool dies_in(const ScheduleItem& item, int b) const {
    return is_temporary(b) && buffer(b).last_use == item.step &&
           last_users_[static_cast<size_t>(b)] == 1;
  }

  bool join(ScheduleItem& item) {
    const UOp store = item.kernel ? only_store(item.kernel) : UOp{};
    if (!store) return false;
    const auto slot = static_cast<size_t>(store.src_node(0)->arg()[0]);
    const int out = item.buffers[slot];
    if (!is_temporary(out) || buffer(out).first_use != item.step) return false;
    for (size_t s = 0; s < item.buffers.size(); ++s) {
      const int in = item.buffers[s];
      if (s == slot || in == out || !dies_in(item, in)) continue;
      const Node* from = param_of(item.kernel, static_cast<int64_t>(s));
      if (from->dtype != store.src_node(0)->dtype) continue;
      if (!same_index_everywhere(item.kernel, store, from)) continue;
      merge(item, s, slot);
      storage_of_[static_cast<size_t>(out)] = storage_of_[static_cast<size_t>(in)];
      return true;
    }
    return false;
  }

  // Slot `from` becomes slot `to`; the slots behind it move up.
  static void merge(ScheduleItem& item, size_t from, size_t to) {
    std::unordered_map<const Node*, UOp> map;
    const int into = static_cast<int>(to) - (to > from ? 1 : 0);
    for (const Node* n : toposort(item.kernel)) {
      if (n->op != Op::Param) continue;
      const auto slot = static_cast<size_t>(n->arg()[0]);
      const int now = slot == from ? into : static_cast<int>(slot) - (slot > from ? 1 : 0);
      map.emplace(n, param(now, Shape(n->shape().begin(), n->shape().end()), n->dtype));
    }
    item.kernel = substitute(item.kernel, map);
    item.buffers.erase(item.buffers.begin() + static_cast<std::ptrdiff_t>(from));
  }

  Schedule& schedule_;
  std::vector<int>& storage_of_;
  std::vector<bool> keep_;
  std::vector<int> last_users_;
};

}  // namespace

MemoryPlan plan_memory(std::span<const Lifetime> values) {
  MemoryPlan plan;
  plan.offsets.resize(values.size(), 0);
  plan.lower_bound = most_live(values);
  if (values.size() <= kManyValues) {
    place_largest_first(values, plan);
  } else {
    place_in_time(values, plan);
  }
  return plan;
}

int reuse_in_place(Schedule& schedule, std::vector<int>& storage_of) {
  return Reuse(schedule, storage_of).run();
}

}  // namespace tg

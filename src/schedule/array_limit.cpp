// Which value to store: of those that fit a kernel, the one that takes the most arrays out of sight
// for the time that writing and reading it costs. An array goes out of sight with a value that all
// ways from it to the kernel's store lead through, its dominator. Where no value hides more than
// itself, operands of the first operation that does not fit are stored. Either way there is a value
// of several arrays less, so that the cutting ends. See array_limit.h.
#include "schedule/array_limit.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "kernel/kernel_cost.h"
#include "kernel/merge_axes.h"
#include "kernel/split_reductions.h"
#include "schedule/combine_kernels.h"
#include "support/check.h"
#include "support/log.h"
#include "tg/ir/walk.h"
#include "uop/shape.h"

namespace tg {
namespace {

/// Loops of reductions in one kernel: a schedule makes up to three axes of one, and has 64.
constexpr int kMostLoops = 20;
constexpr int kFewestArrays = 3;  // two operands and a result: with fewer nothing is hidden
constexpr double kMostForWorkspace = 0.5;  // of a kernel's time may be spent to let it have phases

bool is_value(const Node* n) {
  return in_group(n->op, kElementwise) || n->op == Op::Reduce || n->op == Op::Load;
}

/// What a kernel may have too much of.
enum class Counted : uint8_t { Arrays, Loops };

std::unordered_set<const Node*> loops_of_reductions(std::span<const Node* const> order) {
  std::unordered_set<const Node*> loops;
  for (const Node* n : order) {
    if (n->op != Op::Reduce) continue;
    for (const Node* r : n->src().subspan(1)) loops.insert(r);
  }
  return loops;
}

// A kernel's expression as numbers: nodes in topological order, arrays or loops below each,
// dominators.
class Expression {
 public:
  Expression(const UOp& store, Counted what) : order_(toposort(store)) {
    std::unordered_map<const Node*, size_t> index;
    for (size_t i = 0; i < order_.size(); ++i) index.emplace(order_[i], i);
    const auto loops =
        what == Counted::Loops ? loops_of_reductions(order_) : std::unordered_set<const Node*>{};
    const Node* written = order_.back()->src()[0];
    sources_.resize(order_.size());
    for (size_t i = 0; i < order_.size(); ++i) {
      for (const Node* s : order_[i]->src()) sources_[i].push_back(index.at(s));
      const Node* n = order_[i];
      if (what == Counted::Arrays ? n->op == Op::Param : loops.contains(n)) counted_.push_back(i);
      const auto any_source = [&](const std::vector<bool>& has) {
        return std::ranges::any_of(sources_[i], [&](size_t s) { return has[s]; });
      };
      reduces_.push_back(n->op == Op::Reduce || any_source(reduces_));
      reads_result_.push_back(n == written || any_source(reads_result_));
    }
    find_below();
    find_hidden();
    find_compositions();
  }

  size_t size() const { return order_.size(); }
  size_t root() const { return order_.size() - 1; }
  const Node* node(size_t i) const { return order_[i]; }
  std::span<const size_t> sources(size_t i) const { return sources_[i]; }
  /// Arrays, or loops, below node i.
  int below(size_t i) const { return n_below_[i]; }
  bool reduces(size_t i) const { return reduces_[i]; }
  /// May it be what makes an exp2 an eˣ, or a sine a cosine (codegen/decompose/compositions.h)?
  bool is_in_composition(size_t i) const { return in_composition_[i]; }
  /// Those that are met nowhere but below node i.
  int hidden(size_t i) const { return hidden_[i]; }
  /// Is the array that the kernel writes among those below node i?
  bool reads_result(size_t i) const { return reads_result_[i]; }

 private:
  void find_below() {
    const size_t words = (counted_.size() + 63) / 64;
    std::vector<uint64_t> bits(order_.size() * words);
    for (size_t c = 0; c < counted_.size(); ++c)
      bits[counted_[c] * words + c / 64] = uint64_t{1} << (c % 64);
    for (size_t i = 0; i < order_.size(); ++i) {
      for (size_t s : sources_[i]) {
        for (size_t w = 0; w < words; ++w) bits[i * words + w] |= bits[s * words + w];
      }
      int n = 0;
      for (size_t w = 0; w < words; ++w) n += std::popcount(bits[i * words + w]);
      n_below_.push_back(n);
    }
  }

  // Users before sources: when the turn of a node comes, all ways from it to the store are known.
  void find_hidden() {
    const size_t none = order_.size();
    std::vector<size_t> dominator(order_.size(), none);
    dominator[root()] = root();
    for (size_t i = order_.size(); i-- > 0;) {
      for (size_t s : sources_[i]) {
        if (dominator[s] == none) dominator[s] = i;
        for (size_t user = i; dominator[s] != user;) {
          size_t& nearer = dominator[s] < user ? dominator[s] : user;
          nearer = dominator[nearer];
        }
      }
    }
    hidden_.resize(order_.size(), 0);
    for (size_t c : counted_) {
      for (size_t i = c; i != root(); i = dominator[i]) ++hidden_[dominator[i]];
    }
  }

  // exp2(x · c) and sin(c + x · c).
  void find_compositions() {
    in_composition_.resize(order_.size(), false);
    for (size_t i = order_.size(); i-- > 0;) {
      const Op op = order_[i]->op;
      const bool outer = op == Op::Exp2 || op == Op::Sin;
      if (!outer && !(op == Op::Add && in_composition_[i])) continue;
      for (size_t s : sources_[i]) {
        const Op inner = order_[s]->op;
        if (inner == Op::Mul || (inner == Op::Add && outer)) in_composition_[s] = true;
      }
    }
  }

  std::vector<const Node*> order_;
  std::vector<std::vector<size_t>> sources_;
  std::vector<size_t> counted_;
  std::vector<int> n_below_, hidden_;
  std::vector<bool> reduces_, reads_result_, in_composition_;
};

bool is_empty_range(const Node* range) { return range->src()[0]->arg()[0] == 0; }

// In a loop that never runs an access may be outside its array; a value that is stored may leave
// the loop.
UOp without_empty_loops(const UOp& kernel) {
  std::unordered_map<const Node*, UOp> map;
  for (const Node* n : toposort(kernel)) {
    if (n->op != Op::Reduce && n->op != Op::End) continue;
    if (std::ranges::none_of(n->src().subspan(1), is_empty_range)) continue;
    const UOp body = UOp::share(n->src()[0]);
    if (n->op == Op::Reduce) {
      map.emplace(n, constant(reduce_identity(static_cast<ReduceOp>(n->arg()[0]), n->dtype)));
    } else {
      const std::vector<UOp> at(static_cast<size_t>(body.src(0).ndim()), index_const(0));
      const UOp nothing = constant(Scalar::of_int(0, body.src(0).dtype()));
      map.emplace(body.node(), store_at(body.src(0), at, nothing));
    }
  }
  return map.empty() ? kernel : substitute(kernel, map);
}

bool reads_arrays(const UOp& u) {
  return std::ranges::any_of(toposort(u), [](const Node* n) { return n->op == Op::Load; });
}

class KernelCutter {
 public:
  KernelCutter(const ScheduleItem& item, std::vector<ScheduledBuffer>& buffers,
               std::vector<UOp>& keep, const Target& target)
      : item_(item), buffers_(buffers), keep_(keep), target_(target) {
    std::unordered_map<const Node*, UOp> by_buffer;
    for (const Node* n : toposort(item.kernel)) {
      if (n->op != Op::Param) continue;
      by_buffer.emplace(n, param(item.buffers[static_cast<size_t>(n->arg()[0])],
                                 Shape(n->shape().begin(), n->shape().end()), n->dtype));
    }
    const UOp kernel = without_empty_loops(substitute(item.kernel, by_buffer));
    TG_CHECK(kernel.n_src() == 1, "a kernel of {} arrays has {} results", item.buffers.size(),
             kernel.n_src());
    const UOp root = kernel.src(0);
    store_ = root.is(Op::End) ? root.src(0) : root;
    for (int i = 1; root.is(Op::End) && i < root.n_src(); ++i) loops_.push_back(root.src(i));
    const int n_idx = store_.src(0).ndim();
    if (store_.n_src() > n_idx + 2) gate_ = store_.src(n_idx + 2);
    for (int d = 1; d <= n_idx; ++d) scatters_ = scatters_ || reads_arrays(store_.src(d));
  }

  /// The kernels in order, of at most as many arrays as the target binds.
  std::vector<ScheduleItem> limit_arrays() {
    const auto limit = static_cast<int>(target_.max_arrays);
    for (;;) {
      const Expression e(store_, Counted::Arrays);
      const int excess = e.below(e.root()) - limit;
      if (excess <= 0) break;
      const auto found = best(e, limit, excess, true);
      cut(e, found ? *found : operand_of_first_too_large(e));
    }
    make_room_for_workspaces(limit);
    emit(store_, loops_);
    for (const ScheduleItem& part : out_) {
      TG_CHECK(part.buffers.size() <= static_cast<size_t>(target_.max_arrays),
               "a part has {} arrays of {}", part.buffers.size(), target_.max_arrays);
    }
    if (out_.size() > 1)
      debug_log(3, "cut a kernel of {} arrays into {}: at most {}", item_.buffers.size(),
                out_.size(), limit);
    return std::move(out_);
  }

  /// The same, of at most kMostLoops loops of reductions, as far as values in between hide some.
  std::vector<ScheduleItem> limit_loops() {
    for (;;) {
      const Expression e(store_, Counted::Loops);
      const int excess = e.below(e.root()) - kMostLoops;
      const auto found = excess > 0 ? best(e, kMostLoops, excess, true) : std::nullopt;
      if (!found) break;
      cut(e, *found);
    }
    emit(store_, loops_);
    if (out_.size() > 1) debug_log(3, "cut a kernel of many loops into {}", out_.size());
    return std::move(out_);
  }

  /// Workspaces of the kernel's phases if it had no limit.
  static int workspaces(const UOp& kernel, const Target& target) {
    const auto reduces = [](const Node* n) { return n->op == Op::Reduce; };
    if (std::ranges::none_of(toposort(kernel), reduces)) return 0;
    Target unlimited = target;
    unlimited.max_arrays = 0;
    return static_cast<int>(split_reductions(merge_axes(kernel), unlimited).workspaces.size());
  }

 private:
  // What a scatter finds in its result is known only while it runs.
  bool can_be_stored(const Expression& e, size_t i) const {
    return is_value(e.node(i)) && e.below(i) > 1 && !e.is_in_composition(i) &&
           !(scatters_ && e.reads_result(i));
  }
  double seconds_to_store(const UOp& value) const {
    double bytes = static_cast<double>(dtype_size(storage_type(value)));
    for (const UOp& r : free_ranges(value)) bytes *= static_cast<double>(r.src(0).arg(0));
    return target_.launch_seconds + 2 * bytes / target_.bytes_per_second;
  }

  // The value that is cheapest by what it hides, of which `excess` are too many; among
  // equals the one that leaves parts of equal size, so that a long sum is cut evenly, and of those
  // the last, which leaves least to do where it is read.
  std::optional<size_t> best(const Expression& e, int limit, int excess, bool may_reduce) const {
    if (limit < kFewestArrays) return {};
    const int inputs = e.below(e.root()) - 1;
    const int parts = (inputs - 1 + limit - 3) / (limit - 2);  // all but the first read another's
    const int even = (inputs + parts - 1 + parts - 1) / parts;
    std::optional<size_t> found;
    std::pair<double, int> least;
    for (size_t i = 0; i < e.size(); ++i) {
      const int gain = e.hidden(i) - 1;
      if (gain < 1 || !can_be_stored(e, i) || e.below(i) + 1 > limit) continue;
      if (e.reduces(i) && !may_reduce) continue;
      const std::pair<double, int> cost = {
          seconds_to_store(UOp::share(e.node(i))) / std::min({gain, excess, std::max(1, even - 1)}),
          std::abs(e.below(i) - even)};
      if (found && cost > least) continue;
      found = i;
      least = cost;
    }
    return found;
  }

  // Of the largest values below the first node that does not fit, the one that is cheapest to
  // store. All of them fit.
  size_t operand_of_first_too_large(const Expression& e) const {
    size_t first = 0;
    while (e.below(first) + (can_be_stored(e, first) ? 1 : 0) <= target_.max_arrays) ++first;
    std::vector<size_t> work(e.sources(first).begin(), e.sources(first).end());
    std::vector<bool> seen(e.size());
    std::optional<size_t> found;
    double least = 0;
    while (!work.empty()) {
      const size_t i = work.back();
      work.pop_back();
      if (seen[i]) continue;
      seen[i] = true;
      if (!can_be_stored(e, i)) {
        work.insert(work.end(), e.sources(i).begin(), e.sources(i).end());
        continue;
      }
      const double cost = seconds_to_store(UOp::share(e.node(i)));
      if (found && cost >= least) continue;
      found = i;
      least = cost;
    }
    if (!found) refuse(e, first);
    return *found;
  }

  [[noreturn]] void refuse(const Expression& e, size_t i) const {
    const int wanted = e.below(i) + (can_be_stored(e, i) ? 1 : 0);
    user_error<DeviceError>(
        "realize",
        fmt::format("a kernel of {} arrays cannot be cut: {} takes {}, the device at most {}",
                    item_.buffers.size(), op_name(e.node(i)->op), wanted, target_.max_arrays),
        "Hint: make its operands contiguous() before, or use another device.");
  }

  static DType storage_type(const UOp& value) {
    return value.dtype() == DType::Index ? DType::Int64 : value.dtype();
  }

  // Loops in the order of the kernel's own, then those of reductions.
  std::vector<UOp> loops_around(const UOp& value) const {
    const std::vector<UOp> free = free_ranges(value);
    std::vector<UOp> out;
    const auto copy_from = [&](std::span<const UOp> from, bool among_loops) {
      std::ranges::copy_if(from, std::back_inserter(out), [&](const UOp& r) {
        const auto& others = among_loops ? free : loops_;
        return (std::ranges::find(others, r) != others.end()) == among_loops;
      });
    };
    copy_from(loops_, true);
    copy_from(free, false);
    return out;
  }

  void cut(const Expression& e, size_t i) {
    const UOp value = UOp::share(e.node(i));
    const DType type = storage_type(value);
    const std::vector<UOp> loops = loops_around(value);
    Shape shape;
    for (const UOp& l : loops) shape.push_back(l.src(0).arg(0));
    const UOp storage = buffer(shape, type, item_.device, nullptr);
    keep_.push_back(storage);
    const UOp array = param(static_cast<int>(buffers_.size()), shape, type);
    buffers_.push_back({storage.node()});
    emit(store_at(array, loops, cast(value, type), gate_around(loops)), loops);
    store_ = substitute(store_, {{value.node(), cast(load(array, loops), value.dtype())}});
  }

  // The store's condition, where it says nothing of other loops and reads nothing.
  UOp gate_around(std::span<const UOp> loops) const {
    if (!gate_ || reads_arrays(gate_)) return {};
    const auto is_open = [&](const UOp& r) { return std::ranges::find(loops, r) != loops.end(); };
    return std::ranges::all_of(free_ranges(gate_), is_open) ? gate_ : UOp{};
  }

  void make_room_for_workspaces(int limit) {
    for (;;) {
      const UOp root = end(store_, loops_), kernel = sink(std::span(&root, 1));
      const Expression e(store_, Counted::Arrays);
      const int excess = e.below(e.root()) + workspaces(kernel, target_) - limit;
      if (excess <= 0) return;
      const auto found = best(e, limit, excess, false);
      if (!found || seconds_to_store(UOp::share(e.node(*found))) >
                        kMostForWorkspace * seconds_of(cost_of(kernel), target_))
        return;
      cut(e, *found);
    }
  }

  void emit(const UOp& store, const std::vector<UOp>& loops) {
    const UOp root = end(store, loops);
    ScheduleItem part;
    part.device = item_.device;
    part.kernel = numbered_by_first_use(sink(std::span(&root, 1)), part.buffers);
    out_.push_back(std::move(part));
  }

  const ScheduleItem& item_;
  std::vector<ScheduledBuffer>& buffers_;
  std::vector<UOp>& keep_;
  const Target& target_;
  UOp store_;  // what is left of the kernel; PARAMs have the numbers of buffers
  std::vector<UOp> loops_;
  UOp gate_;
  bool scatters_ =
      false;  // to places that depend on data, so that its order is part of its meaning
  std::vector<ScheduleItem> out_;
};

bool has_too_many_arrays(const ScheduleItem& item, const Target& target) {
  if (target.max_arrays == 0) return false;
  const auto arrays = static_cast<int64_t>(item.buffers.size());
  if (arrays > target.max_arrays) return true;
  if (2 * arrays <= target.max_arrays || item.kernel.n_src() > 1) return false;
  return arrays + KernelCutter::workspaces(item.kernel, target) > target.max_arrays;
}

bool has_too_many_loops(const ScheduleItem& item) {
  if (item.kernel.n_src() > 1) return false;
  return loops_of_reductions(toposort(item.kernel)).size() > kMostLoops;
}

}  // namespace

void limit_kernels(std::vector<ScheduleItem>& items, std::vector<ScheduledBuffer>& buffers,
                   std::vector<UOp>& keep, const Target& target) {
  std::vector<ScheduleItem> out;
  const auto add_limited = [&](ScheduleItem item) {
    if (!has_too_many_arrays(item, target)) return out.push_back(std::move(item));
    std::ranges::move(KernelCutter(item, buffers, keep, target).limit_arrays(),
                      std::back_inserter(out));
  };
  for (ScheduleItem& item : items) {
    if (!item.kernel || !has_too_many_loops(item)) {
      item.kernel ? add_limited(std::move(item)) : out.push_back(std::move(item));
      continue;
    }
    for (ScheduleItem& part : KernelCutter(item, buffers, keep, target).limit_loops())
      add_limited(std::move(part));
  }
  items = std::move(out);
}

}  // namespace tg

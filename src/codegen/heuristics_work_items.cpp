// Schedules for targets whose kernels run on groups of work-items, from facts alone. Elementwise:
// work-items along the axis with unit strides, a vector each. Products of two operands: a tile of
// the output a group, a smaller one a work-item. Rows: one group a row, whose work-items share its
// reductions and its columns. What is tried is tried in full, richest first; the first legal one is
// taken.
#include <algorithm>
#include <limits>
#include <ranges>

#include "codegen/heuristics.h"
#include "codegen/loop_tree.h"
#include "codegen/lower.h"
#include "codegen/work_items_choice.h"
#include "support/check.h"
#include "support/options.h"
#include "tg/ir/walk.h"

namespace tg {
namespace {

constexpr int64_t kFewWorkItems = 64;     // below this a group is not worth its launch
constexpr int64_t kInRegisters = 8;       // elements of a row that a work-item loads together
constexpr int64_t kShortRow = 32;         // reduced faster by one work-item than by a group

class WorkItemsChooser : WorkItemsChoice {
 public:
  using WorkItemsChoice::WorkItemsChoice;

  KernelSchedule run() {
    using Step = void (WorkItemsChooser::*)();
    std::vector<Step> steps;
    if (facts.reduces.empty()) {
      steps = {&WorkItemsChooser::transposed, &WorkItemsChooser::elementwise};
    } else {
      product_ = find_product(*this);
      if (product_ && by_matrix_unit()) return std::move(s_);
      windows_ = find_window_product(*this);
      if (windows_ && target.async_copy_bytes > 0)
        steps.push_back(&WorkItemsChooser::windows_in_flight);
      if (windows_) {
        steps.push_back(&WorkItemsChooser::staged_windows);
        steps.push_back(&WorkItemsChooser::windows);
      }
      if (product_ && target.async_copy_bytes > 0)
        steps.insert(steps.end(),
                     {&WorkItemsChooser::product_far_ahead, &WorkItemsChooser::product_in_flight});
      if (product_) {
        steps.push_back(&WorkItemsChooser::staged_product);
        steps.push_back(&WorkItemsChooser::product);
      }
      steps.push_back(&WorkItemsChooser::repeated_sums);
      steps.push_back(&WorkItemsChooser::rows);
      steps.push_back(&WorkItemsChooser::columns);
    }
    for (const Step step : steps) {
      for (const bool lanes : {true, false}) {
        s_ = plain;
        may_vector_ = lanes && target.lanes_of(DType::Float32) >= kLanes;
        if (attempt(step) && (!windows_ || s_.stages.empty() || lowers())) return std::move(s_);
      }
    }
    return plain;
  }

 private:
  const BaseRange& base(int b) const { return s_.bases[static_cast<size_t>(b)]; }

  // What accesses and lanes allow is known when the schedule is applied.
  bool attempt(void (WorkItemsChooser::*step)()) {
    repeats_ = false;
    try {
      (this->*step)();
      if (std::ranges::none_of(s_.axes, [](const Axis& a) { return a.kind == Kind::Thread; }))
        add_threads();
      build_loops(apply_schedule(kernel, s_, target));
      return true;
    } catch (const ArgumentError&) {
      return false;
    }
  }

  // Lanes along a base whose accesses are all contiguous, so that no lane needs a mask.
  void add_lanes(int b, int64_t fewest) {
    const int64_t n = base(b).extent;
    if (may_vector_ && n % kLanes == 0 && n >= fewest * kLanes && all_unit_or_fixed(b))
      opt_vector(s_, b, kLanes, Tail::None);
  }

  int64_t left_of(int b) const {
    const int loop = loop_of(s_, b);
    return loop < 0 ? 1 : s_.axes[static_cast<size_t>(loop)].extent;
  }

  // Up to `most` work-items along what is left of the base; as many as divide it, if those are
  // enough.
  int64_t add_work_items(int b, int64_t most) {
    const int64_t left = left_of(b);
    if (left < 2 || most < 2) return 1;
    int64_t work_items = largest_divisor_up_to(left, most);
    const bool divides = 2 * work_items >= std::min(most, left);
    if (!divides) work_items = std::min(most, left);
    const bool lanes = std::ranges::any_of(
        s_.axes, [&](const Axis& a) { return a.base == b && a.kind == Kind::Vector; });
    opt_local(s_, b, work_items, lanes ? Tail::Peel : Tail::Mask);
    return work_items;
  }

  // ---- elementwise
  // Loops that keep their order leave little to share out: then no lanes, and small groups.
  void elementwise() {
    const auto free = [&](int b) { return is_par(b) && !ordered(b); };
    const int inner = best_base(free);
    if (inner < 0) return;
    const bool in_turn = facts.any_ordered();
    const int64_t most = in_turn ? std::clamp<int64_t>(target.subgroup_size, 8, group) : group;
    if (!in_turn) add_lanes(inner, 1);
    int64_t work_items = 1;
    const int64_t along = largest_divisor_up_to(left_of(inner), most);
    if (left_of(inner) < kFewWorkItems) {  // work-items along another axis too, no neighbours
      const int outer = best_base([&](int b) { return b != inner && free(b); });
      if (outer >= 0) work_items *= add_work_items(outer, most / along);
    }
    add_work_items(inner, most / work_items);
  }

  // Many results for each sum of few terms, as where the parts of a mean are added up by those who
  // subtract it: every work-item adds them up for itself, and makes some results with the sum. Not
  // where that is much more work and sums alone fill the machine.
  void repeated_sums() {
    constexpr int64_t kResults = 8, kTerms = 4;  // of a sum; terms that are read for a result
    const int beside = best_base([&](int b) { return is_par(b) && !is_row(b) && !ordered(b); });
    if (beside < 0 || longest_of(reduced_axes(false)) >= kShortRow)
      user_error<ArgumentError>("LOCAL", "sums are too long to be repeated");
    const int inner = best_base([&](int b) { return is_par(b) && !ordered(b); });
    int longest = -1;
    for (int b = 0; b < n_bases(); ++b) {
      const bool may = is_par(b) && !is_row(b) && !ordered(b) && b != inner;
      if (may && (longest < 0 || extent(b) > extent(longest))) longest = b;
    }
    const int64_t each = longest < 0 ? 1 : largest_divisor_up_to(extent(longest), kResults);
    if (each > 1) opt_unroll(s_, longest, each, Tail::None);
    elementwise();
    const bool in_lanes = std::ranges::any_of(
        s_.axes, [&](const Axis& a) { return a.kind == Kind::Vector && !is_row(a.base); });
    const int64_t results = each * (in_lanes ? kLanes : 1);
    if (longest_of(reduced_axes(false)) > kTerms * results && row_count() >= enough_rows())
      user_error<ArgumentError>("LOCAL", "there are sums enough for the machine");
    repeats_ = true;
    add_threads();
  }

  // ---- transposes
  // Where stores want neighbours along one axis and some loads along another, a group's tile of
  // what they load goes through scratch, which gives it to all work-items either way.
  void transposed() {
    constexpr int64_t kSide = 32;
    const int across = best_base([&](int b) { return !ordered(b) && stored_along(b); });
    const int down =
        best_base([&](int b) { return b != across && !ordered(b) && !turned(across, b).empty(); });
    if (across < 0 || down < 0 || std::min(extent(across), extent(down)) < kSide ||
        target.subgroup_size < 2 || group < kSide)
      user_error<ArgumentError>("STAGE", "nothing is loaded across what is stored");
    for (int b : {down, across}) {
      const Tail tail = extent(b) % kSide == 0 ? Tail::None : Tail::Mask;
      if (extent(b) > kSide) opt_tile(s_, b, kSide, loop_of(s_, b), tail);
    }
    const int64_t rows = std::min(kSide, power_of_two_up_to(group / kSide));
    if (rows > 1) opt_local(s_, down, rows, Tail::None);
    if (rows < kSide) opt_unroll(s_, down, kSide / rows, Tail::None);
    opt_local(s_, across, kSide, Tail::None);
    add_threads();
    for (const UOp& load : turned(across, down)) opt_stage(s_, {load, loop_count(s_)});
  }

  bool stored_along(int b) const {
    return std::ranges::any_of(facts.accesses, [&](const AccessFacts& a) {
      return a.store && a.stride[static_cast<size_t>(b)] == 1;
    });
  }

  // The loads that are contiguous along `down` and step along `across`.
  std::vector<UOp> turned(int across, int down) const {
    std::vector<UOp> loads;
    for (const AccessFacts& a : facts.accesses) {
      const int64_t step = across < 0 ? 0 : a.stride[static_cast<size_t>(across)];
      if (!a.store && step != 0 && step != 1 && a.stride[static_cast<size_t>(down)] == 1)
        loads.push_back(a.access);
    }
    return loads;
  }

  // ---- products
  void product() { tile_product(*this, *product_, may_vector_, false, s_); }
  void staged_product() { stage_steps(1); }
  void product_in_flight() { stage_steps(kStepsInFlight); }
  // A step more, where two groups still find room on a processor.
  void product_far_ahead() {
    stage_steps(kStepsInFlight + 1);
    if (2 * staged_bytes(s_) > target.local_bytes)
      user_error<ArgumentError>("STAGE", "groups would not run side by side");
  }
  void stage_steps(int depth) {
    tile_product(*this, *product_, may_vector_, true, s_);
    add_threads();
    stage_product(*this, *product_, depth, s_);
  }

  // ---- products over windows
  void windows() {
    tile_windows(*this, *windows_, s_);
    add_threads();
  }
  void staged_windows() {
    windows();
    stage_windows(*this, *windows_, false, s_);
  }
  void windows_in_flight() {
    windows();
    stage_windows(*this, *windows_, true, s_);
  }

  // Units that read their factors by themselves first, the fastest of them before the others.
  bool by_matrix_unit() {
    std::vector<const MatrixUnit*> units;
    for (const MatrixUnit* unit : target.matrix_units) {
      if (!unit->rounds_input || options().allow_tf32) units.push_back(unit);
    }
    const auto seconds = [&](const MatrixUnit* unit) {
      return unit->reads_scratch ? unit_seconds(*this, *product_, *unit)
                                 : std::numeric_limits<double>::infinity();
    };
    std::ranges::stable_sort(units, {}, seconds);
    return std::ranges::any_of(units, [&](const MatrixUnit* unit) { return by(*unit); });
  }

  // Longer steps first: they wait less often for a copy. Of factors that the unit reads by itself a
  // step is a row of scratch.
  bool by(const MatrixUnit& unit) {
    const int64_t row = SwizzledRows::kRowBytes / static_cast<int64_t>(dtype_size(unit.input));
    const std::vector<int64_t> steps =
        unit.reads_scratch ? std::vector<int64_t>{row} : std::vector<int64_t>{32, 16, 8, 0};
    const std::vector<int> depths = unit.reads_scratch
                                        ? std::vector{kStepsInFlight + 1, kStepsInFlight}
                                        : std::vector{kStepsInFlight, 1};
    for (const int64_t step : steps) {
      for (const int depth : depths) {
        if (depth > 1 && (target.async_copy_bytes == 0 || step == 0)) continue;
        s_ = plain;
        unit_ = &unit;
        unit_step_ = step;
        unit_depth_ = depth;
        if (attempt(&WorkItemsChooser::unit_product) && lowers()) return true;
      }
    }
    return false;
  }
  // Where work-items part ways is known when all code is there.
  bool lowers() const {
    try {
      lower(kernel, s_, target);
      return true;
    } catch (const ArgumentError&) {
      return false;
    }
  }
  void unit_product() {
    tile_unit_product(*this, *product_, *unit_, unit_step_, s_);
    add_threads();
    if (unit_step_ > 0) stage_unit_product(*product_, unit_depth_, s_);
  }

  // ---- rows: what all reductions depend on is a group's, the rest is shared among its work-items
  bool is_row(int b) const {
    const Node* range = plain.bases[static_cast<size_t>(b)].range.node();
    return is_par(b) && std::ranges::all_of(facts.reduces, [&](const UOp& r) {
             const std::vector<UOp> free = free_ranges(r);
             return std::ranges::any_of(free, [&](const UOp& f) { return f.node() == range; });
           });
  }

  bool closes(const UOp& reduce, int b) const {
    const auto closed = reduce.node()->src().subspan(1);
    return std::ranges::find(closed, plain.bases[static_cast<size_t>(b)].range.node()) !=
           closed.end();
  }

  // Work-items for rows of `n`: an access or more each, a whole number of subgroups.
  int64_t work_items_for(int64_t n) const {
    const int64_t most = std::min(target.max_group_size, n > 8 * kGroup ? 4 * kGroup : kGroup);
    const int64_t wanted = power_of_two_up_to(std::max<int64_t>(2, n / kLanes));
    return std::min(power_of_two_up_to(most), std::max(wanted, target.subgroup_size));
  }

  // How much of memory is passed over by a step along the base: the shortest stride counts.
  int64_t step_along(int b) const {
    int64_t least = std::numeric_limits<int64_t>::max();
    for (const AccessFacts& a : facts.accesses) {
      const int64_t step = std::abs(a.stride[static_cast<size_t>(b)]);
      if (step > 0) least = std::min(least, step);
    }
    return least;
  }

  // The reduced axes of each reduction, the ones along which neighbours lie together first. `one`:
  // only the best of each, which is contiguous, or the longest.
  std::vector<std::vector<int>> reduced_axes(bool one) const {
    std::vector<std::vector<int>> out;
    for (const UOp& reduce : facts.reduces) {
      std::vector<int> bases;
      for (int b = 0; b < n_bases(); ++b) {
        if (!is_par(b) && closes(reduce, b)) bases.push_back(b);
      }
      std::ranges::stable_sort(bases, {}, [&](int b) { return step_along(b); });
      if (one && !bases.empty())
        bases = {best_base([&](int i) { return std::ranges::find(bases, i) != bases.end(); })};
      if (!bases.empty() && std::ranges::find(out, bases) == out.end())
        out.push_back(std::move(bases));
    }
    return out;
  }
  int64_t points_of(std::span<const int> bases) const {
    int64_t n = 1;
    for (int b : bases) n *= extent(b);
    return n;
  }
  int64_t longest_of(std::span<const std::vector<int>> reduced) const {
    int64_t n = 0;
    for (const std::vector<int>& bases : reduced) n = std::max(n, points_of(bases));
    return n;
  }
  bool contiguous(std::span<const std::vector<int>> reduced) const {
    return std::ranges::any_of(reduced, [&](const std::vector<int>& bases) {
      return step_along(bases.front()) == 1 && unit_score(bases.front()) > 0;
    });
  }
  // Outputs that fill the machine without sharing reductions: some hundred for each processor.
  int64_t enough_rows() const {
    constexpr int64_t kFewest = 1 << 12, kEach = 1 << 9;
    return std::max(kFewest, kEach * target.threads);
  }
  int64_t row_count() const {
    int64_t rows = 1;
    for (int b = 0; b < n_bases(); ++b) rows *= is_row(b) ? extent(b) : 1;
    return rows;
  }

  void rows() {
    const int column = best_base([&](int b) { return is_par(b) && !is_row(b) && !ordered(b); });
    const std::vector<std::vector<int>> reduced = reduced_axes(column >= 0);
    const int64_t longest = longest_of(reduced);
    const bool one_axis = std::ranges::all_of(reduced, [](const auto& b) { return b.size() == 1; });
    const int64_t most = one_axis || row_count() < target.threads ? 4 * kGroup : kGroup;
    const int64_t work_items = std::min(most, work_items_for(longest));
    const bool suits = contiguous(reduced) || column >= 0;
    if (longest < kShortRow || !suits || !fits_scratch(work_items))
      user_error<ArgumentError>("GROUP", "rows are not shared among work-items");
    for (const std::vector<int>& bases : reduced)
      add_lanes(bases.front(), bases.size() == 1 ? work_items : 1);
    share_reductions(reduced, work_items);
    if (column < 0) return;
    add_lanes(column, work_items);
    if (left_of(column) > 1) opt_local(s_, column, work_items, Tail::Mask);
    unroll_rest(column);
  }

  struct Share {
    int base;
    int64_t work_items;
  };

  // Up to `most` work-items reduce parts of every reduction. They are the same ones if equally many
  // share equally many axes: the first reduction says how many.
  void share_reductions(std::span<const std::vector<int>> reduced, int64_t most) {
    std::vector<Share> first;
    for (const std::vector<int>& bases : reduced) {
      const std::vector<Share> shares =
          first.empty() ? shares_of(bases, most) : shares_like(first, bases);
      if (first.empty()) first = shares;
      for (const Share& s : std::views::reverse(shares)) {
        if (left_of(s.base) < 2) continue;  // a reduction before this one shares it
        opt_group(s_, s.base, s.work_items,
                  left_of(s.base) % s.work_items == 0 ? Tail::None : Tail::Mask);
      }
      const auto rest = std::ranges::find_if(bases, [&](int b) { return left_of(b) > 1; });
      if (rest == bases.end()) continue;
      if (bases.size() == 1) {
        unroll_rest(*rest);
      } else if (const int64_t each = largest_divisor_up_to(left_of(*rest), kInRegisters);
                 each > 1) {
        opt_unroll(s_, *rest, each, Tail::None);
      }
    }
  }

  // A single axis is shared among all work-items; of several, an inner one is shared out whole
  // before the next one is, so that neighbours read neighbours.
  std::vector<Share> shares_of(std::span<const int> bases, int64_t most) const {
    if (bases.size() == 1) return {{bases[0], most}};
    std::vector<Share> shares;
    for (const int b : bases) {
      const int64_t left = left_of(b), wanted = std::min(left, most);
      int64_t share = largest_divisor_up_to(left, most);
      if (2 * share < wanted) share = wanted;  // some of them idle in the last step
      if (share > 1) shares.push_back({b, share});
      most /= share;
      if (share < left) break;
    }
    return shares;
  }

  std::vector<Share> shares_like(std::span<const Share> first, std::span<const int> bases) const {
    if (bases.size() == 1 && first.size() == 1) return {{bases[0], first[0].work_items}};
    std::vector<Share> shares;
    for (const Share& like : first) {
      const auto free = [&](int b) {
        return std::ranges::find(shares, b, &Share::base) == shares.end() &&
               (left_of(b) % like.work_items == 0 || extent(b) == extent(like.base));
      };
      const auto same = [&](int b) { return free(b) && extent(b) == extent(like.base); };
      auto at = std::ranges::find_if(bases, same);
      if (at == bases.end()) at = std::ranges::find_if(bases, free);
      if (at != bases.end()) shares.push_back({*at, like.work_items});
    }
    return shares;
  }

  // A short rest becomes values of their own: passes over one row that all do so read it once, and
  // have it in registers.
  void unroll_rest(int b) {
    if (const int64_t left = left_of(b); left > 1 && left <= kInRegisters)
      opt_unroll(s_, b, left, Tail::None);
  }

  // Parts of all work-items, and of what is left of them after a step, for every reduction.
  bool fits_scratch(int64_t work_items) const {
    constexpr int64_t kBytes = 8;
    const int64_t bytes = 2 * work_items * kBytes + 128;
    return target.local_bytes == 0 ||
           static_cast<int64_t>(facts.reduces.size()) * bytes <= target.local_bytes;
  }

  // ---- columns: an output a work-item, work-items along contiguous outputs; where outputs are
  // few, some work-items share each
  void columns() {
    constexpr int64_t kSharedAlong = 32;
    const auto row = [&](int b) { return is_row(b) && !ordered(b); };
    const int inner = best_base(row);
    const std::vector<std::vector<int>> reduced = reduced_axes(false);
    const int64_t longest = longest_of(reduced);
    const int64_t most = row_count() < enough_rows() && longest >= kShortRow && fits_scratch(group)
                             ? std::min(kSharedAlong, group)
                             : group;
    const int64_t along = inner < 0 ? 1 : std::clamp<int64_t>(left_of(inner), 1, most);
    const int outer = best_base([&](int b) { return b != inner && row(b); });
    const int64_t wanted = std::min(most, kFewWorkItems);
    const int64_t beside = outer < 0 || 2 * along > wanted ? 1 : most / along;
    const int64_t sharing = std::min(group / (along * beside), longest / kLanes);
    if (most < group && sharing > 1) share_reductions(reduced, power_of_two_up_to(sharing));
    if (beside > 1) add_work_items(outer, beside);
    if (inner >= 0) add_work_items(inner, along);
  }

  // Every loop that may be one becomes part of the launch; those that not all reductions depend on
  // would repeat them.
  void add_threads() {
    int count = 0, peeled = 0;
    for (int i = 0; i < loop_count(s_); ++i) {
      const Axis& a = s_.axes[static_cast<size_t>(i)];
      const BaseRange& b = base(a.base);
      const bool peels = b.tail == Tail::Peel && a.stride == b.tile;
      const bool inside_tail = b.tail == Tail::Peel && a.stride < b.tile;
      const bool fits = (repeats_ || is_row(a.base)) && is_par(a.base) && !ordered(a.base) &&
                        !inside_tail && facts.shared[static_cast<size_t>(a.base)] &&
                        peeled + peels < 2;
      if (!fits) continue;
      peeled += peels;
      if (i != count) opt_move(s_, i, count);
      ++count;
    }
    if (count > 0) opt_thread(s_, count);
  }

  KernelSchedule s_;
  std::optional<WorkItemsProduct> product_;
  std::optional<WindowProduct> windows_;
  const MatrixUnit* unit_ = nullptr;
  int64_t unit_step_ = 0;
  int unit_depth_ = 1;
  bool may_vector_ = false;
  bool repeats_ = false;  // loops that not all reductions depend on are part of the launch
};

}  // namespace

KernelSchedule schedule_for_work_items(const UOp& kernel, const Target& target) {
  return WorkItemsChooser(kernel, target).run();
}

}  // namespace tg

// Σ_{r<n} v(r) = Σ_{s<S} (Σ_{q<c} v(s·c + q)) + Σ_{q<n−S·c} v(S·c + q): the inner sums are one
// phase, the rest stands where the reduction stood. See split_reductions.h.
#include "kernel/split_reductions.h"

#include <algorithm>
#include <iterator>

#include "kernel/kernel_cost.h"
#include "tg/ir/interval.h"
#include "tg/ir/walk.h"
#include "uop/shape.h"

namespace tg {
namespace {

struct Sizes {
  int64_t enough_results;  // as many chunks of work as a launch wants anyway
  int64_t part_points;     // the least that one part reduces
  int64_t max_parts;       // of a result
  int64_t max_all;         // parts of all results together
  // A contraction of many terms to few results keeps its results in registers and its operands
  // close, and has no loop left that could run beside itself.
  int64_t many_terms, few_results;
  int64_t contraction_parts, contraction_all;  // at least, and of all results together
};
// Of 16,384 terms, the sums of 16 parts are a hundredth of the work, and of 65,536 results they fit
// a cache.
constexpr Sizes kForThreads = {16, 1 << 15, 64, 1 << 10, 1 << 14, 1 << 16, 16, 0};
// Hundreds of groups run at the same time, on tiles of some thousand results; what they write is a
// small share of what they read.
constexpr Sizes kForWorkItems = {128, 1 << 13, 512, 1 << 9, 1 << 11, 1 << 20, 4, 1 << 22};
constexpr int64_t kLargePoints = 1 << 17;  // below this one core is done before others have started
constexpr int64_t kMostContractionParts = 128;
constexpr int64_t kEnoughSteps = 16;   // of a range that can be cut
constexpr int64_t kPartMultiple = 64;  // parts are whole vectors, and aligned ones if the array is

// How a reduction is cut: `parts` pieces of `length` steps of its range `range`, and what is left.
struct Cut {
  UOp range;
  int64_t parts = 0;
  int64_t length = 0;
  int64_t rest() const { return extent_of(range) - parts * length; }
};

class Splitter {
 public:
  Splitter(const UOp& kernel, const Sizes& sizes, int64_t max_arrays)
      : kernel_(kernel), sizes_(sizes), max_arrays_(max_arrays) {
    phases_.first_workspace = slots_of(kernel);
    for (const Node* n : toposort(kernel)) {
      if (n->op == Op::Range) next_range_ = std::max(next_range_, n->arg()[0] + 1);
    }
  }

  KernelPhases run() {
    while (split_one_depth()) {
    }
    phases_.kernels.push_back(kernel_);
    return std::move(phases_);
  }

 private:
  // The large reductions that wait for no other large one; those with the same loops share a phase.
  bool split_one_depth() {
    const std::vector<UOp> large = large_reductions();
    std::vector<UOp> stores, loops;
    std::unordered_map<const Node*, UOp> replaced;
    int64_t parts = 0;
    for (const UOp& reduce : large) {
      const bool waits = std::ranges::any_of(toposort(reduce.src(0)), [&](const Node* n) {
        return std::ranges::find(large, UOp::share(n)) != large.end();
      });
      if (waits || !has_room()) continue;
      const Cut cut = cut_of(reduce);
      const std::vector<UOp> free = free_ranges(reduce);
      if (loops.empty()) {
        parts = cut.parts;
        loops.push_back(fresh(parts));
        loops.insert(loops.end(), free.begin(), free.end());
      }
      if (cut.parts != parts || !std::ranges::equal(free, std::span(loops).subspan(1))) continue;
      stores.push_back(split(reduce, cut, loops, replaced));
    }
    if (stores.empty()) return false;
    for (UOp& s : stores) s = end(s, loops);
    phases_.kernels.push_back(sink(stores));
    kernel_ = substitute(kernel_, replaced);
    return true;
  }

  // Every phase is given all arrays and workspaces before the last that it uses.
  bool has_room() const {
    const auto taken = phases_.first_workspace + std::ssize(phases_.workspaces);
    return max_arrays_ == 0 || taken < max_arrays_;
  }

  // Not those inside another reduction's loops: their free ranges are loops of stores alone.
  std::vector<UOp> large_reductions() const {
    const std::vector<const Node*> order = toposort(kernel_);
    std::unordered_map<const Node*, bool> reduced;
    for (const Node* n : order) {
      for (size_t i = 1; n->op == Op::Reduce && i < n->n_src; ++i)
        reduced.emplace(n->src()[i], true);
    }
    std::vector<UOp> out;
    for (const Node* n : order) {
      if (n->op != Op::Reduce) continue;
      const UOp reduce = UOp::share(n);
      const std::vector<UOp> free = free_ranges(reduce);
      if (std::ranges::any_of(free, [&](const UOp& r) { return reduced.contains(r.node()); }))
        continue;
      const bool wanted = is_long_contraction(reduce) ||
                          (product(free) < sizes_.enough_results && points(reduce) >= kLargePoints);
      if (wanted && cut_of(reduce).parts > 1) out.push_back(reduce);
    }
    return out;
  }

  static int64_t product(std::span<const UOp> ranges) {
    int64_t n = 1;
    for (const UOp& r : ranges) n = saturating_mul(n, extent_of(r));
    return n;
  }

  static std::vector<UOp> closed(const UOp& reduce) {
    std::vector<UOp> out;
    for (int i = 1; i < reduce.n_src(); ++i) out.push_back(reduce.src(i));
    return out;
  }

  // Evaluations of the argument, those of the longest reduction that is repeated inside it
  // included.
  static int64_t points(const UOp& reduce) {
    const std::vector<UOp> own = closed(reduce);
    int64_t inner = 1;
    for (const Node* n : toposort(reduce.src(0))) {
      if (n->op != Op::Reduce) continue;
      const UOp nested = UOp::share(n);
      const std::vector<UOp> free = free_ranges(nested);
      const bool repeated = std::ranges::any_of(
          free, [&](const UOp& r) { return std::ranges::find(own, r) != own.end(); });
      if (repeated) inner = std::max(inner, product(closed(nested)));
    }
    return saturating_mul(saturating_mul(product(own), product(free_ranges(reduce))), inner);
  }

  // A contraction with few results and many terms, and too few loops around both operands.
  bool is_long_contraction(const UOp& reduce) const {
    if (!is_ranged_contraction(reduce.node())) return false;
    const std::vector<UOp> results = free_ranges(reduce);
    if (product(closed(reduce)) < sizes_.many_terms || product(results) > sizes_.few_results)
      return false;
    const std::vector<UOp> a = free_ranges(reduce.src(0).src(0)),
                           b = free_ranges(reduce.src(0).src(1));
    std::vector<UOp> around;
    std::ranges::copy_if(results, std::back_inserter(around), [&](const UOp& r) {
      return std::ranges::find(a, r) != a.end() && std::ranges::find(b, r) != b.end();
    });
    return product(around) < sizes_.enough_results;
  }

  // The outermost range that has enough steps, else the longest.
  Cut cut_of(const UOp& reduce) const {
    Cut cut{reduce.src(1)};
    for (const UOp& r : closed(reduce)) {
      if (extent_of(cut.range) < kEnoughSteps && extent_of(r) > extent_of(cut.range)) cut.range = r;
    }
    const int64_t steps = extent_of(cut.range);
    const int64_t results = std::max<int64_t>(1, product(free_ranges(reduce)));
    const int64_t most = is_long_contraction(reduce)
                             ? std::clamp(sizes_.contraction_all / results,
                                          sizes_.contraction_parts, kMostContractionParts)
                             : std::min(sizes_.max_parts, sizes_.max_all / results);
    const int64_t parts =
        whole_parts(steps, std::min({most, points(reduce) / sizes_.part_points, steps}));
    cut.length = parts < 1 ? steps : steps / parts;
    if (cut.length >= 2 * kPartMultiple) cut.length -= cut.length % kPartMultiple;
    cut.parts = steps / cut.length;
    return cut;
  }

  // The largest number of equal parts that is not much smaller, for what is left over is another
  // reduction.
  static int64_t whole_parts(int64_t steps, int64_t most) {
    for (int64_t n = most; 3 * n > 2 * most; --n) {
      if (steps % n == 0) return n;
    }
    return most;
  }

  UOp fresh(int64_t extent) { return range(extent, next_range_++); }

  // The reduction over `length` steps from `start` on.
  UOp piece(const UOp& reduce, const UOp& cut_range, const UOp& start, int64_t length) {
    const UOp step = fresh(length);
    const std::unordered_map<const Node*, UOp> map{{cut_range.node(), start + step}};
    std::vector<UOp> ranges = closed(reduce);
    std::ranges::replace(ranges, cut_range, step);
    return reduce_ranges(substitute(reduce.src(0), map), static_cast<ReduceOp>(reduce.arg(0)),
                         ranges);
  }

  // The store of all parts; `replaced` maps the reduction to what combines them.
  UOp split(const UOp& reduce, const Cut& cut, const std::vector<UOp>& loops,
            std::unordered_map<const Node*, UOp>& replaced) {
    const ReduceOp op = static_cast<ReduceOp>(reduce.arg(0));
    Shape shape;
    for (const UOp& l : loops) shape.push_back(extent_of(l));
    const int slot = phases_.first_workspace + static_cast<int>(phases_.workspaces.size());
    phases_.workspaces.push_back({shape, reduce.dtype()});
    const UOp parts = param(slot, shape, reduce.dtype());
    std::vector<UOp> at = loops;
    at[0] = fresh(cut.parts);
    UOp total = reduce_ranges(load(parts, at), op, std::vector<UOp>{at[0]});
    if (cut.rest() > 0) {
      const UOp rest = piece(reduce, cut.range, index_const(cut.parts * cut.length), cut.rest());
      total = make(reduce_alu(op), {total, rest});
    }
    replaced.emplace(reduce.node(), total);
    return store_at(parts, loops, piece(reduce, cut.range, loops[0] * cut.length, cut.length), {},
                    Combine::Set);
  }

  UOp kernel_;
  const Sizes sizes_;
  const int64_t max_arrays_;
  KernelPhases phases_;
  int64_t next_range_ = 0;
};

}  // namespace

KernelPhases split_reductions(const UOp& kernel, const Target& target) {
  return Splitter(kernel, target.max_group_size > 0 ? kForWorkItems : kForThreads,
                  target.max_arrays)
      .run();
}

}  // namespace tg

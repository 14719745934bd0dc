// Wishes of all divisions, a chain of divisors for each range, and the kernel over the digits of
// its ranges. With r = c·q + s, 0 ≤ s < c, and every other coefficient a multiple of c:
//   (c·x + r) div c → x + q        (c·x + r) mod c → s
// See refine_ranges.h.
#include "kernel/refine_ranges.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <unordered_map>
#include <unordered_set>

#include "kernel/affine.h"
#include "kernel/lane_turns.h"
#include "kernel/range_digits.h"
#include "rules/index.h"
#include "rules/valid.h"
#include "tg/ir/interval.h"
#include "tg/ir/walk.h"
#include "uop/shape.h"

namespace tg {
namespace {

// More digits than this a kernel does not get.
constexpr size_t kMostRanges = 24;

bool is_division(const Node* n) {
  return (n->op == Op::IDiv || n->op == Op::Mod) && n->dtype == DType::Index &&
         n->src()[1]->op == Op::Const && n->src()[1]->arg()[0] > 1;
}
bool has_fixed_extent(const UOp& r) { return r.is(Op::Range) && r.src(0).is(Op::Const); }

class Refiner {
 public:
  /// With `uneven`, a range may be split at what does not divide its extent.
  Refiner(const UOp& kernel, bool uneven)
      : kernel_(kernel),
        order_(toposort(kernel)),
        uneven_(uneven),
        next_range_(next_range_of(kernel)) {}

  UOp run() {
    if (std::ranges::none_of(order_, is_division)) return kernel_;
    weigh();
    find_neighbours();
    for (const Node* n : order_) {
      if (n->op == Op::Stage) return kernel_;
      ranges_ += n->op == Op::Range;
      if (is_division(n)) wish(n);
    }
    for (const auto& [id, w] : wishes_) split(w);
    if (digits_.empty()) return kernel_;
    const auto change = [this](const Node* before, const UOp& now) { return ended(before, now); };
    const UOp out = simplify_(with_digits(kernel_, digits_, change));
    if (!ends_.empty() && leaves_an_array(out)) return Refiner(kernel_, false).run();
    // Who launches the kernel counts on its arrays, also on those that no element is read of.
    const bool keeps = count_nodes(out, Op::Param) == count_nodes(kernel_, Op::Param);
    return keeps ? out : kernel_;
  }

 private:
  // A store, where a range around it runs on behind its end.
  UOp ended(const Node* before, const UOp& access) {
    if (before->op != Op::Store) return access;
    UOp inside;
    for (const Node* n : order_) {
      if (n->op != Op::End || n->src()[0] != before) continue;
      for (const Node* r : n->src().subspan(1)) {
        if (const auto end = ends_.find(r); end != ends_.end())
          inside = both_gates(inside, end->second);
      }
    }
    return inside ? gated(access, inside) : access;
  }

  // Whether a load may read outside its array where its gate lets it.
  static bool leaves_an_array(const UOp& kernel) {
    for (const Node* n : toposort(kernel)) {
      if (n->op != Op::Load) continue;
      const UOp load = UOp::share(n);
      IndexSimplifier under;
      const UOp gate = gate_of(load);
      if (gate && !assume_gate(under, gate)) continue;
      for (int d = 0; d < load.src_node(0)->n_dim; ++d) {
        const Interval at = under.bounds_of(under(load.src(1 + d)));
        if (at.lo < 0 || at.hi >= load.src(0).dim(d)) return true;
      }
    }
    return false;
  }

  // A range that is stored along and nothing sums over, of a kernel that sums: its last round may
  // be shorter, if not too much is summed for nothing.
  bool may_run_on(const UOp& r, int64_t at) const {
    const int64_t rounds = (extent_of(r) + at - 1) / at;
    bool sums = false;
    for (const Node* n : order_) {
      if (n->op != Op::Reduce) continue;
      sums = true;
      if (std::ranges::find(n->src(), r.node()) != n->src().end()) return false;
    }
    return uneven_ && sums && 2 * (rounds * at - extent_of(r)) <= extent_of(r);
  }

  // A range with the divisors that would solve a division, and the elements behind each.
  struct Wish {
    UOp range;
    std::map<int64_t, double> weights;   // by divisor
    std::map<int64_t, double> unsolved;  // the same of divisions that are left if it is split there
  };

  // What a division is worth: the elements of the arrays whose indices or gates hold it.
  void weigh() {
    for (const Node* n : order_) {
      if (n->op != Op::Load && n->op != Op::Store) continue;
      const double elements = static_cast<double>(numel(n->src()[0]->shape()));
      std::vector<UOp> used;
      for (const Node* s : n->src().subspan(1)) {
        if (s->dtype == DType::Index || s->dtype == DType::Bool) used.push_back(UOp::share(s));
      }
      for (const Node* x : toposort(used)) {
        if (is_division(x)) weights_[x] += elements;
      }
    }
  }

  // Ranges that walk stored elements one after the other, of kernels that reduce nothing, and that
  // read near elements where their neighbours do: x[3·r div 2]. A vector of them is a few vectors
  // of the array (codegen/emit_spread.cpp); their digits would not lie beside each other.
  void find_neighbours() {
    std::vector<std::pair<Affine, bool>> accesses;  // flat index, and whether it is stored
    for (const Node* n : order_) {
      if (n->op == Op::Reduce) return;
      if (n->op != Op::Load && n->op != Op::Store) continue;
      const UOp array = UOp::share(n->src()[0]);
      std::vector<UOp> idx;
      for (int d = 0; d < array.ndim(); ++d)
        idx.push_back(UOp::share(n->src()[1 + static_cast<size_t>(d)]));
      accesses.emplace_back(flat_index(idx, array.shape()), n->op == Op::Store);
    }
    for (const Node* n : order_) {
      if (n->op != Op::Range || !has_fixed_extent(UOp::share(n))) continue;
      const UOp r = UOp::share(n);
      const auto suits = [&](const auto& access) {
        const auto& [flat, stored] = access;
        return flat.ok && (stored ? coef_of(flat, r) == 1 : reads_near(flat, r));
      };
      if (std::ranges::all_of(accesses, suits)) neighbours_.insert(n);
    }
  }

  // Whether the elements at r and r + 1 are a few apart, for all r.
  static bool reads_near(const Affine& flat, const UOp& r) {
    constexpr int64_t kFew = 4, kLanes = 16;
    for (const Affine::Term& t : flat.terms) {
      const std::vector<UOp> ranges = free_ranges(t.term);
      if (std::ranges::find(ranges, r) == ranges.end()) continue;
      if (t.term == r) {
        if (std::abs(t.coef) > kFew) return false;
        continue;
      }
      if (!is_division(t.term.node())) return false;
      const int64_t step = std::abs(coef_of(Affine::of(t.term.src(0)), r));
      const int64_t by = t.term.src(1).arg(0);
      const int64_t most = t.term.is(Op::Mod) ? by - 1 : (step + by - 1) / by;
      if (step == 0 || saturating_mul(std::abs(t.coef), most) > kFew ||
          lane_turns(period_of(t.term, r), extent_of(r), kLanes) == 0)
        return false;
    }
    return true;
  }

  // Which range of the dividend, if split, leaves nothing of the division?
  void wish(const Node* n) {
    const Affine dividend = Affine::of(UOp::share(n->src()[0]));
    if (!dividend.ok) return;
    const int64_t c = n->src()[1]->arg()[0];
    for (const Affine::Term& t : dividend.terms) {
      if (!has_fixed_extent(t.term) || t.coef % c == 0) continue;
      const int64_t at = c / std::gcd(t.coef, c);
      if (extent_of(t.term) <= at) continue;
      if (extent_of(t.term) % at != 0 && !may_run_on(t.term, at)) continue;
      if (neighbours_.contains(t.term.node())) continue;
      Wish& w = wishes_[t.term.arg(0)];
      w.range = t.term;
      (solves(dividend, t, at, c) ? w.weights : w.unsolved)[at] += weights_[n];
    }
  }

  // Is what is left of the dividend, c·x taken away, in [0, c) once `split` runs below `at`?
  bool solves(const Affine& dividend, const Affine::Term& split, int64_t at, int64_t c) {
    Affine rest = Affine::of_constant(((dividend.constant % c) + c) % c);
    for (const Affine::Term& t : dividend.terms) {
      if (t.term != split.term && t.coef % c != 0) rest.add_term(t.term, t.coef);
    }
    const Interval left = simplify_.bounds_of(rest);
    if (left.lo < 0 || left.hi >= c) return false;
    const int64_t most = saturating_mul(split.coef, at - 1);  // of the split range
    return most < 0 ? saturating_add(left.lo, most) >= 0 : saturating_add(left.hi, most) < c;
  }

  // The divisors, dearest first, that form a chain. Where as much is left as is solved, the range
  // stays whole: its neighbours are neighbours in memory, which its digits are not.
  void split(const Wish& w) {
    std::vector<std::pair<double, int64_t>> wanted;
    for (const auto& [at, weight] : w.weights) {
      const auto left = w.unsolved.find(at);
      if (left == w.unsolved.end() || left->second < weight) wanted.emplace_back(weight, at);
    }
    std::ranges::stable_sort(wanted, std::greater{});
    std::vector<int64_t> ends;
    for (const auto& [weight, at] : wanted) {
      const bool fits = std::ranges::all_of(
          ends, [at = at](int64_t other) { return other % at == 0 || at % other == 0; });
      if (!fits || ranges_ + 1 > kMostRanges) continue;
      ends.push_back(at);
      ++ranges_;
    }
    if (ends.empty()) return;
    std::ranges::sort(ends);
    const int64_t extent = extent_of(w.range), last = ends.back();
    ends.push_back((extent + last - 1) / last * last);
    const Digits& split =
        digits_.emplace(w.range.node(), digits_ending_at(ends, next_range_)).first->second;
    if (ends.back() > extent) ends_.emplace(w.range.node(), lt(split.whole, index_const(extent)));
  }

  const UOp& kernel_;
  const std::vector<const Node*> order_;
  const bool uneven_;
  IndexSimplifier simplify_;
  std::unordered_map<const Node*, double> weights_;  // of divisions
  std::map<int64_t, Wish> wishes_;                   // by the range's id
  std::unordered_set<const Node*> neighbours_;       // ranges that stay whole
  std::unordered_map<const Node*, Digits> digits_;
  std::unordered_map<const Node*, UOp> ends_;  // of ranges whose digits run on behind them
  size_t ranges_ = 0;
  int64_t next_range_;
};

}  // namespace

UOp refine_ranges(const UOp& kernel) { return Refiner(kernel, true).run(); }

}  // namespace tg

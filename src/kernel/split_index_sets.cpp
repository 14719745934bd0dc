// Where each loop may be cut, the loops that are worth it, one after the other, and the pieces.
// A comparison of an index k·r + c with 0 changes at one place of r: where k > 0 it is below from
// the first round to ⌈−c/k⌉ − 1, where k < 0 from ⌊c/−k⌋ + 1 on. See split_index_sets.h.
#include "kernel/split_index_sets.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "kernel/affine.h"
#include "kernel/merge_axes.h"
#include "kernel/range_digits.h"
#include "rules/algebra.h"
#include "rules/index.h"
#include "tg/ir/interval.h"
#include "tg/ir/walk.h"
#include "uop/shape.h"

namespace tg {
namespace {

constexpr size_t kMostPieces = 27;
// Cost of the pieces' accesses, as a share of the whole's, from which on loops stay as they are.
constexpr double kWorthwhile = 2.0 / 3;
// Elements that fill no vector, and what they cost then.
constexpr int64_t kShortRun = 8;
constexpr double kScalarCost = 4;
// What each comparison of a load's gate costs: masks are made and joined.
constexpr double kComparisonCost = 0.5;

// The rounds of a loop from `begin` up to `end`.
struct Span {
  int64_t begin, end;
  int64_t size() const { return end - begin; }
};

class BoxSplitter {
 public:
  /// Of an END of a STORE.
  explicit BoxSplitter(const UOp& root)
      : root_(root), order_(toposort(root)), results_(results_of(root)) {
    for (const UOp& r : root.srcs()) {
      if (r.is(Op::Range) && r.src(0).is(Op::Const)) loops_.push_back({r, {}});
    }
  }

  // Kernels of one piece, or of several short ones; none if there is nothing to cut.
  std::vector<UOp> run(int64_t fewest) {
    if (!is_elementwise() || elements_of({}) < static_cast<double>(fewest)) return {};
    find_cuts();
    for (Loop& loop : loops_) drop_needless(loop);
    const double whole = accesses_of({}, root_);
    double best = whole;
    while (const Loop* next = cheapest_cut(best)) cut_.push_back(next);
    if (cut_.empty() || best > kWorthwhile * whole) return {};
    std::vector<UOp> out, without_lanes;
    for (const Box& box : boxes()) {
      const bool is_short = run_of(box) < kShortRun;
      const auto names = static_cast<int64_t>(is_short ? without_lanes.size() * loops_.size() : 0);
      (is_short ? without_lanes : out).push_back(piece(box, names));
    }
    for (UOp& kernel : out) kernel = sink({&kernel, 1});
    if (!without_lanes.empty()) out.push_back(sink(without_lanes));
    return out;
  }

 private:
  struct Loop {
    UOp range;
    std::set<int64_t> cuts;  ///< rounds at which something changes
  };
  using Box = std::unordered_map<const Node*, Span>;  // by the RANGE; of loops that are cut

  // Where the elements go, in the order of memory.
  static Affine results_of(const UOp& root) {
    const UOp store = root.src(0);
    if (!store.is(Op::Store)) return {};
    const std::vector<UOp> src = store.srcs();
    const auto axes = store.src_node(0)->n_dim;
    return flat_index(std::span(src).subspan(1, axes), store.src(0).shape());
  }

  double elements_of(const Box& box) const {
    double n = 1;
    for (const Loop& l : loops_) n *= static_cast<double>(span_in(box, l).size());
    return n;
  }

  // One store without a gate, of loops with sizes that are known, each element once; nothing summed
  // or kept.
  bool is_elementwise() const {
    const auto keeps = [](const Node* n) { return n->op == Op::Reduce || n->op == Op::Stage; };
    const auto is_loop = [&](const Affine::Term& t) {
      return std::ranges::find(loops_, t.term, &Loop::range) != loops_.end();
    };
    return loops_.size() + 1 == static_cast<size_t>(root_.n_src()) && root_.src(0).is(Op::Store) &&
           !gate_of(root_.src(0)) && results_.ok && results_.terms.size() == loops_.size() &&
           std::ranges::all_of(results_.terms, is_loop) && std::ranges::none_of(order_, keeps);
  }

  void find_cuts() {
    for (const Node* n : order_) {
      if (n->op != Op::CmpLt || n->src()[0]->dtype != DType::Index) continue;
      Affine difference = Affine::of(UOp::share(n->src()[0]));
      difference.add(Affine::of(UOp::share(n->src()[1])), -1);
      add_cut(difference);
    }
  }

  // Where `sum` begins or ends to be below zero.
  void add_cut(const Affine& sum) {
    if (!sum.ok || sum.terms.size() != 1) return;
    const auto& [term, k] = sum.terms[0];
    const auto loop = std::ranges::find(loops_, term, &Loop::range);
    if (loop == loops_.end()) return;
    const int64_t at = k > 0 ? -floor_div(sum.constant, k) : floor_div(sum.constant, -k) + 1;
    if (at > 0 && at < extent_of(term)) loop->cuts.insert(at);
  }

  // Without the cuts that spare nothing: the end of a gate, where something else is selected.
  void drop_needless(Loop& loop) const {
    const auto accesses = [&](int64_t begin, int64_t end) {
      const Box box = {{loop.range.node(), {begin, end}}};
      return accesses_of(box, piece(box));
    };
    std::set<int64_t> needed;
    int64_t begin = 0;
    for (auto cut = loop.cuts.begin(); cut != loop.cuts.end(); ++cut) {
      const auto next = std::next(cut);
      const int64_t end = next == loop.cuts.end() ? extent_of(loop.range) : *next;
      if (accesses(begin, end) <= accesses(begin, *cut) + accesses(*cut, end)) continue;
      needed.insert(*cut);
      begin = *cut;
    }
    loop.cuts = std::move(needed);
  }

  // The loop whose pieces, with those of the loops cut so far, access least; none if that is not
  // less than `best`, which becomes it.
  const Loop* cheapest_cut(double& best) {
    const Loop* found = nullptr;
    for (const Loop& loop : loops_) {
      if (loop.cuts.empty() || std::ranges::find(cut_, &loop) != cut_.end()) continue;
      cut_.push_back(&loop);
      const double accesses = number_of_pieces() <= kMostPieces ? accesses_of_pieces() : best;
      cut_.pop_back();
      if (accesses >= best) continue;
      best = accesses;
      found = &loop;
    }
    return found;
  }

  size_t number_of_pieces() const {
    size_t n = 1;
    for (const Loop* l : cut_) n *= l->cuts.size() + 1;
    return n;
  }

  double accesses_of_pieces() const {
    double sum = 0;
    for (const Box& box : boxes()) sum += accesses_of(box, piece(box));
    return sum;
  }

  // What the accesses of a box's store cost, in elements: one by one where not even a vector of the
  // results lies in one piece.
  double accesses_of(const Box& box, const UOp& store) const {
    double each = 1;
    for (const Node* n : toposort(store)) {
      if (n->op != Op::Load) continue;
      const UOp gate = gate_of(UOp::share(n));
      each += 1 + (gate ? kComparisonCost * static_cast<double>(conjuncts(gate).size()) : 0);
    }
    return elements_of(box) * each * (run_of(box) < kShortRun ? kScalarCost : 1);
  }

  // Results of a box that lie one behind the other.
  int64_t run_of(const Box& box) const {
    int64_t run = 1;
    for (const Loop* inner = loop_with_step(1); inner != nullptr; inner = loop_with_step(run)) {
      const int64_t size = span_in(box, *inner).size();
      run *= size;
      if (size < extent_of(inner->range)) break;
    }
    return run;
  }

  const Loop* loop_with_step(int64_t step) const {
    const auto at = std::ranges::find_if(loops_, [&](const Loop& l) {
      return extent_of(l.range) > 1 && coef_of(results_, l.range) == step;
    });
    return at == loops_.end() ? nullptr : &*at;
  }

  static Span span_in(const Box& box, const Loop& loop) {
    const auto cut = box.find(loop.range.node());
    return cut == box.end() ? Span{0, extent_of(loop.range)} : cut->second;
  }

  std::vector<Box> boxes() const {
    std::vector<Box> out(1);
    for (const Loop* l : cut_) {
      std::vector<Box> finer;
      for (const Box& box : out) {
        int64_t begin = 0;
        const auto add = [&](int64_t end) {
          finer.push_back(box);
          finer.back().emplace(l->range.node(), Span{begin, end});
          begin = end;
        };
        std::ranges::for_each(l->cuts, add);
        add(extent_of(l->range));
      }
      out = std::move(finer);
    }
    return out;
  }

  // The store in the box, with loops of its own, numbered from `first_range` on.
  UOp piece(const Box& box, int64_t first_range = 0) const {
    std::unordered_map<const Node*, Digits> digits;
    for (const Loop& l : loops_) {
      const Span s = span_in(box, l);
      const UOp r = range(s.size(), first_range++);
      digits.emplace(l.range.node(), Digits{r + index_const(s.begin), {r}});
    }
    const auto same = [](const Node*, const UOp& now) { return now; };
    return simplify(without_gates(simplify_index(with_digits(root_, digits, same))));
  }

  // What no gate lets through is 0, and a gate that always holds is none.
  static UOp without_gates(const UOp& piece) {
    std::unordered_map<const Node*, UOp> changed;
    for (const Node* n : toposort(piece)) {
      if (n->op != Op::Load) continue;
      const UOp load = UOp::share(n), gate = gate_of(load);
      if (!gate) continue;
      if (gate.is_const(0)) {
        changed.emplace(n, const_like(load, int64_t{0}));
      } else if (gate.is_const(1)) {
        std::vector<UOp> src = load.srcs();
        src.pop_back();
        changed.emplace(n, with_sources(load, src));
      }
    }
    return substitute(piece, changed);
  }

  const UOp& root_;
  const std::vector<const Node*> order_;
  const Affine results_;
  std::vector<Loop> loops_;
  std::vector<const Loop*> cut_;
};

}  // namespace

std::optional<KernelPhases> split_index_sets(const UOp& kernel, int64_t fewest) {
  if (kernel.n_src() != 1 || !kernel.src(0).is(Op::End)) return std::nullopt;
  const std::vector<UOp> pieces = BoxSplitter(kernel.src(0)).run(fewest);
  if (pieces.empty()) return std::nullopt;
  KernelPhases out{{}, slots_of(kernel), {}};
  for (const UOp& piece : pieces) out.kernels.push_back(merge_axes(piece));
  return out;
}

}  // namespace tg

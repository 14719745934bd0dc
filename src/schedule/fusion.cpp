// Which values are stored and which are computed where they are read. One walk from users to
// sources: the indices of all reads of a node are known when its turn comes, so is how often its
// value would be evaluated; the cheaper of "inline" and "store" by modelled seconds wins. See
// tensor_graph.h.
#include <algorithm>
#include <bit>
#include <unordered_set>
#include <utility>

#include "kernel/lane_turns.h"
#include "schedule/expression_weights.h"
#include "schedule/index_map.h"
#include "schedule/joined_kernels.h"
#include "schedule/kernel_builder.h"
#include "schedule/tensor_graph.h"
#include "schedule/widened_factors.h"
#include "support/check.h"
#include "support/log.h"
#include "support/text.h"
#include "target/matrix_unit.h"
#include "tg/ir/walk.h"
#include "uop/shape.h"

namespace tg {
namespace {

constexpr double kCacheBytesPerSecond = 100e9;  // level 1 and 2, one core
constexpr int64_t kRowBytes = 128 << 10;        // a row that is read again should still be close
constexpr double kNestedRow = 32;  // a reduction inside another one pays if it fills vectors
constexpr size_t kMaxReads = 8;

// All loops that are open where a value is read.
struct LoopScope {
  std::vector<const Node*> loops;
  std::vector<const Node*> reduced;  // those of the innermost reduction around the read
  int kernel = -1;
};

struct Read {
  IndexedRead at;
  int scope;
  int add_over = -1;      // node index of the sum that reads this value through movement only
  bool as_place = false;  // it says where an element is
};

// A decision and the two costs behind it, modelled seconds for everything that the value's readers
// do with it.
struct Choice {
  bool store;
  const char* reason;
  double inline_seconds = 0;
  double store_seconds = 0;
};

class Solver {
  using Loops = std::span<const Node* const>;

 public:
  Solver(std::span<const Node* const> order, const Target& target, const FusionOptions& options)
      : order_(order),
        target_(target),
        options_(options),
        reads_(order.size()),
        weights_(order),
        widened_(widened_factors(order, target)) {
    for (size_t i = 0; i < order.size(); ++i) {
      index_.emplace(order[i], i);
      for (const Node* s : order[i]->src()) ++users_[s];
    }
  }

  Materialised run(std::span<const UOp> roots) {
    for (const UOp& r : roots) set_.add(r.node());
    for (size_t i = order_.size(); i-- > 0;) visit(i);
    return std::move(set_);
  }

 private:
  void visit(size_t i) {
    const Node* x = order_[i];
    if (x->op == Op::After) return visit_after(x);
    if (x->op == Op::Store || x->op == Op::Sink || is_storage(x) || in_group(x->op, kLeaf)) return;
    const bool forced =
        set_.contains(x) || x->op == Op::Contiguous || x->op == Op::Copy || x->op == Op::Scatter;
    if (!forced && reads_[i].empty()) return;
    if (in_group(x->op, kMovement) || x->op == Op::Detach) {
      if (hides_walk(i)) set_.add(x);
      if (set_.contains(x)) {
        start_kernel(i);
      } else {
        for (const Read& r : reads_[i]) pass_through(x, r);
      }
      return;
    }
    // No storage holds indices, which have no size.
    const bool is_index = x->dtype == DType::Index;
    const Choice choice = forced           ? Choice{true, "asked for"}
                          : is_index       ? Choice{false, "an index"}
                          : !options_.fuse ? Choice{true, "fusion is off"}
                                           : choose(i);
    bool store = choice.store;
    if (!forced && !is_index && options_.override_choice != nullptr)
      store = options_.override_choice(x, store, options_.context);
    if (debug_at(3) && !forced && choice.store_seconds > 0) report(x, choice);
    if (store) {
      set_.add(x);
      // A copy between devices is no kernel: what it reads is in memory.
      if (x->op == Op::Copy && !is_storage(x->src()[0])) set_.add(x->src()[0]);
      start_kernel(i);
    } else {
      for (const Read& r : reads_[i]) read_sources(x, r);
    }
  }

  // The stored values of in-place writes are kernels of their own shape.
  void visit_after(const Node* x) {
    for (const Node* effect : x->src().subspan(1)) {
      if (effect->op != Op::Store) continue;
      const Node* v = effect->src()[1];
      if (is_storage(v)) continue;
      add_read(v, fresh_read(v->shape(), static_cast<int>(index_.at(v))));
    }
  }

  // ---- reads
  // A read at a loop for each axis, in a scope of its own.
  Read fresh_read(std::span<const Dim> shape, int kernel) {
    Read r{{}, static_cast<int>(scopes_.size())};
    scopes_.push_back({{}, {}, kernel});
    for (Dim d : shape) {
      const UOp i = r.at.idx.emplace_back(d == 1 ? index_const(0) : range(d, next_range_++));
      if (i.is(Op::Range)) scopes_.back().loops.push_back(i.node());
      keep_.push_back(i);
    }
    return r;
  }

  void start_kernel(size_t i) {
    Read r = fresh_read(loops_of_kernel(order_[i]), static_cast<int>(i));
    r.at.idx = index_at_loops(order_[i], r.at.idx);
    if (in_group(order_[i]->op, kMovement) || order_[i]->op == Op::Detach) {
      pass_through(order_[i], r);
    } else {
      read_sources(order_[i], r);
    }
  }

  // Whether an operand of a contraction is walked by ranges at this node, and below it no more:
  // quotients mix rows with terms, as where an image is enlarged for a convolution. Then it is
  // stored as the node has it, which costs less than a contraction that cannot copy its operand.
  bool hides_walk(size_t i) {
    constexpr double kLeastReads = 8;
    const Node* x = order_[i];
    if (x->op == Op::Detach || reads_[i].size() != 1) return false;
    const Read& r = reads_[i].front();
    const LoopScope& scope = scope_of(r);
    if (!contraction_kernels_.contains(scope.kernel) || !depends_on_reduced(scope, free_loops(r)) ||
        points(scope.loops) < kLeastReads * elements_of(x) || mixes(r.at, scope.reduced))
      return false;
    IndexedRead at = r.at;
    while (in_group(x->op, kMovement)) {
      UOp inside;
      at = map_read(x, at, simplify_, inside);
      x = x->src()[0];
      // What is there for one residue only is walked over that residue (kernel/residue_ranges.h).
      if (!mixes(at, scope.reduced) || rounds_without(at.gate) > 1) return false;
    }
    return true;
  }

  void add_read(const Node* x, Read r) {
    std::vector<Read>& list = reads_[index_.at(x)];
    const int kernel = scopes_[static_cast<size_t>(r.scope)].kernel;
    for (Read& other : list) {
      if (other.at.idx == r.at.idx && scopes_[static_cast<size_t>(other.scope)].kernel == kernel)
        return;
    }
    if (list.size() <= kMaxReads) list.push_back(std::move(r));
  }

  void pass_through(const Node* x, const Read& r) {
    if (x->op == Op::Detach) return add_read(x->src()[0], r);
    UOp inside;
    Read below{map_read(x, r.at, simplify_, inside), r.scope, r.add_over, r.as_place};
    const bool fills = x->op == Op::Pad || x->op == Op::Shear;
    if (fills && x->arg().back() != 0) below.add_over = -1;
    add_read(x->src()[0], std::move(below));
  }

  void read_sources(const Node* x, const Read& r) {
    if (x->op == Op::Reduce) return read_reduced(x, r);
    if (x->op == Op::Gather) return read_gathered(x, r);
    if (x->op == Op::Scan) walked_along_.emplace(scope_of(r).kernel, index_along(x, r));
    if (x->op == Op::Scatter) {
      add_read(x->src()[0], r);
      for (size_t i = 1; i < x->n_src; ++i) {
        Read at = fresh_read(x->src()[i]->shape(), static_cast<int>(index_.at(x)));
        at.as_place = i == 1;
        add_read(x->src()[i], std::move(at));
      }
      return;
    }
    for (const Node* s : x->src()) add_read(s, Read{r.at, r.scope, -1, r.as_place});
  }

  void read_reduced(const Node* x, const Read& r) {
    LoopScope scope = scopes_[static_cast<size_t>(r.scope)];
    Read below = r;
    const bool merges = r.add_over >= 0;
    if (!merges) {
      scope.reduced.clear();
      scope.loops = free_loops(r);  // it is complete outside the loops that its result misses
    }
    for (int64_t a : x->arg().subspan(1)) {
      UOp red = range(x->src()[0]->shape()[static_cast<size_t>(a)], next_range_++);
      below.at.idx[static_cast<size_t>(a)] = red;
      scope.loops.push_back(red.node());
      scope.reduced.push_back(red.node());
      keep_.push_back(red);
    }
    if (is_contraction(x)) contraction_kernels_.insert(scope.kernel);
    scopes_.push_back(std::move(scope));
    below.scope = static_cast<int>(scopes_.size()) - 1;
    const bool sum = static_cast<ReduceOp>(x->arg()[0]) == ReduceOp::Add;
    below.add_over = sum ? static_cast<int>(index_.at(x)) : -1;
    add_read(x->src()[0], std::move(below));
  }

  // The gathered axis is read at an unknown place, a different one for each index element.
  void read_gathered(const Node* x, const Read& r) {
    Read at = r;
    at.add_over = -1;
    UOp place = variable(fmt::format("gathered{}", index_.at(x)), 0,
                         x->src()[0]->shape()[static_cast<size_t>(x->arg()[0])] - 1);
    for (const UOp& i : r.at.idx) place = place + i;
    at.at.idx[static_cast<size_t>(x->arg()[0])] = place;
    add_read(x->src()[0], std::move(at));
    add_read(x->src()[1], Read{r.at, r.scope, -1, true});
  }

  // ---- cost
  static double points(std::span<const Node* const> loops) {
    double n = 1;
    for (const Node* r : loops) n *= static_cast<double>(r->src()[0]->arg()[0]);
    return n;
  }

  static std::vector<const Node*> free_loops(const Read& r) {
    std::vector<const Node*> out;
    for (const UOp& i : r.at.idx) {
      for (const Node* f : ranges_of(i)) {
        if (!has(out, f)) out.push_back(f);
      }
    }
    return out;
  }
  static std::vector<const Node*> ranges_of(const UOp& index) {
    std::vector<const Node*> out;
    for (const UOp& f : free_ranges(index)) out.push_back(f.node());
    return out;
  }

  static bool has(Loops loops, const Node* l) { return std::ranges::find(loops, l) != loops.end(); }
  static bool depends_on_reduced(const LoopScope& scope, Loops free) {
    return std::ranges::any_of(scope.reduced, [&](const Node* l) { return has(free, l); });
  }

  // How often an expression is evaluated for one read: once a round of the innermost loop that it
  // depends on, so also of all loops around that one. Reduced loops run in any order: what depends
  // on one of them stands in the innermost.
  double evaluations(const Read& r, Loops free) const {
    const LoopScope& scope = scope_of(r);
    if (depends_on_reduced(scope, free)) return points(scope.loops);
    size_t around = scope.loops.size();
    while (around > 0 && !has(free, scope.loops[around - 1])) --around;
    return points(Loops(scope.loops).first(around));
  }

  // How often the loops of a reduction run for one read: its results are kept outside the loops
  // that they miss.
  double reductions(const Read& r, Loops free) const {
    const LoopScope& scope = scope_of(r);
    return points(depends_on_reduced(scope, free) ? Loops(scope.loops) : free);
  }
  // Of so many rounds one reads something: those in which s divides an index that the gate names
  // (kernel/residue_ranges.h).
  static double rounds_without(const UOp& gate) {
    double n = 1;
    for (const UOp& c : gate ? conjuncts(gate) : std::vector<UOp>{})
      n *= static_cast<double>(required_divisor(c));
    return n;
  }
  const LoopScope& scope_of(const Read& r) const { return scopes_[static_cast<size_t>(r.scope)]; }

  Choice choose(size_t i) {
    const Node* x = order_[i];
    if (is_almost_free(i)) return {false, "almost free"};
    if (reads_[i].size() > kMaxReads) return {true, "many different reads"};
    if (x->op == Op::Reduce) return choose_reduce(i);
    if (x->op == Op::Scan) return choose_scan(i);
    if (only_stretches(x)) return {false, "sources are smaller"};
    return choose_elementwise(i);
  }

  // A few operations on places and constants, as masks are: however many read it, a load costs no
  // less, and what a condition says of places is known where it is computed only (loop_limits.h).
  bool is_almost_free(size_t i) const {
    const Weight& w = weights_.of(i);
    return w.loads == 0 && w.flops <= 8 && !weights_.is_too_large(i);
  }

  Choice choose_elementwise(size_t i) {
    const Node* x = order_[i];
    const Weight& w = weights_.of(i);
    if (weights_.is_too_large(i)) return {true, "expression too large"};
    const double elements = elements_of(x);
    const double size = static_cast<double>(std::max<int64_t>(1, dtype_size(x->dtype)));
    double evals = 0;
    std::unordered_set<int> kernels;
    for (const Read& r : reads_[i]) {
      evals += evaluations(r, free_loops(r));
      kernels.insert(scopes_[static_cast<size_t>(r.scope)].kernel);
    }
    if (is_widened_factor(i)) return {false, "a unit takes what it is widened from"};
    if (is_masked_by_place(x) && is_factor(i) && !is_taken_by_dots(x->dtype))
      return {false, "a mask ends the loops of readers"};
    if (w.loads == 0 && is_walked_place(i)) return {false, "a place that ranges walk"};
    if (kernels.size() == 1 && evals <= elements) return {false, "evaluated once"};
    if (join_pointwise(i)) return {false, "evaluated once, in kernels that are merged"};
    const double readers = static_cast<double>(kernels.size());
    const double again = std::max(0.0, evals - readers * elements);
    const double flop = 1 / target_.flops_per_second, mem = 1 / target_.bytes_per_second,
                 cache = 1 / kCacheBytesPerSecond;
    const double parts = scattered_parts(x);
    Choice c{false, "by cost"};
    c.inline_seconds = evals * w.flops * flop +
                       w.loads * size * (readers * elements * mem + again * cache) +
                       parts * elements * size * mem;
    c.store_seconds = elements * (w.flops * flop + (w.loads - parts) * size * mem) +
                      elements * size * mem * (1 + readers) + again * size * cache +
                      target_.launch_seconds;
    c.store = c.store_seconds < c.inline_seconds;
    return c;
  }

  // Whether all that read the node are kernels over its own elements, each of which they read once,
  // so that merge_kernels.h makes one kernel of them, in which the node is evaluated once: a value
  // and its gradient, say. These are one kernel from here on, up to some results.
  bool join_pointwise(size_t i) {
    constexpr size_t kMostResults = 6;
    std::vector<int> kernels;
    for (const Read& r : reads_[i]) {
      if (!is_pointwise(order_[i], r)) return false;
      const int kernel = merged_.root_of(scope_of(r).kernel);
      if (std::ranges::find(kernels, kernel) == kernels.end()) kernels.push_back(kernel);
    }
    size_t results = 0;
    for (const int kernel : kernels) results += merged_.size_of(kernel);
    if (results > kMostResults) return false;
    for (const int kernel : kernels) merged_.join(kernels.front(), kernel);
    return true;
  }

  bool is_pointwise(const Node* x, const Read& r) const {
    const LoopScope& scope = scope_of(r);
    const bool scatters = order_[static_cast<size_t>(scope.kernel)]->op == Op::Scatter;
    if (r.at.gate || !scope.reduced.empty() || scatters ||
        contraction_kernels_.contains(scope.kernel))
      return false;
    size_t walked = 0;
    for (size_t d = 0; d < r.at.idx.size(); ++d) {
      const UOp& index = r.at.idx[d];
      if (index.is_const(0) && x->shape()[d] == 1) continue;
      if (walked == scope.loops.size() || index.node() != scope.loops[walked++]) return false;
    }
    return walked == scope.loops.size();
  }

  // Sources that are stored where the node is not, and are made in its kernel where it is
  // (merge_kernels.h): scatters that nothing else reads and whose places are computed, so that they
  // may be gathered (scatter_sources.h).
  double scattered_parts(const Node* x) const {
    return static_cast<double>(std::ranges::count_if(x->src(), [&](const Node* s) {
      return s->op == Op::Scatter && users_.at(s) == 1 &&
             all_nodes(UOp::share(s->src()[1]), [](const Node* n) { return !is_storage(n); });
    }));
  }

  // Whether the node widens elements for a contraction by an instruction that takes them as they
  // are. Its other readers read fewer bytes, too.
  bool is_widened_factor(size_t i) const {
    const Node* x = order_[i];
    if (x->op != Op::Cast || x->src()[0]->dtype == x->dtype) return false;
    const DType from = x->src()[0]->dtype;
    const auto takes = [&](const MatrixUnit* unit) {
      const bool small =
          is_int(from) && is_int(unit->input) && dtype_size(from) < dtype_size(unit->input);
      const bool fits = from == unit->input || from == unit->second || small;
      return unit->is_of_one() && unit->sum == x->dtype && fits;
    };
    return (widened_.contains(x) || std::ranges::any_of(target_.matrix_units, takes)) &&
           is_factor(i);
  }

  // Whether some dot instruction takes factors of the dtype. They are to lie in memory as they are,
  // and make up for loops that end early.
  bool is_taken_by_dots(DType t) const {
    return std::ranges::any_of(target_.matrix_units, [t](const MatrixUnit* unit) {
      return unit->is_of_one() && (unit->input == t || unit->second == t);
    });
  }

  // Whether a contraction sums over the node.
  bool is_factor(size_t i) const {
    return std::ranges::any_of(reads_[i], [&](const Read& r) {
      return contraction_kernels_.contains(scope_of(r).kernel) && !scope_of(r).reduced.empty();
    });
  }

  // Whether the node only says where elements are, and lanes lie on neighbours there: whole numbers
  // with quotients that lanes repeat (kernel/lane_turns.h).
  bool is_walked_place(size_t i) const {
    constexpr double kMostFlops = 64;
    const Node* x = order_[i];
    if (weights_.of(i).flops > kMostFlops ||
        !std::ranges::all_of(reads_[i], [](const Read& r) { return r.as_place; }))
      return false;
    const int lanes = std::max(1, target_.lanes_of(DType::Float32));
    return all_nodes(UOp::share(x), [&](const Node* n) {
      if (n->op != Op::IDiv && n->op != Op::Mod) return !is_float(n->dtype);
      const Node* by = constant_of(n->src()[1]);
      if (by == nullptr || by->arg()[0] <= 0) return false;
      const auto divisor = static_cast<uint64_t>(by->arg()[0]);
      return std::has_single_bit(divisor) || target_.max_group_size > 0 ||
             lane_turns(by->arg()[0], numel(x->shape()), lanes) > 0;
    });
  }

  static double elements_of(const Node* x) {
    return std::max<double>(1, static_cast<double>(numel(x->shape())));
  }

  // DEBUG=3: what was decided, and what each way would cost.
  static void report(const Node* x, const Choice& c) {
    log_text(fmt::format("{} {} [{}]: {} (inline {}, store {})", c.store ? "store" : "inline",
                         op_name(x->op), fmt::join(x->shape(), ", "), c.reason,
                         human_time(c.inline_seconds), human_time(c.store_seconds)));
  }

  Choice choose_reduce(size_t i) {
    const Node* x = order_[i];
    const double elements = elements_of(x), size = static_cast<double>(dtype_size(x->dtype));
    const double row = static_cast<double>(numel(x->src()[0]->shape())) / elements;
    const Weight& below = weights_.of(index_.at(x->src()[0]));
    const double once = elements * row *
                        ((below.flops + 1) / target_.flops_per_second +
                         below.loads * size / target_.bytes_per_second);
    double evals = 0;
    for (const Read& r : reads_[i]) evals += reductions(r, free_loops(r));
    Choice c{true, "", once * std::max(1.0, evals / elements),
             once +
                 elements * size * (1 + static_cast<double>(reads_[i].size())) /
                     target_.bytes_per_second +
                 target_.launch_seconds};
    c.reason = reason_to_store(x, row, c.store);
    return c;
  }

  static const Node* index_along(const Node* scan, const Read& r) {
    return r.at.idx[static_cast<size_t>(scan->arg()[1])].node();
  }

  // A scan is part of the kernel that walks it: one read, once for each of its places, in the order
  // of the one range along which that kernel has scans.
  Choice choose_scan(size_t i) {
    const Node *x = order_[i], *along = index_along(x, reads_[i].front());
    if (reads_[i].size() != 1) return {true, "read in several ways"};
    const Read& r = reads_[i].front();
    const LoopScope& scope = scope_of(r);
    const auto walked = walked_along_.find(scope.kernel);
    const bool walks = has(scope.loops, along) && scope.reduced.empty() &&
                       along->src()[0]->arg()[0] == x->shape()[static_cast<size_t>(x->arg()[1])] &&
                       (walked == walked_along_.end() || walked->second == along);
    const bool in_order = !contraction_kernels_.contains(scope.kernel) &&
                          order_[static_cast<size_t>(scope.kernel)]->op != Op::Scatter;
    if (!walks || !in_order) return {true, "not walked in order"};
    const auto uses = [&](const UOp& index) { return has(ranges_of(index), along); };
    const bool once =
        free_loops(r).size() == scope.loops.size() && std::ranges::count_if(r.at.idx, uses) == 1;
    return {!once, once ? "walked in order" : "its loops would run again"};
  }

  // Why the result of a reduction is stored, or (with `store` set to false) why it is not.
  const char* reason_to_store(const Node* x, double row, bool& store) {
    const std::vector<Read>& reads = reads_[index_.at(x)];
    if (reads.size() != 1) return "read in several ways";
    const Read& r = reads.front();
    const LoopScope& scope = scope_of(r);
    const std::vector<const Node*> free = free_loops(r);
    const double elements = elements_of(x);
    if (r.add_over >= 0 && static_cast<ReduceOp>(x->arg()[0]) == ReduceOp::Add) {
      store = points(scope.loops) / rounds_without(r.at.gate) > 2 * elements;
      if (store) return "its loops would run again";
      store = is_slower_summed(x, r);
      return store ? "a contraction before a sum over rows" : "a sum of sums is one";
    }
    if (reductions(r, free) > elements) return "its loops would run again";
    if (contraction_kernels_.contains(scope.kernel)) return "beside a contraction";
    const bool nested = depends_on_reduced(scope, free);
    if (nested && (is_contraction(x) || row < kNestedRow))
      return "too short to stand in another reduction";
    std::vector<const Node*> rest;
    for (const Node* l : scope.loops) {
      if (!has(free, l)) rest.push_back(l);
    }
    if (!rest.empty() && is_contraction(x)) return "a contraction before a broadcast";
    if (!rest.empty() &&
        std::max(row, points(rest)) * static_cast<double>(dtype_size(x->dtype)) > kRowBytes)
      return "rows outgrow the cache";
    store = false;
    return rest.empty() ? "used where it is complete" : "rows stay in the cache";
  }

  // Σ over i of Σ over k of a[i, k]·b[j, k] as one sum has no rows by which elements of b are used
  // again: memory or level 1 bounds it, at a fraction of a contraction's rate.
  bool is_slower_summed(const Node* x, const Read& r) {
    constexpr double kTimesSlower = 4;
    if (!is_contraction(x) || !sums_over_one_factor(x, r)) return false;
    const double elements = elements_of(x), size = static_cast<double>(dtype_size(x->dtype));
    const double flops = 2 * static_cast<double>(numel(x->src()[0]->shape()));
    const double stored = 2 * elements * size / target_.bytes_per_second + target_.launch_seconds;
    return (kTimesSlower - 1) * flops / (target_.flops_per_second * target_.threads) > stored;
  }

  // Whether a loop of the sum that reads the contraction is one of a single factor.
  bool sums_over_one_factor(const Node* x, const Read& r) {
    IndexedRead at = r.at;
    const auto below = [&](const Node*& n) {
      if (n->op == Op::Reduce) {
        for (const int64_t a : n->arg().subspan(1)) at.idx[static_cast<size_t>(a)] = index_const(0);
      } else if (in_group(n->op, kMovement)) {
        UOp inside;
        at = map_read(n, at, simplify_, inside);
      }
      n = n->src()[0];
    };
    const Node* product = x;
    while (product->op != Op::Mul) below(product);
    const IndexedRead at_product = at;
    std::vector<std::vector<const Node*>> of_factor;
    for (const Node* factor : product->src()) {
      at = at_product;
      while (in_group(factor->op, kMovement) || factor->op == Op::Cast) below(factor);
      of_factor.push_back(free_loops({at, r.scope}));
    }
    return std::ranges::any_of(scope_of(r).reduced, [&](const Node* l) {
      return has(of_factor[0], l) != has(of_factor[1], l);
    });
  }

  std::span<const Node* const> order_;
  const Target& target_;
  const FusionOptions& options_;
  std::unordered_map<const Node*, size_t> index_;
  std::unordered_map<const Node*, int> users_;  // how many nodes have it as a source
  std::vector<std::vector<Read>> reads_;
  const ExpressionWeights weights_;
  const std::unordered_set<const Node*> widened_;  // factors: see widened_factors.h
  std::vector<LoopScope> scopes_;
  std::unordered_set<int> contraction_kernels_;
  JoinedKernels merged_;
  std::unordered_map<int, const Node*> walked_along_;  // by kernel: the range of its scans
  std::vector<UOp> keep_;
  IndexSimplifier simplify_;
  Materialised set_;
  int64_t next_range_ = 0;
};

}  // namespace

bool is_contraction(const Node* reduce) {
  if (reduce->op != Op::Reduce || static_cast<ReduceOp>(reduce->arg()[0]) != ReduceOp::Add)
    return false;
  const Node* v = reduce->src()[0];
  while (in_group(v->op, kMovement) || v->op == Op::Cast || v->op == Op::Reduce) v = v->src()[0];
  return v->op == Op::Mul && is_broadcast(v->src()[0]) && is_broadcast(v->src()[1]);
}

Materialised decide_fusion(std::span<const Node* const> order, std::span<const UOp> roots,
                           const Target& target, const FusionOptions& options) {
  return Solver(order, target, options).run(roots);
}

}  // namespace tg

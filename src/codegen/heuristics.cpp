// Elementwise kernels and plain reductions. The rules, in short: lanes along the axis with most
// unit strides, and squares that are transposed in registers where reads cross it; a contiguous
// reduction reduces in lanes with several accumulators, a strided one keeps a strip of results in
// cache and reads whole rows, one of few terms or with known masks is unrolled; a short axis has a
// vector of its own; the outermost parallel loops are threads.
#include "codegen/heuristics.h"

#include <algorithm>
#include <bit>
#include <unordered_map>

#include "codegen/heuristics_windows.h"
#include "codegen/kernel_facts.h"
#include "codegen/quotient_turns.h"
#include "codegen/repeated_terms.h"
#include "codegen/scheduled_kernel.h"
#include "tg/ir/walk.h"

namespace tg {
namespace {

constexpr int64_t kThreadPoints = 1 << 14;  // below this a launch is not worth sharing
constexpr int64_t kLongChain = 32;          // operations of a point
constexpr int kMostTransposed = 32;         // vectors of a square that is transposed in registers
constexpr int64_t kShortStride = 4;         // of loads along lanes: a few vectors and shuffles
constexpr int64_t kStripElements = 2048;    // results of a strided reduction that stay in level 1

class Chooser {
 public:
  Chooser(const UOp& kernel, const Target& target)
      : target_(target),
        s_(plain_schedule(kernel)),
        facts_(facts_of(kernel, s_)),
        windows_(kernel, facts_, target, s_) {
    // Sums are of words at the least, and so are the numbers by which lanes say where they are.
    constexpr int kWord = 4;
    const int least = streams(facts_) ? std::min(facts_.max_value_bytes, kWord) : kWord;
    const int bytes = std::max(facts_.max_element_bytes, least);
    lanes_ = std::clamp(target.vector_bytes / bytes, 2, std::max(2, target.max_lanes));
    find_shared_values(kernel);
    long_chain_ = facts_.reduces.empty() && operations(kernel) >= kLongChain;
  }

  KernelSchedule run(const UOp& kernel) {
    if (std::ranges::count(s_.bases, 0, &BaseRange::extent) > 0) return std::move(s_);
    if (auto contraction = schedule_contraction(kernel, s_, facts_, target_))
      return *std::move(contraction);
    if (facts_.runs) schedule_running();
    for (const UOp& reduce : facts_.reduces) unroll_masked(reduce);
    if (!facts_.reduces.empty()) schedule_reductions();
    int along = best_lane_base(Role::Par);
    if (along < 0 && computes_much(kernel)) along = any_lane_base();
    if (along >= 0 && !has_lanes_with(along)) vectorise_parallel(along);
    windows_.share_rows();
    interleave_rows();
    add_threads();
    windows_.copy_borders();
    keep_repeated_terms(kernel, facts_, target_, s_);
    return std::move(s_);
  }

 private:
  const BaseRange& base(int b) const { return s_.bases[static_cast<size_t>(b)]; }

  // Whether the base runs inside all others that keep their order, and lanes along it store to
  // different elements: then lanes change nothing.
  bool lanes_keep_order(size_t b) const {
    for (size_t later = b + 1; later < s_.bases.size(); ++later) {
      if (facts_.ordered(later)) return false;
    }
    return !facts_.sharing.alone[b];
  }

  // A short base whose points lie between the lanes of `b` where the access stores: with it
  // unrolled the lanes are woven (emit_transpose.cpp). −1 if there is none.
  int woven_base(const AccessFacts& a, size_t b) const {
    const bool apart = a.stride[b] >= 2 && a.stride[b] <= kMostWoven;
    if (!a.store || a.gated || !facts_.reduces.empty() || !apart) return -1;
    for (size_t w = 0; w < s_.bases.size(); ++w) {
      if (a.stride[w] == 1 && s_.bases[w].extent == a.stride[b] && !facts_.ordered(w))
        return static_cast<int>(w);
    }
    return -1;
  }

  // Whether all that an access reads is little beside what is stored: the numbers of a channel
  // beside an image.
  bool is_small(const AccessFacts& a) const {
    constexpr int64_t kPart = 8;
    int64_t stored = 0;
    for (const AccessFacts& other : facts_.accesses)
      stored = std::max(stored, other.store ? other.elements : 0);
    return !a.store && facts_.reduces.empty() && a.elements <= stored / kPart;
  }

  // Whether so much is computed for each access that lanes pay which are gathered one by one.
  bool computes_much(const UOp& kernel) const {
    constexpr int64_t kMuch = 8;
    return operations(kernel) >= kMuch * std::ssize(facts_.accesses);
  }

  // The longest base that may have lanes; −1 if there is none.
  int any_lane_base() const {
    int best = -1;
    for (size_t b = 0; b < s_.bases.size(); ++b) {
      const int at = static_cast<int>(b);
      const bool may = base(at).role == Role::Par && !facts_.ordered(b) && !is_unrolled(s_, at);
      if (!may || base(at).extent < lanes_) continue;
      if (best < 0 || base(at).extent >= base(best).extent) best = at;
    }
    return best;
  }

  // The base of those that can have lanes along which most accesses have stride 1; stores count
  // double. −1 if none has stride 1.
  int best_lane_base(Role role) const {
    int best = -1, best_score = 0;
    for (size_t b = 0; b < s_.bases.size(); ++b) {
      if (s_.bases[b].role != role || (facts_.ordered(b) && !lanes_keep_order(b))) continue;
      if (is_unrolled(s_, static_cast<int>(b))) continue;
      if (role == Role::Par && lanes_along(static_cast<int>(b)) == 0) continue;
      int score = 0;
      for (const AccessFacts& a : facts_.accesses) {
        if (!a.depends[b] || is_small(a)) continue;
        const int64_t stride = std::abs(a.stride[b]);
        if (a.stride[b] == 1 || woven_base(a, b) >= 0) {
          score += a.store ? 4 : 2;
        } else if (a.store || stride == 0 || stride > kShortStride) {
          score -= 1;
        }
      }
      if (score > best_score) {
        best = static_cast<int>(b);
        best_score = score;
      }
    }
    return best;
  }

  // Of a point, those on indices aside. More than a processor looks ahead, and each waits for the
  // one before: then two vectors take turns.
  static int64_t operations(const UOp& kernel) {
    return std::ranges::count_if(toposort(kernel), [](const Node* n) {
      return in_group(n->op, kElementwise) && n->dtype != DType::Index && n->op != Op::Const;
    });
  }

  // For each base, the bases on which some value depends together with it. Values, not accesses: an
  // index may be data too.
  void find_shared_values(const UOp& kernel) {
    std::unordered_map<const Node*, uint64_t> deps;
    together_.assign(s_.bases.size(), 0);
    for (const Node* n : toposort(kernel)) {
      const bool closes = n->op == Op::Reduce || n->op == Op::Stage || n->op == Op::End;
      uint64_t set = 0, closed = 0;
      for (size_t i = 0; i < n->n_src; ++i)
        (closes && i > 0 ? closed : set) |= deps.at(n->src()[i]);
      if (n->op == Op::Range) set = bit(s_.find_base(UOp::share(n)));
      const uint64_t all = set | closed;
      for (size_t b = 0; b < together_.size(); ++b)
        together_[b] |= (all & bit(static_cast<int>(b))) != 0 ? all : 0;
      deps[n] = set & ~closed;
    }
  }
  static uint64_t bit(int base) { return base < 0 || base > 63 ? 0 : uint64_t{1} << base; }
  // Whether a value with lanes along `b` would have others already.
  bool has_lanes_with(int b) const {
    return std::ranges::any_of(s_.axes, [&](const Axis& axis) {
      return axis.kind == Kind::Vector && (together_[static_cast<size_t>(b)] & bit(axis.base)) != 0;
    });
  }

  bool worth_lanes(int64_t extent) const {
    return extent >= lanes_ || (target_.has_masked_access && 2 * extent > lanes_);
  }

  // Lanes along a parallel base. A short one (colours, heads, classes) has a vector of its own if
  // no access crosses memory along it, but for loads of short strides and stores of sums, each of
  // many reads; lanes are left over only where they can be masked. 0 if there is nothing to gain.
  int lanes_along(int b) const {
    constexpr int64_t kFew = 3;
    const int64_t extent = base(b).extent;
    if (extent >= lanes_) return lanes_;
    const auto lanes = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(extent)));
    const bool crosses = std::ranges::any_of(facts_.accesses, [&](const AccessFacts& a) {
      const int64_t stride = a.stride[static_cast<size_t>(b)];
      const bool reads_short = stride != 0 && std::abs(stride) <= kShortStride && extent == lanes;
      const bool fits = stride == 1 || (a.store ? !facts_.reduces.empty() : reads_short);
      return a.depends[static_cast<size_t>(b)] && !fits;
    });
    const bool masks = extent == lanes || masks_loads(target_, facts_);
    return extent >= kFew && masks && !crosses ? static_cast<int>(lanes) : 0;
  }

  Tail lane_tail(int b) const {
    const bool pure =
        !facts_.updates_in_place && base(b).role == Role::Par && facts_.reduces.empty();
    return pure && base(b).extent >= lanes_ ? Tail::Shift : Tail::Peel;
  }

  // A parallel base along which some access is contiguous that crosses memory along the lanes `b`;
  // −1 if all accesses suit the lanes.
  int crossed_base(int b) const {
    if (!facts_.reduces.empty() || base(b).extent < lanes_) return -1;
    for (const AccessFacts& a : facts_.accesses) {
      const int64_t step = a.stride[static_cast<size_t>(b)];
      const bool combines = a.store && a.access.arg(0) != static_cast<int64_t>(Combine::Set);
      if (combines || a.gated || step == 0 || step == 1) continue;
      for (size_t u = 0; u < s_.bases.size(); ++u) {
        const bool along = a.stride[u] == 1 && s_.bases[u].role == Role::Par && !facts_.ordered(u);
        if (along && static_cast<int>(u) != b && s_.bases[u].extent >= lanes_)
          return static_cast<int>(u);
      }
    }
    return -1;
  }

  // Squares of lanes × lanes are transposed in registers, in blocks whose rows stay in the TLB and
  // in cache. All other loops are outside, and innermost is the one along which memory is read:
  // what lies behind a line is on its way already. But parts of a line that are stored must meet in
  // cache, so those are stored in a row.
  void transpose_blocks(int across, int along) {
    constexpr int64_t kBlock = 256, kLineBytes = 64;
    const int lanes = std::min(lanes_, kMostTransposed);
    const bool whole_lines = lanes * facts_.max_element_bytes >= kLineBytes;
    for (const int b : {along, across}) {
      if (base(b).extent >= 2 * kBlock) opt_tile(s_, b, kBlock, 0, Tail::Peel);
    }
    move_innermost(whole_lines ? across : along);
    move_innermost(whole_lines ? along : across);
    opt_unroll(s_, along, lanes, base(along).tile != 0 ? Tail::None : Tail::Peel);
    opt_vector(s_, across, lanes, base(across).tile != 0 ? Tail::None : Tail::Peel);
  }

  // Other steps, or other reductions of a kernel that was merged, may have unrolled much already.
  bool has_room_for(int64_t points) const { return unrolled_points(s_) * points <= kMaxUnrolled; }

  void unroll_if_room(int b, int64_t size, Tail tail) {
    if (has_room_for(size)) opt_unroll(s_, b, size, tail);
  }

  void move_innermost(int b) {
    const int loop = innermost_loop_of(s_, b);
    if (loop >= 0) opt_move(s_, loop, loop_count(s_) - 1);
  }

  void vectorise_parallel(int b) {
    const int lanes = lanes_along(b);
    if (lanes == 0) return;
    if (facts_.ordered(static_cast<size_t>(b))) return opt_vector(s_, b, lanes, Tail::Peel);
    if (const int along = crossed_base(b); along >= 0) return transpose_blocks(b, along);
    if (const int64_t turns = quotient_turns(facts_, base(b), lanes);
        turns > 1 && has_room_for(turns))
      return vectors_by_turns(b, turns);
    for (const AccessFacts& a : facts_.accesses) {
      const int between = woven_base(a, static_cast<size_t>(b));
      if (between < 0 || is_unrolled(s_, between)) continue;
      unroll_if_room(between, base(between).extent, Tail::Peel);
    }
    // One long axis: blocks for threads outside, whole vectors inside.
    const int64_t block = 256 * lanes_;
    if (loop_count(s_) == 1 && base(b).extent >= 4 * block) opt_tile(s_, b, block, 0);
    const bool pairs = long_chain_ && base(b).extent >= 4 * lanes && 2 * lanes <= target_.max_lanes;
    opt_vector(s_, b, pairs ? 2 * lanes : lanes, base(b).tile != 0 ? Tail::None : lane_tail(b));
    windows_.walk_rows(b, lanes);
    if (facts_.reduces.empty()) move_innermost(b);
  }

  // Every lane of the vectors of one turn knows where it lies among its neighbours.
  void vectors_by_turns(int b, int64_t turns) {
    opt_tile(s_, b, turns * lanes_, loop_of(s_, b), Tail::Peel);
    opt_vector(s_, b, lanes_, Tail::None);
    opt_unroll(s_, b, turns, Tail::None);
    if (facts_.reduces.empty() && innermost_loop_of(s_, b) >= 0) move_innermost(b);
  }

  // Loads of a vector of points along `b`: one where memory is contiguous, one for each lane where
  // it is crossed, none where all lanes see one element.
  int64_t lane_cost(int b) const {
    int64_t cost = 0;
    for (const AccessFacts& a : facts_.accesses) {
      if (a.store || !a.depends[static_cast<size_t>(b)]) continue;
      cost += a.stride[static_cast<size_t>(b)] == 1 ? 1 : lanes_;
    }
    return cost;
  }

  bool is_one_loop(int b) const {
    const std::vector<int> digits = s_.digits(b);
    return digits.size() == 1 && s_.axes[static_cast<size_t>(digits.front())].kind == Kind::Serial;
  }

  // A reduction that a condition on two short ranges masks (the running sums of a block): with both
  // unrolled the masks are known, and results share their sums.
  void unroll_masked(const UOp& reduce) {
    constexpr int64_t kLongest = 32;
    const UOp v = reduce.src(0);
    if (reduce.n_src() != 2 || !v.is(Op::Where)) return;
    const UOp identity = constant(reduce_identity(static_cast<ReduceOp>(reduce.arg(0)), v.dtype()));
    if (v.src(1) != identity && v.src(2) != identity) return;
    const UOp red = reduce.src(1), terms = v.src(v.src(1) == identity ? 2 : 1);
    const std::vector<UOp> masking = free_ranges(v.src(0)), summed = free_ranges(terms);
    const auto at = std::ranges::find_if(masking, [&](const UOp& r) { return r != red; });
    if (masking.size() != 2 || at == masking.end()) return;
    if (std::ranges::find(summed, *at) != summed.end()) return;
    const int across = s_.find_base(*at), along = s_.find_base(red);
    if (base(across).role != Role::Par || facts_.ordered(static_cast<size_t>(across))) return;
    if (!is_one_loop(across) || !is_one_loop(along)) return;
    const auto [least, most] = std::minmax(base(across).extent, base(along).extent);
    if (least < 2 || most > kLongest) return;
    if (!has_room_for(least * most)) return;
    opt_unroll(s_, across, base(across).extent, Tail::None);
    opt_unroll(s_, along, base(along).extent, Tail::None);
  }

  // The base along which running reductions go.
  int running_base() const {
    for (size_t b = s_.bases.size(); b-- > 0;) {
      if (s_.bases[b].role == Role::Par && facts_.sharing.alone[b]) return static_cast<int>(b);
    }
    return -1;
  }

  // A running reduction waits for itself, so several go side by side: lanes along the memory beside
  // it; where memory lies along it, lanes across rows, whose squares are transposed in registers.
  void schedule_running() {
    constexpr int64_t kSideBySide = 4;
    const int along = running_base(), beside = best_lane_base(Role::Par);
    if (beside >= 0 && lanes_along(beside) != 0) {
      const int64_t lanes = lanes_along(beside), step = kSideBySide * lanes;
      const bool whole = base(beside).extent >= 2 * step;
      if (whole) opt_tile(s_, beside, step, loop_of(s_, beside), Tail::Peel);
      opt_vector(s_, beside, static_cast<int>(lanes), whole ? Tail::None : Tail::Peel);
      if (whole) unroll_if_room(beside, kSideBySide, Tail::None);
      move_innermost(along);
      return;
    }
    const int rows = longest_row_base(along);
    if (rows < 0) return;
    if (base(rows).extent >= lanes_ && base(along).extent >= lanes_) {
      opt_vector(s_, rows, lanes_, lane_tail(rows));
      unroll_if_room(along, lanes_, Tail::Peel);
    } else {
      unroll_if_room(rows, std::min(kSideBySide, base(rows).extent), Tail::Peel);
    }
    move_innermost(along);
  }

  // The longest parallel base but `along`; −1 if there is none.
  int longest_row_base(int along) const {
    int best = -1;
    for (size_t b = 0; b < s_.bases.size(); ++b) {
      if (s_.bases[b].role != Role::Par || static_cast<int>(b) == along || facts_.ordered(b))
        continue;
      if (best < 0 || base(static_cast<int>(b)).extent > base(best).extent)
        best = static_cast<int>(b);
    }
    return best;
  }

  // Each reduction along the memory of its own terms, unless lanes along results read less for it.
  void schedule_reductions() {
    const int best = best_lane_base(Role::Par);
    const int strip = best >= 0 && lanes_along(best) != 0 ? best : -1;
    bool in_lanes = false;
    for (size_t b = 0; b < s_.bases.size(); ++b) {
      const int red = static_cast<int>(b);
      if (s_.bases[b].role != Role::Red || !unit_stride(red) || !worth_lanes(s_.bases[b].extent) ||
          is_unrolled(s_, red))
        continue;
      const bool in_strip = strip >= 0 && (together_[b] & bit(strip)) != 0;
      if (in_strip && lane_cost(red) >= lane_cost(strip)) continue;
      if (has_lanes_with(red)) continue;
      reduce_in_lanes(red);
      in_lanes = true;
    }
    if (!in_lanes && strip >= 0) reduce_strips(strip);
  }

  bool unit_stride(int b) const {
    return std::ranges::any_of(facts_.accesses, [&](const AccessFacts& a) {
      return a.stride[static_cast<size_t>(b)] == 1;
    });
  }

  void reduce_in_lanes(int b) {
    constexpr int kAccumulators = 4;
    const int64_t step = int64_t{kAccumulators} * lanes_;
    // Kernels that were merged may have many reductions.
    const bool may_unroll = has_room_for(kAccumulators);
    if (may_unroll && base(b).extent >= 2 * step) {
      const int at = loop_of(s_, b);
      opt_tile(s_, b, step, at, Tail::Peel);
      opt_vector(s_, b, lanes_, Tail::None);
      opt_unroll(s_, b, kAccumulators, Tail::None);
    } else {
      const int64_t vectors = base(b).extent / lanes_;
      const bool whole = base(b).extent % lanes_ == 0 && vectors <= kAccumulators;
      opt_vector(s_, b, lanes_, Tail::Peel);
      if (may_unroll && whole && vectors > 1) opt_unroll(s_, b, vectors, Tail::None);
    }
    move_innermost(b);
    walk_in_order(b);
  }

  // Results that lie between the terms of an outer reduced base, as those of c in Σ over a, d of
  // x[a, c, d], are all kept while memory is walked in order: their loop goes inside the reduced
  // one. Not where loops follow that share a result: it would be looked up in each of their rounds,
  // and what is made of it made again.
  void walk_in_order(int lanes) {
    constexpr int64_t kResults = 64;  // vectors that stay in level 1 beside what is read
    if (facts_.reduces.size() != 1 || facts_.any_ordered()) return;
    const auto at = std::ranges::find_if(facts_.accesses, [&](const AccessFacts& a) {
      return !a.store && a.stride[static_cast<size_t>(lanes)] == 1;
    });
    if (at == facts_.accesses.end()) return;
    const auto step = [&](int b) { return std::abs(at->stride[static_cast<size_t>(b)]); };
    std::vector<int> of_results;
    for (const UOp& r : free_ranges(facts_.reduces.front())) of_results.push_back(s_.find_base(r));
    int inner = -1, parallel = 0;
    int64_t reduced = 0;
    for (int i = 0; i < loop_count(s_); ++i) {
      const int b = s_.axes[static_cast<size_t>(i)].base;
      const bool par = base(b).role == Role::Par;
      if (par && std::ranges::find(of_results, b) == of_results.end()) return;
      parallel += par;
      if (!par && b != lanes) reduced = std::max(reduced, step(b));
      if (par && step(b) > 0 && (inner < 0 || step(b) < step(inner))) inner = b;
    }
    if (inner < 0 || reduced <= step(inner)) return;
    const int64_t extent = base(inner).extent;
    const int64_t threads = parallel > 1 ? 1 : std::max(1, target_.threads);
    const int64_t share = std::min(kResults, (extent + threads - 1) / threads);
    if (share > 1 && share < extent) opt_tile(s_, inner, share, loop_of(s_, inner));
    move_innermost(inner);
    move_innermost(lanes);
  }

  // Rows outside, a strip of results inside: every read is a long run, the results stay in cache. A
  // strip for each thread at least, if that leaves runs of some lines.
  void reduce_strips(int strip) {
    constexpr int64_t kRows = 8, kLeastVectors = 16;
    if (!windows_.strips(strip, lanes_along(strip)) && windows_.unroll(strip))
      return;  // lanes follow as in kernels that reduce nothing
    if (keep_row(strip)) return;
    const int64_t extent = base(strip).extent, threads = std::max(1, target_.threads);
    const int64_t share = (extent / threads + lanes_ - 1) / lanes_ * lanes_;
    const int64_t most = std::clamp(share, kLeastVectors * lanes_, kStripElements);
    if (extent > most) opt_tile(s_, strip, most, 0, Tail::Peel);
    opt_vector(s_, strip, lanes_along(strip), base(strip).tile != 0 ? Tail::None : Tail::Peel);
    for (const UOp& reduce : facts_.reduces) {
      const int red = longest_range(reduce);
      if (base(red).extent >= kRows && !is_unrolled(s_, red))
        unroll_if_room(red, kRows, Tail::Peel);
    }
    const int loop = innermost_loop_of(s_, strip);
    const bool has_outer = loop >= 0 && loop_of(s_, strip) != loop;
    if (loop >= 0 && (has_outer || extent <= most)) opt_move(s_, loop, loop_count(s_) - 1);
  }

  // A row of few vectors is summed in registers, so that memory is walked in order: the vectors of
  // a row, or several rows where one has too few sums to hide how long an addition takes.
  bool keep_row(int strip) {
    constexpr int64_t kSums = 8;
    const int64_t vectors = base(strip).extent / lanes_;
    if (facts_.reduces.size() != 1 || facts_.any_ordered() || base(strip).extent % lanes_ != 0 ||
        vectors < 1 || vectors > target_.vector_registers / 2 || !has_room_for(vectors))
      return false;
    opt_vector(s_, strip, lanes_, Tail::None);
    if (vectors > 1) opt_unroll(s_, strip, vectors, Tail::None);
    const int red = longest_range(facts_.reduces.front());
    const int64_t rows = kSums / vectors;
    if (rows > 1 && base(red).extent >= rows && !is_unrolled(s_, red))
      unroll_if_room(red, rows, Tail::Peel);
    return true;
  }

  // Of those that the reduction closes.
  int longest_range(const UOp& reduce) const {
    int best = -1;
    for (int i = 1; i < reduce.n_src(); ++i) {
      const int b = s_.find_base(reduce.src(i));
      if (best < 0 || base(b).extent > base(best).extent) best = b;
    }
    return best;
  }

  // A row that is reduced in lanes waits: without a loop for its lanes to be combined, in steps
  // each of which needs the one before; in a loop of few vectors a turn, for the sum of the last
  // turn. Several rows side by side wait at the same time, and share what they are multiplied by.
  void interleave_rows() {
    constexpr int64_t kRows = 8, kRowsOfLoops = 4, kMostPoints = 128, kVectorsOfATurn = 4;
    bool in_lanes = false, in_loops = false;
    int64_t vectors = 1;
    int rows = -1;
    for (const Axis& a : s_.axes) {
      const bool red = base(a.base).role == Role::Red, loop = a.kind == Kind::Serial;
      in_loops = in_loops || (red && loop);
      in_lanes = in_lanes || (red && a.kind == Kind::Vector);
      if (red && a.kind == Kind::Unroll) vectors *= a.extent;
      const bool free = !facts_.ordered(static_cast<size_t>(a.base)) && base(a.base).tile == 0;
      const bool even = a.extent == base(a.base).extent || a.extent % kRows == 0;  // cut already
      if (!red && loop && a.extent >= 2 * kRows && free && even) rows = a.base;
    }
    if (in_loops && (vectors >= kVectorsOfATurn || facts_.reduces.size() > 1)) return;
    const int64_t n = in_loops ? kRowsOfLoops : kRows;
    if (in_lanes && rows >= 0 && unrolled_points(s_) * n <= kMostPoints)
      opt_unroll(s_, rows, n, Tail::Peel);
  }

  // A reduction whose results differ in the turns of loop `last`, the innermost to count the first
  // digits of what it depends on; the loops inside share them.
  struct OuterReduction {
    double points;
    int last;  // −1: no loop
  };

  std::vector<OuterReduction> outer_reductions() const {
    std::vector<OuterReduction> out;
    for (const UOp& reduce : facts_.reduces) {
      OuterReduction r{1, -1};
      const auto count = [&](const UOp& range) {
        const int b = s_.find_base(range);
        r.points *= static_cast<double>(base(b).extent);
        return b;
      };
      for (const Node* closed : closed_ranges(reduce.node())) count(UOp::share(closed));
      for (const UOp& range : free_ranges(reduce))
        r.last = std::max(r.last, loop_of(s_, count(range)));
      out.push_back(r);
    }
    return out;
  }

  // The outermost parallel loops, until there are enough chunks to share out evenly. A chunk
  // computes the reductions that its points read, so loops that share the result of one are shared
  // out only where that makes up for computing it in each of their chunks.
  void add_threads() {
    double points = 1, results = 1;
    for (const BaseRange& b : s_.bases) {
      points *= static_cast<double>(b.extent);
      if (b.role == Role::Par) results *= static_cast<double>(b.extent);
    }
    if (points < kThreadPoints) return;
    std::vector<OuterReduction> reductions = outer_reductions();
    int64_t chunks = 1;
    int count = 0, peeled = 0;
    const int64_t threads = std::max(1, target_.threads), enough = 16 * threads;
    const auto share_of_one = [&] {
      double work = results;
      for (const OuterReduction& r : reductions) work += r.points;
      return work * static_cast<double>((chunks + threads - 1) / threads) /
             static_cast<double>(chunks);
    };
    double least = share_of_one();
    for (int i = 0; i < loop_count(s_) && chunks < enough; ++i) {
      const Axis& a = s_.axes[static_cast<size_t>(i)];
      const BaseRange& b = base(a.base);
      peeled += b.tail == Tail::Peel && a.stride == b.tile;
      const auto at = static_cast<size_t>(a.base);
      const bool inside_tail = b.tail == Tail::Peel && a.stride < b.tile;
      if (b.role != Role::Par || facts_.ordered(at) || !facts_.shared[at] || peeled > 1 ||
          inside_tail || (i > 0 && i + 1 == loop_count(s_) && !is_innermost_shared()))
        break;
      chunks *= a.extent;
      for (OuterReduction& r : reductions) {
        if (r.last < i) r.points *= static_cast<double>(a.extent);
      }
      if (const double share = share_of_one(); share <= least) {
        least = share;
        count = i + 1;
      }
    }
    if (count > 0) opt_thread(s_, count);
  }

  // The innermost of several loops is left to one thread, which walks memory in it, unless a turn
  // is much work.
  bool is_innermost_shared() const {
    constexpr int64_t kMuchWork = 256;
    return unrolled_points(s_) >= kMuchWork;
  }

  const Target& target_;
  KernelSchedule s_;
  KernelFacts facts_;
  int lanes_ = 4;
  bool long_chain_ = false;
  std::vector<uint64_t> together_;
  Windows windows_;
};

}  // namespace

KernelSchedule choose_schedule(const UOp& kernel, const Target& target) {
  if (target.max_group_size > 0) return schedule_for_work_items(kernel, target);
  return Chooser(kernel, target).run(kernel);
}

}  // namespace tg

// Products over windows on work-items: convolutions and their gradients. What a work-item makes is
// chosen by counting: results and terms that are values of their own, so that a row of the windows,
// once it is loaded, serves all taps that reach into it. Groups share rows and filters through
// scratch. Products without windows: heuristics_work_items_product.cpp.
#include <array>

#include "codegen/work_items_choice.h"
#include "support/check.h"

namespace tg {
namespace {

constexpr int64_t kMostTaps = 16;       // along one axis; a longer window is a product like others
constexpr int64_t kLongestStrip = 32;   // results along one axis that a work-item makes
constexpr int64_t kMostResults = 104;   // of a work-item: more, and registers spill
constexpr int64_t kMostProducts = 512;  // in the body of the innermost loop

using Extents = std::vector<int64_t>;  // by base: points that are values of their own

class WindowTiler {
 public:
  WindowTiler(const WorkItemsChoice& c, const WindowProduct& p, KernelSchedule& s)
      : c_(c), p_(p), s_(s), unrolled_(static_cast<size_t>(c.n_bases()), 1) {}

  void run() {
    for (int b = 0; b < c_.n_bases(); ++b) {
      if (!c_.ordered(b)) bases_.push_back(b);
    }
    choose(0);
    if (best_.empty()) user_error<ArgumentError>("UNROLL", "no strip of results fits registers");
    order_terms();
    share_work_items();
    for (int b = 0; b < c_.n_bases(); ++b) unroll(b);
    for (size_t i = shares_.size(); i-- > 0;)
      opt_local(s_, shares_[i].base, shares_[i].work_items, tail_of(shares_[i].base));
  }

 private:
  static size_t at(int b) { return static_cast<size_t>(b); }

  // ---- what a work-item makes
  // Divisors, so that nothing is computed in vain; terms by fours at most, but for taps. A long
  // axis of results without divisors is masked.
  Extents sizes_of(int b) const {
    constexpr int64_t kMasked[] = {4, 8};
    const int64_t n = c_.extent(b);
    const int64_t most = c_.is_par(b) ? kLongestStrip : is_tap(b) ? kMostTaps : 4;
    Extents out;
    for (int64_t size = 1; size <= std::min(n, most); ++size) {
      if (n % size == 0) out.push_back(size);
    }
    if (c_.is_par(b) && n > most && out.back() < kMasked[0])
      out.insert(out.end(), std::begin(kMasked), std::end(kMasked));
    return out;
  }
  bool is_tap(int b) const { return std::ranges::find(p_.taps, b) != p_.taps.end(); }

  int64_t unrolled(bool results_only) const {
    int64_t n = 1;
    for (int b = 0; b < c_.n_bases(); ++b)
      n *= results_only && !c_.is_par(b) ? 1 : unrolled_[at(b)];
    return n;
  }

  // Different elements of an operand among the points: those of bases that step alike overlap.
  int64_t loads(const AccessFacts& a) const {
    int64_t all = 1;
    std::vector<bool> counted(unrolled_.size());
    for (size_t b = 0; b < unrolled_.size(); ++b) {
      if (counted[b] || unrolled_[b] == 1 || !a.depends[b]) continue;
      int64_t places = unrolled_[b];
      for (size_t other = b + 1; other < unrolled_.size(); ++other) {
        const bool alike = a.stride[b] != 0 && std::abs(a.stride[b]) == std::abs(a.stride[other]);
        if (!alike || unrolled_[other] == 1) continue;
        places += unrolled_[other] - 1;
        counted[other] = true;
      }
      all *= places;
    }
    return all;
  }

  // Time of a product, in that of a multiply-add: a processor begins four times as many of these
  // as loads, and half of the loads are hidden behind them; stores of neighbours that do not lie
  // together are each a transaction. Work-items that do not fill the machine leave the rest of it
  // idle.
  double cost() const {
    constexpr double kLoad = 2, kStore = 4, kScattered = 24, kWorkItems = 224;
    double work_items = 1, terms = 1, in_vain = 1;
    for (int b = 0; b < c_.n_bases(); ++b) {
      const double extent = static_cast<double>(c_.extent(b));
      if (c_.is_par(b)) {
        const double left = static_cast<double>(left_of(b, unrolled_));
        work_items *= left;
        in_vain *= left * static_cast<double>(unrolled_[at(b)]) / extent;
      } else {
        terms *= extent;
      }
    }
    const double used = std::min(
        1.0, work_items / (kWorkItems * static_cast<double>(std::max(1, c_.target.threads))));
    const double loaded = static_cast<double>(loads(*p_.windows) + loads(*p_.others));
    return (1 + kLoad * loaded / static_cast<double>(unrolled(false)) +
            (scatters() ? kScattered : kStore) / terms) *
           in_vain / used;
  }

  int64_t left_of(int b, const Extents& unrolled) const {
    return (c_.extent(b) + unrolled[at(b)] - 1) / unrolled[at(b)];
  }

  // Whether a work-item's own results are those that lie together.
  bool scatters() const {
    return std::ranges::any_of(c_.facts.accesses, [&](const AccessFacts& a) {
      for (size_t b = 0; a.store && b < unrolled_.size(); ++b) {
        if (a.stride[b] == 1 && unrolled_[b] > 1) return true;
      }
      return false;
    });
  }

  // Tries every combination from the i-th base on, as far as registers and code allow.
  void choose(size_t i) {
    if (unrolled(true) > kMostResults || unrolled(false) > kMostProducts) return;
    if (i == bases_.size()) {
      const double now = cost();
      if (best_.empty() || now < least_) {
        best_ = unrolled_;
        least_ = now;
      }
      return;
    }
    const int b = bases_[i];
    for (const int64_t size : sizes_of(b)) {
      unrolled_[at(b)] = size;
      choose(i + 1);
    }
    unrolled_[at(b)] = 1;
  }

  // ---- loops
  // Terms that windows do not overlap in go outside: what a group copies for one of them serves
  // all taps.
  void order_terms() {
    int last = 0;
    while (last < loop_count(s_) && c_.is_par(s_.axes[at(last)].base)) ++last;
    for (int i = last; i < loop_count(s_); ++i) {
      if (!overlaps(s_.axes[at(i)].base)) {
        if (i != last) opt_move(s_, i, last);
        ++last;
      }
    }
  }
  bool overlaps(int b) const {
    return is_tap(b) || std::ranges::find(p_.strips, b) != p_.strips.end();
  }

  // ---- work-items: neighbours along the windows' own results, then along the others', which share
  // the windows
  struct Share {
    int base;
    int64_t work_items;
  };

  void share_work_items() {
    constexpr int64_t kAlong = 32;
    int64_t along = share_out(*p_.windows, *p_.others, kAlong);
    along *= share_out(*p_.others, *p_.windows, c_.group / along);
    if (along < kAlong) share_out(*p_.windows, *p_.others, c_.group / along);
  }

  // As many as divide what is left, if those are enough.
  int64_t share_out(const AccessFacts& own, const AccessFacts& other, int64_t most) {
    std::vector<int> bases;
    for (int b = 0; b < c_.n_bases(); ++b) {
      if (c_.is_par(b) && !c_.ordered(b) && work_items_of(b) == 1 && own.depends[at(b)] &&
          !other.depends[at(b)])
        bases.push_back(b);
    }
    std::ranges::stable_sort(bases, {}, [&](int b) { return std::abs(own.stride[at(b)]); });
    int64_t all = 1;
    for (const int b : bases) {
      const int64_t wanted = std::min(left_of(b, best_), most / all);
      int64_t share = largest_divisor_up_to(left_of(b, best_), wanted);
      if (2 * share < wanted) share = wanted;
      if (share > 1) shares_.push_back({b, share});
      all *= share;
    }
    return all;
  }
  int64_t work_items_of(int b) const {
    const auto it = std::ranges::find(shares_, b, &Share::base);
    return it == shares_.end() ? 1 : it->work_items;
  }

  // What work-items make of an axis that they do not divide is masked: the tile that they make
  // together, if there are several.
  void unroll(int b) {
    const int64_t n = c_.extent(b), each = best_[at(b)], tile = each * work_items_of(b);
    if (n % tile != 0 && tile < n) opt_tile(s_, b, tile, loop_of(s_, b), Tail::Mask);
    if (each > 1) opt_unroll(s_, b, each, tail_of(b));
  }
  Tail tail_of(int b) const {
    const BaseRange& base = s_.bases[at(b)];
    const bool whole = base.tile != 0 || c_.extent(b) % (best_[at(b)] * work_items_of(b)) == 0;
    return whole ? Tail::None : Tail::Mask;
  }

  const WorkItemsChoice& c_;
  const WindowProduct& p_;
  KernelSchedule& s_;
  std::vector<int> bases_;
  Extents unrolled_, best_;
  std::vector<Share> shares_;
  double least_ = 0;
};

}  // namespace

std::optional<WindowProduct> find_window_product(const WorkItemsChoice& c) {
  const auto factors = c.factors();
  if (!factors) return std::nullopt;
  std::array<const AccessFacts*, 2> operands = *factors;
  const auto parallel_of = [&](const AccessFacts& a, const AccessFacts& other) {
    int64_t n = 1;
    for (int b = 0; b < c.n_bases(); ++b) {
      const auto at = static_cast<size_t>(b);
      n *= c.is_par(b) && a.depends[at] && !other.depends[at] ? c.extent(b) : 1;
    }
    return n;
  };
  if (parallel_of(*operands[0], *operands[1]) == 1 || parallel_of(*operands[1], *operands[0]) == 1)
    return std::nullopt;
  for (int turn = 0; turn < 2; ++turn) {
    WindowProduct p{operands[0], operands[1], {}, {}};
    for (int b = 0; b < c.n_bases(); ++b) {
      for (int tap = 0; tap < c.n_bases(); ++tap) {
        const int64_t step = std::abs(p.windows->stride[static_cast<size_t>(b)]);
        const bool overlap = c.is_par(b) != c.is_par(tap) && c.extent(tap) <= kMostTaps &&
                             c.extent(tap) > 1 && c.extent(b) > 1 && step != 0 &&
                             step == std::abs(p.windows->stride[static_cast<size_t>(tap)]);
        if (!overlap || (c.extent(b) < c.extent(tap))) continue;
        p.strips.push_back(b);
        p.taps.push_back(tap);
      }
    }
    if (!p.taps.empty()) return p;
    std::swap(operands[0], operands[1]);
  }
  return std::nullopt;
}

void tile_windows(const WorkItemsChoice& c, const WindowProduct& p, KernelSchedule& s) {
  WindowTiler(c, p, s).run();
}

void stage_windows(const WorkItemsChoice& c, const WindowProduct& p, bool ahead,
                   KernelSchedule& s) {
  constexpr int64_t kSmall = 48 << 10, kShare = 3;  // groups that share a processor's scratch
  const int64_t most =
      std::max(std::min(kSmall, c.target.local_bytes), c.target.local_bytes / kShare);
  const std::array operands = {p.windows->access, p.others->access};
  const auto bytes = [&](int level, int depth) {
    int64_t n = 0;
    for (const UOp& load : operands)
      n += staged_elements(s, {load, level, depth}) * depth * dtype_size(load.dtype());
    return n;
  };
  int level = 0;
  while (level < loop_count(s) && s.axes[static_cast<size_t>(level)].kind != Kind::Serial) ++level;
  // Once for all terms, or in a loop over terms, but not over taps: those that count may differ
  // from one work-item to another.
  for (int64_t steps = 1;; ++level) {
    for (int depth = ahead ? c.kStepsInFlight : 1; depth >= (ahead ? 2 : 1); --depth) {
      if (bytes(level, depth) > most || (ahead && steps <= depth)) continue;
      for (const UOp& load : operands) opt_stage(s, {load, level, depth});
      return;
    }
    if (level == loop_count(s)) break;
    const Axis& next = s.axes[static_cast<size_t>(level)];
    if (std::ranges::find(p.taps, next.base) != p.taps.end()) break;
    steps = next.extent;
  }
  user_error<ArgumentError>("STAGE", "no step is short enough to be copied");
}

}  // namespace tg

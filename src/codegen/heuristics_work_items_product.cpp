// Products on work-items: a group makes a tile of the output, in steps over the reduced axis.
// Work-items hold their part of the tile in registers, so that each operand that is loaded serves
// several products; a step's operands are in scratch, so that each is loaded from memory once a
// group.
#include <array>
#include <cmath>

#include "codegen/work_items_choice.h"
#include "support/check.h"

namespace tg {
namespace {

constexpr int64_t kSide = 16;  // work-items along each axis of a full group
constexpr int64_t kSmallest = 8;
constexpr int64_t kStep = 16;     // of the reduced axis: copies of a full group's largest tile are
                                  // two vectors a work-item and operand
constexpr int64_t kUnrolled = 4;  // of a step, where the steps are no whole ones

// The tile of a work-item and how many work-items there are, along both axes.
struct Tile {
  int64_t work_items_across, work_items_down, each_across, each_down;

  int64_t across() const { return work_items_across * each_across; }
  int64_t down() const { return work_items_down * each_down; }
};

class Tiler {
 public:
  Tiler(const WorkItemsChoice& c, const WorkItemsProduct& p, bool vector, bool staged,
        KernelSchedule& s)
      : c_(c), p_(p), s_(s), n_(c.extent(p.across)), m_(c.extent(p.down)) {
    const std::vector<UOp> copied = staged ? std::vector{p.x, p.y} : std::vector<UOp>{};
    vector_ = vector && n_ % c.kLanes == 0 && c.all_unit_or_fixed(p.across, copied);
  }

  void run() {
    const Tile tile = choose();
    tile_down(tile);
    tile_across(tile);
  }

 private:
  double tiles(const Tile& t) const {
    const auto along = [](int64_t n, int64_t size) { return (n + size - 1) / size; };
    return static_cast<double>(c_.planes(p_.across, p_.down) * along(n_, t.across()) *
                               along(m_, t.down()));
  }
  bool fills_machine(const Tile& t) const { return tiles(t) >= c_.target.threads; }

  // Share of the machine's time that is spent on results: the last round of tiles leaves some
  // processors idle, and tiles hang over the edges.
  double used(const Tile& t) const {
    const double threads = std::max(1, c_.target.threads), all = tiles(t);
    const double results = static_cast<double>(c_.planes(p_.across, p_.down) * n_ * m_);
    return results /
           (std::ceil(all / threads) * threads * static_cast<double>(t.across() * t.down()));
  }

  // Running values and operands of one step, in registers of lanes.
  bool fits_registers(const Tile& t) const {
    const int64_t values = t.each_across * t.each_down + t.each_across + t.each_down;
    return values <= int64_t{c_.target.vector_registers} * c_.target.lanes_of(DType::Float32);
  }

  // Tiles of eight rows a work-item, by the share of the machine's time that is spent on results
  // and what they reach of its rate: a larger tile loads less for each product, and a group of 64
  // work-items needs another one beside it to keep a processor busy.
  std::optional<Tile> best_of_eight() const {
    constexpr int64_t kEight = 2 * WorkItemsChoice::kLanes;
    constexpr double kBeside = 1.25;  // tiles a processor
    struct Candidate {
      Tile tile;
      double rate;
    };
    const std::array candidates = {Candidate{{kSide, kSide, kEight, kEight}, 1},
                                   Candidate{{kSide / 2, kSide / 2, kEight, kEight}, 0.9},
                                   Candidate{{kSide, kSide / 2, c_.kLanes, kEight}, 0.75}};
    if (c_.target.lanes_of(DType::Float32) < c_.kLanes) return {};
    std::optional<Tile> best;
    double most = 0;
    for (const auto& [t, rate] : candidates) {
      const bool alone = t.work_items_across * t.work_items_down <= kSide * kSide / 4 &&
                         tiles(t) < kBeside * c_.target.threads;
      const double now = used(t) * rate * (alone ? 0.5 : 1);
      if (c_.group < t.work_items_across * t.work_items_down || n_ < t.across() || m_ < t.down() ||
          !fits_registers(t) || !fills_machine(t) || now <= most)
        continue;
      best = t;
      most = now;
    }
    return best;
  }

  Tile choose() const {
    if (const std::optional<Tile> best = best_of_eight()) return *best;
    Tile t;
    constexpr int64_t kEach = 4;
    t.each_across = vector_ ? c_.kLanes : n_ >= 2 * kSide ? 2 : 1;
    t.each_down = m_ >= kEach * 4 ? kEach : 1;
    const int64_t side =
        std::max<int64_t>(1, c_.group >= kSide * kSide ? kSide : power_of_two_up_to(c_.group) / 4);
    t.work_items_across = power_of_two_up_to(std::min(side, n_ / t.each_across));
    t.work_items_down = std::min(
        side, power_of_two_up_to(std::min(c_.group / t.work_items_across, m_ / t.each_down)));
    if (!fills_machine(t)) t.each_down = 1;
    return t;
  }

  bool add_tile(int b, int64_t size, bool vector) {
    if (c_.extent(b) <= size) return size > 1;
    const bool whole = c_.extent(b) % size == 0;
    opt_tile(s_, b, size, loop_of(s_, b), whole ? Tail::None : vector ? Tail::Peel : Tail::Mask);
    return true;
  }

  // Neighbours have neighbouring rows: then scratch gives them both at once. Where rows lie
  // together in memory, a work-item has some together, which it reads as a vector.
  void tile_down(const Tile& t) {
    if (!add_tile(p_.down, t.down(), false)) return;
    const bool together = t.each_down > c_.kLanes && is_contiguous(p_.down);
    const int64_t inner = together ? c_.kLanes : 1;
    if (together) opt_unroll(s_, p_.down, inner, Tail::None);
    if (t.work_items_down > 1) opt_local(s_, p_.down, t.work_items_down, Tail::None);
    if (t.each_down > inner) opt_unroll(s_, p_.down, t.each_down / inner, Tail::None);
  }

  bool is_contiguous(int b) const {
    return std::ranges::any_of(c_.facts.accesses, [&](const AccessFacts& a) {
      return !a.store && (a.access == p_.x || a.access == p_.y) &&
             a.stride[static_cast<size_t>(b)] == 1;
    });
  }

  // Neighbours have neighbouring vectors; a work-item's vectors lie a row of work-items apart.
  void tile_across(const Tile& t) {
    if (!add_tile(p_.across, t.across(), vector_)) return;
    if (vector_) opt_vector(s_, p_.across, c_.kLanes, Tail::None);
    if (t.work_items_across > 1) opt_local(s_, p_.across, t.work_items_across, Tail::None);
    const int64_t rest = vector_ ? t.each_across / c_.kLanes : t.each_across;
    if (rest > 1) opt_unroll(s_, p_.across, rest, Tail::None);
  }

  const WorkItemsChoice& c_;
  const WorkItemsProduct& p_;
  KernelSchedule& s_;
  const int64_t n_, m_;
  bool vector_;
};

int64_t work_items_of(const KernelSchedule& s) {
  int64_t work_items = 1;
  for (const Axis& a : s.axes) work_items *= a.kind == Kind::Local ? a.extent : 1;
  return work_items;
}

}  // namespace

std::optional<WorkItemsProduct> find_product(const WorkItemsChoice& c) {
  const auto factors = c.factors();
  if (!factors) return std::nullopt;
  const auto [x, y] = *factors;
  const auto at = [](int b) { return static_cast<size_t>(b); };
  const auto only = [&](const AccessFacts* a, const AccessFacts* b) {
    return c.best_base([&](int i) {
      return c.is_par(i) && !c.ordered(i) && a->depends[at(i)] && !b->depends[at(i)];
    });
  };
  WorkItemsProduct p{only(x, y), only(y, x), -1, x->access, y->access};
  if (p.across < 0 || p.down < 0) return std::nullopt;
  if (c.unit_score(p.across) < c.unit_score(p.down)) std::swap(p.across, p.down);
  for (int b = 0; b < c.n_bases(); ++b) {
    const bool both = !c.is_par(b) && x->depends[at(b)] && y->depends[at(b)];
    if (both && (p.reduced < 0 || c.extent(b) > c.extent(p.reduced))) p.reduced = b;
  }
  if (c.extent(p.across) < kSmallest || c.extent(p.down) < kSmallest) return std::nullopt;
  return p;
}

void tile_product(const WorkItemsChoice& c, const WorkItemsProduct& p, bool vector, bool staged,
                  KernelSchedule& s) {
  Tiler(c, p, vector, staged, s).run();
  for (const int64_t unrolled : {kStep, kUnrolled}) {
    if (p.reduced < 0 || c.extent(p.reduced) % unrolled != 0 || c.extent(p.reduced) <= unrolled)
      continue;
    opt_unroll(s, p.reduced, unrolled, Tail::None);
    return;
  }
}

void stage_product(const WorkItemsChoice& c, const WorkItemsProduct& p, int depth,
                   KernelSchedule& s) {
  constexpr int64_t kFewest = 64;  // work-items that are worth copying for
  const auto refuse = [](const char* why) { user_error<ArgumentError>("STAGE", why); };
  if (p.reduced < 0 || c.extent(p.reduced) < 2 * kStep || work_items_of(s) < kFewest)
    refuse("the operands are read too seldom");
  int64_t unrolled = 1;
  for (const Axis& a : s.axes)
    unrolled *= a.base == p.reduced && a.kind == Kind::Unroll ? a.extent : 1;
  const auto is_loop = [](const Axis& a) { return a.kind == Kind::Serial; };
  const auto first = std::ranges::find_if(s.axes, is_loop);
  if (first == s.axes.end()) refuse("no loop is left that the copy could stand in");
  const int at = static_cast<int>(first - s.axes.begin());
  int loops = loop_count(s);
  if (unrolled < kStep) {
    const bool whole = c.extent(p.reduced) % kStep == 0;
    opt_tile(s, p.reduced, kStep / unrolled, at, whole ? Tail::None : Tail::Peel);
    int inner = loops;
    while (s.axes[static_cast<size_t>(inner)].base != p.reduced) --inner;
    if (inner != loops) opt_move(s, inner, loops);
  }
  // Of several loops over terms the longest has the steps that are copied ahead: each begin of it
  // waits for memory.
  const auto extent_of = [](const Axis& a) { return a.extent; };
  const auto longest =
      std::ranges::max_element(s.axes.begin() + at, s.axes.begin() + loops, {}, extent_of);
  const int from = static_cast<int>(longest - s.axes.begin());
  if (from != loops - 1) opt_move(s, from, loops - 1);
  if (depth > 1 && s.axes[static_cast<size_t>(loops - 1)].extent <= depth)
    refuse("there are too few steps to copy ahead");
  stage_operands(p, loops - 1, depth, s);
}

void stage_operands(const WorkItemsProduct& p, int loop, int depth, KernelSchedule& s) {
  for (const UOp& operand : {p.x, p.y}) opt_stage(s, {operand, loop + 1, depth});
}

}  // namespace tg

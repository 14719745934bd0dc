// Products by a matrix unit: a subgroup makes some tiles of the unit, a group of subgroups a larger
// tile of outputs, in steps over the reduced axis whose operands all work-items copy to scratch.
// Sizes follow from the unit's and the target's; axes that they do not divide are masked.
#include <cmath>

#include "codegen/work_items_choice.h"
#include "support/check.h"

namespace tg {
namespace {

constexpr int64_t kSubgroupRows = 64, kSubgroupColumns = 64;  // of outputs, where there are as many
constexpr int64_t kSubgroupsDown = 2, kSubgroupsAcross = 2;

// Along one axis: tiles of the unit that a subgroup makes, and subgroups.
struct Side {
  int64_t unit, each, groups;

  int64_t size() const { return unit * each * groups; }
  bool may_halve() const { return each * groups > 1; }
  // Tiles that a subgroup makes share their operands, so some of them are kept longest.
  void halve() {
    const bool by_groups = groups > 2 || (groups > 1 && each <= 2);
    (by_groups ? groups : each) /= 2;
  }
};

struct UnitTile {
  Side m, n;
  int64_t subgroups() const { return m.groups * n.groups; }
};

class UnitTiler {
 public:
  UnitTiler(const WorkItemsChoice& c, const WorkItemsProduct& p, const MatrixUnit& unit)
      : c_(c), p_(p), unit_(unit), m_(c.extent(p.down)), n_(c.extent(p.across)) {}

  UnitTile choose() const {
    if (unit_.reads_scratch) return fastest();
    UnitTile t{{unit_.m, std::max<int64_t>(1, kSubgroupRows / unit_.m), kSubgroupsDown},
               {unit_.n, std::max<int64_t>(1, kSubgroupColumns / unit_.n), kSubgroupsAcross}};
    while (t.subgroups() * unit_.lanes() > c_.group && t.subgroups() > 1)
      (t.m.groups >= t.n.groups ? t.m : t.n).groups /= 2;
    while (!fits_registers(t)) (t.m.each >= t.n.each ? t.m : t.n).each /= 2;
    while (t.m.may_halve() && t.m.size() / 2 >= m_) t.m.halve();
    while (t.n.may_halve() && t.n.size() / 2 >= n_) t.n.halve();
    while (!fills_machine(t)) {
      Side& longer = t.m.size() >= t.n.size() ? t.m : t.n;
      if (longer.each * longer.groups <= 2) break;
      longer.halve();
    }
    return t;
  }

  // Of a unit that reads its factors from scratch: one or two tiles of it for a group, below each
  // other, so that they share a factor.
  UnitTile fastest() const {
    UnitTile two{{unit_.m, 1, kSubgroupsDown}, {unit_.n, 1, 1}}, one = two;
    one.m.groups = 1;
    const bool fits = two.subgroups() * unit_.lanes() <= c_.group;
    return !fits || seconds(one) < seconds(two) ? one : two;
  }

  // Time for all tiles, in that of one of 128 rows and 256 columns: the rounds that the machine
  // takes, and a tile's time for its products, for its factors' copies and for each step whatever
  // its size. Fitted to an H100, where tiles of 128×128 reach three quarters of the rate.
  double seconds(const UnitTile& t) const {
    constexpr double kFullRows = 128, kFullColumns = 256;
    constexpr double kProducts = 0.55, kCopies = 0.2, kStep = 0.25;
    const double all = static_cast<double>(c_.planes(p_.across, p_.down) * tiles(m_, t.m.size()) *
                                           tiles(n_, t.n.size()));
    const double rows = static_cast<double>(t.m.size()) / kFullRows,
                 columns = static_cast<double>(t.n.size()) / kFullColumns;
    const double tile = kProducts * rows * columns + kCopies * (rows + 2 * columns) / 3 + kStep;
    return std::ceil(all / std::max(1, c_.target.threads)) * tile;
  }

 private:
  static int64_t tiles(int64_t extent, int64_t size) { return (extent + size - 1) / size; }

  bool fills_machine(const UnitTile& t) const {
    return c_.planes(p_.across, p_.down) * tiles(m_, t.m.size()) * tiles(n_, t.n.size()) >=
           c_.target.threads;
  }

  // Running values and operands of a step; three eighths are for addresses and copies.
  bool fits_registers(const UnitTile& t) const {
    const int64_t bytes =
        t.m.each * t.n.each * unit_.c.registers() * dtype_size(unit_.sum) +
        (t.m.each * unit_.a.registers() + t.n.each * unit_.b.registers()) * dtype_size(unit_.input);
    return t.m.each * t.n.each == 1 ||
           8 * bytes <= 5 * int64_t{c_.target.vector_registers} * c_.target.vector_bytes;
  }

  const WorkItemsChoice& c_;
  const WorkItemsProduct& p_;
  const MatrixUnit& unit_;
  const int64_t m_, n_;
};

void cut(const WorkItemsChoice& c, int b, int64_t size, KernelSchedule& s) {
  if (c.extent(b) == size) return;
  opt_tile(s, b, size, loop_of(s, b), c.extent(b) % size == 0 ? Tail::None : Tail::Mask);
}

void share(int b, const Side& side, KernelSchedule& s) {
  if (side.each > 1) opt_unroll(s, b, side.each, Tail::None);
  if (side.groups > 1) opt_local(s, b, side.groups, Tail::None);
}

}  // namespace

double unit_seconds(const WorkItemsChoice& c, const WorkItemsProduct& p, const MatrixUnit& unit) {
  const UnitTiler tiler(c, p, unit);
  return tiler.seconds(tiler.fastest());
}

void tile_unit_product(const WorkItemsChoice& c, const WorkItemsProduct& p, const MatrixUnit& unit,
                       int64_t step, KernelSchedule& s) {
  if (p.reduced < 0 || c.extent(p.reduced) < unit.k)
    user_error<ArgumentError>("TC", "there are too few terms");
  const UnitTile t = UnitTiler(c, p, unit).choose();
  cut(c, p.down, t.m.size(), s);
  cut(c, p.across, t.n.size(), s);
  if (step > 0) {
    if (step < unit.k || c.extent(p.reduced) < 2 * step)
      user_error<ArgumentError>("STAGE", "the operands are read too seldom");
    const bool whole = c.extent(p.reduced) % step == 0;
    if (unit.reads_scratch && !whole)
      user_error<ArgumentError>("TC", "the unit would add up terms behind the last");
    opt_tile(s, p.reduced, step, loop_of(s, p.reduced), whole ? Tail::None : Tail::Peel);
  }
  opt_matrix(s, unit, {p.down, p.across, p.reduced}, Tail::Mask);
  if (step > unit.k) opt_unroll(s, p.reduced, step / unit.k, Tail::None);
  share(p.down, t.m, s);
  share(p.across, t.n, s);
}

void stage_unit_product(const WorkItemsProduct& p, int depth, KernelSchedule& s) {
  int at = 0;
  while (s.axes[static_cast<size_t>(at)].kind == Kind::Thread) ++at;
  const int steps = loop_of(s, p.reduced);
  if (steps < at)
    user_error<ArgumentError>("STAGE", "no loop is left that the copy could stand in");
  if (steps != at) opt_move(s, steps, at);
  constexpr int64_t kTurns = 2;  // of the copies that are kept: what is copied in vain is a share
  if (depth > 1 && s.axes[static_cast<size_t>(at)].extent < kTurns * depth)
    user_error<ArgumentError>("STAGE", "there are too few steps to copy ahead");
  stage_operands(p, at, depth, s);
}

}  // namespace tg

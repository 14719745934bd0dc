// The Opts: splits of axes and moves in the loop order. See kernel_schedule.h; the legality of
// moving a reduction outside parallel loops is unconditional here, because lowering keeps such
// accumulators in scratch memory.
#include "kernel/kernel_schedule.h"

#include <algorithm>
#include <bit>

#include "kernel/affine.h"
#include "rules/index.h"
#include "support/check.h"
#include "tg/ir/function_ref.h"
#include "tg/ir/walk.h"

namespace tg {
namespace {

std::string base_name(const KernelSchedule& s, int base) {
  return fmt::format("r{}", s.bases[static_cast<size_t>(base)].range.arg(0));
}

bool is_loop(const Axis& a) { return a.kind == Kind::Serial || a.kind == Kind::Thread; }

int count_loops(const KernelSchedule& s) {
  return static_cast<int>(std::ranges::count_if(s.axes, is_loop));
}

int innermost_serial(const KernelSchedule& s, int base) {
  int found = -1;
  for (size_t i = 0; i < s.axes.size(); ++i) {
    const Axis& a = s.axes[i];
    if (a.base != base || a.kind != Kind::Serial) continue;
    if (found < 0 || a.stride < s.axes[static_cast<size_t>(found)].stride)
      found = static_cast<int>(i);
  }
  return found;
}

[[noreturn]] void illegal(const char* opt, const std::string& why) {
  user_error<ArgumentError>(opt, why);
}

constexpr int64_t kMaxTile = int64_t{1} << 40;
constexpr int kMaxLanes = 64;
constexpr int64_t kMaxWorkItems = 1 << 16;

void check_base(const KernelSchedule& s, const char* opt, int base) {
  const int n = static_cast<int>(s.bases.size());
  if (base < 0 || base >= n) illegal(opt, fmt::format("range {} of {}", base, n));
}

void check_unrolled(const KernelSchedule& s, const char* opt) {
  const int64_t points = unrolled_points(s);
  if (points > kMaxUnrolled)
    illegal(opt, fmt::format("{} unrolled points, of {} allowed", points, kMaxUnrolled));
}

// Splits axis `at` into (outer, inner of `size`) and returns the inner axis, which is not yet in
// the table. A remainder is allowed only in the outermost digit, and only once a base.
Axis split_axis(KernelSchedule& s, const char* opt, int at, int64_t size, Tail tail) {
  Axis& axis = s.axes[static_cast<size_t>(at)];
  BaseRange& base = s.bases[static_cast<size_t>(axis.base)];
  if (size < 1 || size > kMaxTile / axis.stride)
    illegal(opt, fmt::format("size {} of {}", size, base_name(s, axis.base)));
  if (base.tile != 0 && axis.stride == base.tile &&
      (base.tail == Tail::Peel || base.tail == Tail::Shift)) {
    illegal(opt, fmt::format("the loop of {} ends in a smaller tile and cannot be split",
                             base_name(s, axis.base)));
  }
  if (axis.extent % size != 0) {
    const bool outermost = s.digits(axis.base).front() == at;
    const bool first = base.tile == 0 && outermost;
    if (!first)
      illegal(opt, fmt::format("{} does not divide {} of {}", size, axis.extent,
                               base_name(s, axis.base)));
    if (tail == Tail::Shift && (base.role == Role::Red || base.extent < size * axis.stride)) {
      illegal(opt, fmt::format("shift needs a parallel axis of at least {}", size * axis.stride));
    }
    base.tail = tail;
    base.tile = size * axis.stride;
  }
  Axis inner{axis.base, axis.stride, size, axis.kind};
  axis.extent = (axis.extent + size - 1) / size;
  axis.stride *= size;
  return inner;
}

// With the tail that the base has behind the Opt: what divides leaves none.
void record(KernelSchedule& s, Opt::Kind kind, int base, int64_t size, int at = 0) {
  s.opts.push_back({.kind = kind,
                    .bases = {base},
                    .size = size,
                    .at = at,
                    .tail = s.bases[static_cast<size_t>(base)].tail});
}

// Threads stay outermost, and the loop that peels a smaller last tile stays outside the other loops
// of its base, which that tile shortens.
void check_order(const KernelSchedule& s, const char* opt) {
  bool serial = false;
  for (size_t i = 0; i < s.axes.size(); ++i) {
    const Axis& a = s.axes[i];
    const BaseRange& b = s.bases[static_cast<size_t>(a.base)];
    if (a.kind == Kind::Thread && serial) illegal(opt, "a loop would stand outside the threads");
    serial = serial || a.kind == Kind::Serial;
    if (b.tail != Tail::Peel || a.stride != b.tile || !is_loop(a)) continue;
    for (size_t j = 0; j < i; ++j) {
      if (s.axes[j].base == a.base && is_loop(s.axes[j]))
        illegal(opt, fmt::format("the peeled loop of {} would stand inside its tile",
                                 base_name(s, a.base)));
    }
  }
}

// Loops of extent 1 carry no information once their base has another digit.
void drop_unit_loops(KernelSchedule& s) {
  std::erase_if(s.axes, [&](const Axis& a) {
    return a.extent == 1 && a.kind == Kind::Serial && s.digits(a.base).size() > 1;
  });
}

}  // namespace

const char* tail_name(Tail t) {
  switch (t) {
    case Tail::None:
      return "none";
    case Tail::Peel:
      return "peel";
    case Tail::Shift:
      return "shift";
    case Tail::Mask:
      return "mask";
    case Tail::Absorb:
      return "absorb";
  }
  return "?";
}

int KernelSchedule::find_base(const UOp& range) const {
  for (size_t i = 0; i < bases.size(); ++i) {
    if (bases[i].range == range) return static_cast<int>(i);
  }
  return -1;
}

std::vector<int> KernelSchedule::digits(int base) const {
  std::vector<int> d;
  for (size_t i = 0; i < axes.size(); ++i) {
    if (axes[i].base == base) d.push_back(static_cast<int>(i));
  }
  std::ranges::sort(d, [&](int a, int b) {
    return axes[static_cast<size_t>(a)].stride > axes[static_cast<size_t>(b)].stride;
  });
  return d;
}

std::string text_of(const KernelSchedule& s, const Opt& opt) {
  const auto base = [&](size_t i) { return base_name(s, opt.bases[i]); };
  const auto sized = [&](const char* name) {
    return opt.tail == Tail::None
               ? fmt::format("{}({},{})", name, base(0), opt.size)
               : fmt::format("{}({},{},{})", name, base(0), opt.size, tail_name(opt.tail));
  };
  const bool par =
      opt.bases.size() == 1 && s.bases[static_cast<size_t>(opt.base())].role == Role::Par;
  switch (opt.kind) {
    case Opt::Kind::Order: {
      std::vector<std::string> names;
      for (size_t i = 0; i < opt.bases.size(); ++i) names.push_back(base(i));
      return fmt::format("ORDER({})", fmt::join(names, ","));
    }
    case Opt::Kind::Tile:
      return sized("TILE");
    case Opt::Kind::Move:
      return fmt::format("MOVE({},{})", opt.from, opt.at);
    case Opt::Kind::Unroll:
      return sized(par ? "UPCAST" : "UNROLL");
    case Opt::Kind::Vector:
      return sized(par ? "VECTOR" : "VREDUCE");
    case Opt::Kind::Thread:
      return fmt::format("THREAD({})", opt.size);
    case Opt::Kind::Local:
      return sized("LOCAL");
    case Opt::Kind::Group:
      return sized("GROUP");
    case Opt::Kind::Matrix:
      return fmt::format("TC({},{},{},{})", opt.unit->name, base(0), base(1), base(2));
    case Opt::Kind::SplitReduce:
      return fmt::format("SPLIT_REDUCE({},{},{})", base(0), opt.size, opt.at);
    case Opt::Kind::Stage: {
      const UOp array = staged_load(opt.operand).src(0);
      const std::string depth = opt.size > 1 ? fmt::format(",{}", opt.size) : "";
      return fmt::format("STAGE(p{},{}{})", array.is(Op::Param) ? array.arg(0) : -1, opt.at, depth);
    }
  }
  return "?";
}

std::string opts_text(const KernelSchedule& s) {
  std::vector<std::string> out;
  for (const Opt& opt : s.opts) out.push_back(text_of(s, opt));
  return out.empty() ? "plain" : fmt::format("{}", fmt::join(out, " "));
}

void apply_opt(KernelSchedule& s, const Opt& opt) {
  switch (opt.kind) {
    case Opt::Kind::Order:
      return opt_order(s, opt.bases);
    case Opt::Kind::Tile:
      return opt_tile(s, opt.base(), opt.size, opt.at, opt.tail);
    case Opt::Kind::Move:
      return opt_move(s, opt.from, opt.at);
    case Opt::Kind::Unroll:
      return opt_unroll(s, opt.base(), opt.size, opt.tail);
    case Opt::Kind::Vector:
      return opt_vector(s, opt.base(), static_cast<int>(opt.size), opt.tail);
    case Opt::Kind::Thread:
      return opt_thread(s, static_cast<int>(opt.size));
    case Opt::Kind::Local:
      return opt_local(s, opt.base(), opt.size, opt.tail);
    case Opt::Kind::Group:
      return opt_group(s, opt.base(), opt.size, opt.tail);
    case Opt::Kind::Matrix:
      return opt_matrix(s, *opt.unit, {opt.bases[0], opt.bases[1], opt.bases[2]}, opt.tail);
    case Opt::Kind::SplitReduce:
      return opt_split_reduce(s, opt.base(), opt.size, opt.at, opt.tail);
    case Opt::Kind::Stage:
      return opt_stage(s, {opt.operand, opt.at, static_cast<int>(opt.size)});
  }
}

std::vector<const Node*> running_ranges(const UOp& kernel) {
  std::vector<const Node*> out;
  for (const Node* n : toposort(kernel)) {
    for (const Node* r : ranges_along(n)) {
      if (std::ranges::find(out, r) == out.end()) out.push_back(r);
    }
  }
  return out;
}

KernelSchedule plain_schedule(const UOp& kernel) {
  KernelSchedule s;
  std::vector<BaseRange> reds;
  auto add = [&](const Node* r, Role role) {
    UOp range = UOp::share(r);
    auto& list = role == Role::Par ? s.bases : reds;
    for (const BaseRange& b : list) {
      if (b.range == range) return;
    }
    TG_CHECK(r->op == Op::Range && r->src()[0]->op == Op::Const, "loop over {}", op_name(r->op));
    list.push_back({range, r->src()[0]->arg()[0], role});
  };
  for (const Node* n : toposort(kernel)) {
    if (n->op != Op::End && n->op != Op::Reduce) continue;
    for (const Node* r : closed_ranges(n)) add(r, n->op == Op::End ? Role::Par : Role::Red);
  }
  // Ranges that some reduction depends on while others do not come first: its result is then
  // complete in one scope for all users.
  std::vector<const Node*> rows;
  for (const Node* n : toposort(kernel)) {
    if (n->op != Op::Reduce) continue;
    const std::vector<UOp> free = free_ranges(UOp::share(n));
    size_t parallel = 0;
    for (const UOp& r : free) parallel += s.find_base(r) >= 0;
    if (parallel == s.bases.size()) continue;
    for (const UOp& r : free) rows.push_back(r.node());
  }
  std::ranges::stable_partition(s.bases, [&](const BaseRange& b) {
    return std::ranges::find(rows, b.range.node()) != rows.end();
  });
  // What a running reduction goes along runs inside all others: one value is kept, not a row.
  const std::vector<const Node*> along = running_ranges(kernel);
  std::ranges::stable_partition(s.bases, [&](const BaseRange& b) {
    return std::ranges::find(along, b.range.node()) == along.end();
  });
  s.bases.insert(s.bases.end(), reds.begin(), reds.end());
  for (size_t i = 0; i < s.bases.size(); ++i) {
    s.axes.push_back({static_cast<int>(i), 1, s.bases[i].extent, Kind::Serial});
  }
  return s;
}

namespace {

void move_loop(KernelSchedule& s, int from, int to) {
  const int loops = count_loops(s);
  if (from < 0 || to < 0 || from >= loops || to >= loops)
    illegal("MOVE", fmt::format("loops {} and {} of {}", from, to, loops));
  KernelSchedule next = s;
  const Axis moved = s.axes[static_cast<size_t>(from)];
  next.axes.erase(next.axes.begin() + from);
  next.axes.insert(next.axes.begin() + to, moved);
  check_order(next, "MOVE");
  s.axes = std::move(next.axes);
}

}  // namespace

void opt_order(KernelSchedule& s, std::span<const int> bases) {
  std::vector<Axis> axes;
  for (int b : bases) {
    check_base(s, "ORDER", b);
    const std::vector<int> digits = s.digits(b);
    const bool whole =
        digits.size() == 1 && s.axes[static_cast<size_t>(digits.front())].kind == Kind::Serial;
    if (!whole) illegal("ORDER", fmt::format("{} is split already", base_name(s, b)));
    axes.push_back(s.axes[static_cast<size_t>(digits.front())]);
  }
  std::vector<int> sorted(bases.begin(), bases.end());
  std::ranges::sort(sorted);
  const bool twice = std::ranges::adjacent_find(sorted) != sorted.end();
  if (twice || bases.size() != s.axes.size())
    illegal("ORDER", fmt::format("{} ranges named of {}", bases.size(), s.axes.size()));
  s.axes = std::move(axes);
  s.opts.push_back({.kind = Opt::Kind::Order, .bases = {bases.begin(), bases.end()}});
}

void opt_tile(KernelSchedule& s, int base, int64_t size, int at, Tail tail) {
  check_base(s, "TILE", base);
  const int axis = innermost_serial(s, base);
  if (axis < 0) illegal("TILE", fmt::format("{} has no loop left", base_name(s, base)));
  if (size < 2) illegal("TILE", fmt::format("size {} of {}", size, base_name(s, base)));
  if (const int64_t extent = s.axes[static_cast<size_t>(axis)].extent;
      tail == Tail::Peel && extent < size) {
    illegal("TILE",
            fmt::format("no full tile of {} in {} of {}", size, extent, base_name(s, base)));
  }
  KernelSchedule tiled = s;
  Axis inner = split_axis(tiled, "TILE", axis, size, tail);
  tiled.axes.insert(tiled.axes.begin() + axis + 1, inner);
  move_loop(tiled, axis, at);
  record(tiled, Opt::Kind::Tile, base, size, at);
  s = std::move(tiled);
}

void opt_move(KernelSchedule& s, int from, int to) {
  move_loop(s, from, to);
  s.opts.push_back({.kind = Opt::Kind::Move, .from = from, .at = to});
}

int64_t unrolled_points(const KernelSchedule& s) {
  int64_t points = 1;
  for (const Axis& a : s.axes) points *= a.kind == Kind::Unroll ? a.extent : 1;
  return points;
}

void opt_unroll(KernelSchedule& s, int base, int64_t size, Tail tail) {
  check_base(s, "UNROLL", base);
  const char* name = s.bases[static_cast<size_t>(base)].role == Role::Par ? "UPCAST" : "UNROLL";
  const int axis = innermost_serial(s, base);
  if (axis < 0) illegal(name, fmt::format("{} has no loop left", base_name(s, base)));
  if (size > kMaxUnrolled)
    illegal(name, fmt::format("{} unrolled points, of {} allowed", size, kMaxUnrolled));
  KernelSchedule next = s;
  Axis inner = split_axis(next, name, axis, size, tail);
  inner.kind = Kind::Unroll;
  next.axes.push_back(inner);
  check_unrolled(next, name);
  record(next, Opt::Kind::Unroll, base, size);
  drop_unit_loops(next);
  s = std::move(next);
}

void opt_vector(KernelSchedule& s, int base, int lanes, Tail tail) {
  check_base(s, "VECTOR", base);
  if (lanes < 2 || lanes > kMaxLanes || (lanes & (lanes - 1)) != 0) {
    illegal("VECTOR", fmt::format("{} lanes, not a power of two from 2 to {}", lanes, kMaxLanes));
  }
  for (const Axis& a : s.axes) {
    if (a.base == base && a.kind != Kind::Serial)
      illegal("VECTOR", "lanes must be the innermost part of an axis");
  }
  const int axis = innermost_serial(s, base);
  if (axis < 0) illegal("VECTOR", fmt::format("{} has no loop left", base_name(s, base)));
  Axis inner = split_axis(s, "VECTOR", axis, lanes, tail);
  inner.kind = Kind::Vector;
  s.axes.push_back(inner);
  record(s, Opt::Kind::Vector, base, lanes);
  drop_unit_loops(s);
}

namespace {

void spread_over_work_items(KernelSchedule& s, Opt::Kind kind, int base, int64_t work_items,
                            Tail tail) {
  const char* opt = kind == Opt::Kind::Local ? "LOCAL" : "GROUP";
  if (work_items < 2 || work_items > kMaxWorkItems)
    illegal(opt, fmt::format("{} work-items, not 2 to {}", work_items, kMaxWorkItems));
  if (tail == Tail::Shift) illegal(opt, "work-items would store at one place");
  const int axis = innermost_serial(s, base);
  if (axis < 0) illegal(opt, fmt::format("{} has no loop left", base_name(s, base)));
  if (const int64_t extent = s.axes[static_cast<size_t>(axis)].extent;
      tail == Tail::Peel && extent < work_items) {
    illegal(opt,
            fmt::format("no full tile of {} in {} of {}", work_items, extent, base_name(s, base)));
  }
  Axis inner = split_axis(s, opt, axis, work_items, tail);
  inner.kind = Kind::Local;
  const auto lanes = std::ranges::find_if(
      s.axes, [](const Axis& a) { return a.kind == Kind::Local && a.unit_bit >= 0; });
  s.axes.insert(lanes, inner);
  record(s, kind, base, work_items);
  drop_unit_loops(s);
}

}  // namespace

void opt_local(KernelSchedule& s, int base, int64_t work_items, Tail tail) {
  check_base(s, "LOCAL", base);
  if (s.bases[static_cast<size_t>(base)].role != Role::Par)
    illegal("LOCAL", "needs a parallel axis");
  spread_over_work_items(s, Opt::Kind::Local, base, work_items, tail);
}

void opt_group(KernelSchedule& s, int base, int64_t work_items, Tail tail) {
  check_base(s, "GROUP", base);
  if (s.bases[static_cast<size_t>(base)].role != Role::Red)
    illegal("GROUP", "needs a reduced axis");
  spread_over_work_items(s, Opt::Kind::Group, base, work_items, tail);
}

namespace {

// Axes for neighbouring bits of a register's number, or a work-item's, that stand for neighbouring
// bits of an index, those of the highest bits first.
void add_unit_axes(KernelSchedule& s, std::span<const FragmentBit> bits,
                   FunctionRef<Kind(MatrixAxis)> kind_of, std::span<const Axis> inner) {
  for (size_t end = bits.size(); end > 0;) {
    size_t first = end - 1;
    while (first > 0 && bits[first - 1].axis == bits[first].axis &&
           bits[first - 1].bit + 1 == bits[first].bit)
      --first;
    const auto [axis, bit] = bits[first];
    const Axis& whole = inner[static_cast<size_t>(axis)];
    s.axes.push_back(
        {whole.base, whole.stride << bit, int64_t{1} << (end - first), kind_of(axis), bit});
    end = first;
  }
}

// Terms that lie together in the second factor have an axis of their own.
void add_term_axes(KernelSchedule& s, const MatrixUnit& unit, const Axis& k) {
  const int64_t together = unit.terms_together();
  if (together < k.extent) {
    s.axes.push_back({k.base, k.stride * together, k.extent / together, Kind::Unit,
                      std::countr_zero(static_cast<uint64_t>(together))});
  }
  s.axes.push_back({k.base, k.stride, together, Kind::Unit, 0});
}

}  // namespace

void opt_matrix(KernelSchedule& s, const MatrixUnit& unit, std::array<int, 3> bases, Tail tail) {
  constexpr MatrixAxis kAxes[] = {MatrixAxis::M, MatrixAxis::N, MatrixAxis::K};
  if (s.unit) illegal("TC", "the schedule has a matrix unit already");
  if (bases[0] == bases[1]) illegal("TC", "one axis is both rows and columns");
  if (tail == Tail::Shift) illegal("TC", "several work-items would store one element");
  KernelSchedule next = s;
  std::vector<Axis> inner;
  for (MatrixAxis axis : kAxes) {
    const int base = bases[static_cast<size_t>(axis)];
    check_base(s, "TC", base);
    const Role wanted = axis == MatrixAxis::K ? Role::Red : Role::Par;
    if (s.bases[static_cast<size_t>(base)].role != wanted)
      illegal("TC", fmt::format("{} is {}", base_name(s, base),
                                wanted == Role::Par ? "reduced" : "parallel"));
    const int at = innermost_serial(next, base);
    if (at < 0) illegal("TC", fmt::format("{} has no loop left", base_name(s, base)));
    if (tail == Tail::Peel && next.axes[static_cast<size_t>(at)].extent < unit.extent(axis))
      illegal("TC", fmt::format("no full tile of {} in {}", unit.extent(axis), base_name(s, base)));
    inner.push_back(split_axis(next, "TC", at, unit.extent(axis), tail));
  }
  add_term_axes(next, unit, inner.back());
  const auto of_register = [&](MatrixAxis axis) {
    return unit.is_of_one() && axis == MatrixAxis::N ? Kind::Vector : Kind::Unroll;
  };
  add_unit_axes(next, unit.c.reg, of_register, inner);
  add_unit_axes(
      next, unit.c.lane, [](MatrixAxis) { return Kind::Local; }, inner);
  check_unrolled(next, "TC");
  next.unit = UnitChoice{&unit, bases};
  next.opts.push_back({.kind = Opt::Kind::Matrix,
                       .bases = {bases.begin(), bases.end()},
                       .tail = tail,
                       .unit = &unit});
  drop_unit_loops(next);
  s = std::move(next);
}

void opt_thread(KernelSchedule& s, int count) {
  if (count < 1 || count > count_loops(s))
    illegal("THREAD", fmt::format("{} of {} loops", count, count_loops(s)));
  for (int i = 0; i < count; ++i) {
    if (s.bases[static_cast<size_t>(s.axes[static_cast<size_t>(i)].base)].role != Role::Par)
      illegal("THREAD", fmt::format("loop {} is not parallel", i));
  }
  int peeled = 0;
  for (int i = 0; i < count; ++i) {
    const Axis& a = s.axes[static_cast<size_t>(i)];
    const BaseRange& b = s.bases[static_cast<size_t>(a.base)];
    if (b.tail != Tail::Peel) continue;
    peeled += a.stride == b.tile;
    if (a.stride < b.tile || peeled > 1)
      illegal("THREAD",
              fmt::format("loop {} has a smaller last tile inside another thread loop", i));
  }
  for (int i = 0; i < count; ++i) s.axes[static_cast<size_t>(i)].kind = Kind::Thread;
  s.opts.push_back({.kind = Opt::Kind::Thread, .size = count});
}

void opt_split_reduce(KernelSchedule& s, int base, int64_t size, int at, Tail tail) {
  check_base(s, "SPLIT_REDUCE", base);
  if (s.bases[static_cast<size_t>(base)].role != Role::Red)
    illegal("SPLIT_REDUCE", "needs a reduced axis");
  opt_tile(s, base, size, at, tail);
  s.opts.back().kind = Opt::Kind::SplitReduce;
}

void opt_stage(KernelSchedule& s, Staging staging) {
  if (!staging.operand || !staged_load(staging.operand))
    illegal("STAGE", "only a load can be staged, or what is computed of loads point by point");
  // What the work-items of a group make together is inside all loops.
  const bool work_items =
      std::ranges::any_of(s.axes, [](const Axis& a) { return a.kind == Kind::Local; });
  if (staging.level < 0 || staging.level >= count_loops(s) + (s.unit || work_items ? 1 : 0))
    illegal("STAGE", fmt::format("level {} of {} loops", staging.level, count_loops(s)));
  if (staging.depth < 1 || staging.depth > kMaxStagedSteps)
    illegal("STAGE", fmt::format("copies of {} steps, of 1 to {}", staging.depth, kMaxStagedSteps));
  if (staging.depth > 1 && staging.level == 0)
    illegal("STAGE", "there are no steps outside all loops");
  for (const Staging& other : s.stages) {
    if (staged_load(other.operand) == staged_load(staging.operand))
      illegal("STAGE", "the load is staged already");
    const bool differ = other.level != staging.level || other.depth != staging.depth;
    if (other.depth > 1 && staging.depth > 1 && differ)
      illegal("STAGE", "copies of several steps are kept for one loop, equally many");
  }
  s.opts.push_back({.kind = Opt::Kind::Stage,
                    .size = staging.depth,
                    .at = staging.level,
                    .operand = staging.operand});
  s.stages.push_back(std::move(staging));
}

}  // namespace tg

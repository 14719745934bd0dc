// The terms, by scope (a reduction, a store): instructions, counted in slots of one vector
// multiply-add, in the innermost loop that each depends on; how long sums wait for themselves;
// registers that spill; copies; and bytes that cross each level of memory, by what the loops inside
// touch (footprints). What overlaps on a processor is not added: the longest counts whole, the rest
// for a part. Figures behind the constants: Zen 4 and Ice Lake, by the bench named in the header.
#include "codegen/schedule_time.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

#include "codegen/kernel_facts.h"
#include "kernel/affine.h"
#include "rules/index.h"
#include "tg/ir/walk.h"
#include "uop/shape.h"

namespace tg {
namespace {

constexpr double kScalar = 0.5;                    // of a slot: what is no vector
constexpr double kLoad = 1, kStore = 2;            // slots of a register
constexpr double kLaneLoad = 2, kLaneStore = 2.5;  // slots of a lane that is read by itself
constexpr double kUnaligned = 0.4;                 // slots more, where a vector crosses lines
constexpr double kGate = 0.5, kLoop = 1;
constexpr double kHidden = 0.25;  // share of the shorter terms that is not hidden by the longest
constexpr double kCycle = 0.3e-9;
constexpr double kLine = 64;                            // bytes
constexpr double kFits = 0.75;                          // of a cache, by what is kept on purpose
constexpr double kLevel2Bytes = 32, kLevel3Bytes = 14;  // a cycle and core, beyond level 1 and 2

double operation_cost(const Node* n) {
  switch (n->op) {
    case Op::FDiv:
      return 8;
    case Op::Sqrt:
      return 10;
    case Op::IDiv:
    case Op::Mod:
      return 20;
    case Op::Mul:
      return dtype_size(n->dtype) == 8 && !is_float(n->dtype) ? 3 : 1;
    case Op::Exp2:
    case Op::Log2:
    case Op::Sin:
      return 20;
    default:
      return in_group(n->op, kElementwise) ? 1 : 0;
  }
}

bool is_vector(Kind k) { return k == Kind::Vector || k == Kind::Local; }
bool is_loop(Kind k) { return k == Kind::Serial || k == Kind::Thread; }

bool has(uint64_t set, int base) { return base >= 0 && base < 64 && (set >> base & 1) != 0; }

}  // namespace

// The loops around a scope under a schedule, and what each base has inside them.
struct ScheduleTime::Nest {
  struct Loop {
    int base;
    double extent;
    int64_t stride;
  };
  std::vector<Loop> loops;       // outermost first
  std::vector<double> times;     // [p]: turns of what stands inside the first p loops
  std::vector<double> unrolled;  // by base: points that are values of their own
  std::vector<double> lanes;     // by base
  std::vector<int64_t> lane_stride, unroll_stride;

  Nest(const KernelSchedule& s, BaseSet path) {
    const size_t n = s.bases.size();
    unrolled.assign(n, 1);
    lanes.assign(n, 1);
    lane_stride.assign(n, 1);
    unroll_stride.assign(n, 1);
    times.push_back(1);
    for (const Axis& a : s.axes) {
      if (!has(path, a.base)) continue;
      const auto b = static_cast<size_t>(a.base);
      const double extent = turns(s.bases[b], a);
      if (is_loop(a.kind)) {
        loops.push_back({a.base, extent, a.stride});
        times.push_back(times.back() * extent);
      } else if (is_vector(a.kind)) {
        lanes[b] *= static_cast<double>(a.extent);
        lane_stride[b] = a.stride;
      } else {
        unrolled[b] *= static_cast<double>(a.extent);
        unroll_stride[b] = a.stride;
      }
    }
  }

  // A smaller last tile costs its share, and something for being another body.
  static double turns(const BaseRange& base, const Axis& a) {
    constexpr double kOtherBody = 0.3;
    if (base.tile == 0 || a.stride != base.tile) return static_cast<double>(a.extent);
    const double whole = static_cast<double>(base.extent) / static_cast<double>(base.tile);
    if (base.tail == Tail::Mask || base.tail == Tail::Absorb || base.tail == Tail::Shift)
      return std::ceil(whole);
    const double left = whole - std::floor(whole);
    return left == 0 ? whole : whole + kOtherBody * (1 - left);
  }

  // Loops around the place where a value that depends on these bases is made.
  size_t depth_of(BaseSet depends) const {
    size_t depth = 0;
    for (size_t i = 0; i < loops.size(); ++i) {
      if (has(depends, loops[i].base)) depth = i + 1;
    }
    return depth;
  }
  double points_of(BaseSet depends) const {
    double n = 1;
    for (size_t b = 0; b < unrolled.size(); ++b)
      n *= has(depends, static_cast<int>(b)) ? unrolled[b] : 1;
    return n;
  }
  double lanes_of(BaseSet depends) const {
    double n = 1;
    for (size_t b = 0; b < lanes.size(); ++b) n *= has(depends, static_cast<int>(b)) ? lanes[b] : 1;
    return n;
  }
  int lane_base(BaseSet depends) const {
    for (size_t b = 0; b < lanes.size(); ++b) {
      if (has(depends, static_cast<int>(b)) && lanes[b] > 1) return static_cast<int>(b);
    }
    return -1;
  }
};

ScheduleTime::ScheduleTime(const UOp& kernel, const Target& target)
    : target_(target), plain_(plain_schedule(kernel)) {
  for (const BaseRange& b : plain_.bases) extents_.push_back(b.extent);
  const std::vector<const Node*> order = toposort(kernel);
  for (const Node* n : order) {
    if (n->op == Op::Reduce || n->op == Op::Store) add_scope(n, order);
  }
}

void ScheduleTime::add_scope(const Node* root, const std::vector<const Node*>& order) {
  std::unordered_map<const Node*, bool> inside;  // whether it is computed, not only an index
  const auto bases_of = [&](const UOp& u) {
    BaseSet set = 0;
    for (const UOp& r : free_ranges(u)) {
      const int b = plain_.find_base(r);
      if (b >= 0 && b < 64) set |= BaseSet{1} << b;
    }
    return set;
  };
  Scope scope{.root = root, .bytes = static_cast<int>(dtype_size(root->dtype))};
  const UOp whole = UOp::share(root);
  const UOp value = root->op == Op::Reduce ? whole.src(0) : whole;
  scope.path = bases_of(value);
  if (root->op == Op::Reduce) {
    for (int i = 1; i < whole.n_src(); ++i) scope.closed |= bases_of(whole.src(i));
    scope.path |= scope.closed;
    scope.chained = value.is(Op::Mul) && is_float(value.dtype());
    scope.operations.push_back({scope.path, 1, scope.bytes});
  } else {
    scope.bytes = static_cast<int>(dtype_size(root->src()[0]->dtype));
  }
  inside[value.node()] = true;
  for (size_t i = order.size(); i-- > 0;) {
    const Node* n = order[i];
    const auto it = inside.find(n);
    if (it == inside.end() || (n != root && n->op == Op::Reduce)) continue;
    const bool access = n->op == Op::Load || n->op == Op::Store;
    const UOp u = UOp::share(n);
    if (access) {
      Access a{.node = n,
               .depends = bases_of(u),
               .bytes = static_cast<int>(dtype_size(n->src()[0]->dtype)),
               .elements = numel(n->src()[0]->shape()),
               .store = n->op == Op::Store,
               .gated = static_cast<bool>(gate_of(u))};
      std::vector<UOp> idx;
      for (int d = 0; d < u.src(0).ndim(); ++d) idx.push_back(u.src(1 + d));
      const Affine flat = flat_index(idx, u.src(0).shape());
      for (const BaseRange& b : plain_.bases) a.stride.push_back(coef_of(flat, b.range));
      for (const Affine::Term& t : flat.terms) {
        if (!t.term.is(Op::Range)) a.gathered |= bases_of(t.term);
      }
      scope.accesses.push_back(std::move(a));
    } else if (it->second && n->dtype != DType::Index) {
      const bool fused = scope.chained && n == value.node();
      if (const double cost = fused ? 0 : operation_cost(n); cost > 0)
        scope.operations.push_back(
            {bases_of(u), cost,
             static_cast<int>(std::max<size_t>(1, static_cast<size_t>(dtype_size(n->dtype))))});
    }
    const int rank = access ? n->src()[0]->n_dim : 0;
    for (size_t k = 0; k < n->n_src; ++k) {
      const Node* s = n->src()[k];
      const bool index = access && k >= 1 && k <= static_cast<size_t>(rank);
      if (access && k == 0) continue;
      inside[s] = inside[s] || (it->second && !index);
    }
  }
  scopes_.push_back(std::move(scope));
}

double ScheduleTime::access_slots(const Access& a, const Nest& nest, bool staged) const {
  const double registers_bytes = static_cast<double>(target_.vector_bytes);
  const int b = nest.lane_base(a.depends);
  double each = a.store ? kStore : kLoad;
  if (b < 0) {
    each *= kScalar;
  } else {
    const auto at = static_cast<size_t>(b);
    const double lanes = nest.lanes[at];
    const double registers = std::max(1.0, lanes * a.bytes / registers_bytes);
    const int64_t step = std::abs(a.stride[at] * nest.lane_stride[at]);
    const bool gather = has(a.gathered, b);
    if (staged || (!gather && step == 1)) {
      each *= registers;
      if (!staged) each += kUnaligned * registers;
    } else if (!gather && step <= 4 && !a.store) {
      each *= registers * static_cast<double>(3 * step - 1);
    } else {
      double turned = 0;  // squares that are transposed in registers
      for (size_t u = 0; u < nest.unrolled.size(); ++u) {
        if (u != at && a.stride[u] * nest.unroll_stride[u] == 1 && nest.unrolled[u] >= lanes)
          turned = registers * (each + std::log2(lanes));
      }
      each = turned > 0 ? turned : lanes * (a.store ? kLaneStore : kLaneLoad);
    }
  }
  if (a.gated && !staged) each += kGate;
  // Windows of unrolled bases that step alike overlap.
  double points = 1;
  std::vector<bool> counted(nest.unrolled.size());
  for (size_t u = 0; u < nest.unrolled.size(); ++u) {
    if (counted[u] || nest.unrolled[u] == 1 || !has(a.depends, static_cast<int>(u))) continue;
    double places = nest.unrolled[u];
    for (size_t v = u + 1; v < nest.unrolled.size(); ++v) {
      if (nest.unrolled[v] == 1 || a.stride[u] == 0 || a.stride[u] != a.stride[v]) continue;
      places += nest.unrolled[v] - 1;
      counted[v] = true;
    }
    points *= places;
  }
  return each * points * nest.times[nest.depth_of(a.depends)];
}

double ScheduleTime::slots_of(const Scope& scope, const Nest& nest, const KernelSchedule& s) const {
  const double width = static_cast<double>(target_.vector_bytes);
  const auto registers = [&](double lanes, int bytes) {
    return lanes > 1 ? std::max(1.0, lanes * bytes / width) : kScalar;
  };
  double arithmetic = 0, memory = 0;
  for (const Operation& o : scope.operations) {
    arithmetic += o.cost * registers(nest.lanes_of(o.depends), o.bytes) *
                  nest.points_of(o.depends) * nest.times[nest.depth_of(o.depends)];
  }
  for (const Access& a : scope.accesses) {
    const bool staged = std::ranges::any_of(
        s.stages, [&](const Staging& st) { return staged_load(st.operand).node() == a.node; });
    memory += access_slots(a, nest, staged);
  }
  double waiting = 0, spilled = 0;
  const double turns = nest.times.back();
  if (scope.closed != 0) {
    const BaseSet results = scope.path & ~scope.closed;
    const double each = registers(nest.lanes_of(scope.path), scope.bytes);
    const double sums = nest.points_of(results) * std::max(1.0, each);
    // Sums that are kept in memory, because a loop over results stands inside the sum's.
    size_t first_closed = nest.loops.size(), last_result = 0;
    for (size_t i = 0; i < nest.loops.size(); ++i) {
      if (has(scope.closed, nest.loops[i].base)) {
        first_closed = std::min(first_closed, i);
      } else {
        last_result = i + 1;
      }
    }
    const bool in_memory = last_result > first_closed;
    if (in_memory) memory += nest.times[last_result] * sums * (kLoad + kStore);
    const bool carried = !in_memory || last_result < nest.loops.size();
    const double slot =
        2 * static_cast<double>(target_.vector_bytes / 4) / target_.flops_per_second;
    const double chain = scope.chained ? nest.points_of(scope.closed) : 1;
    if (carried) waiting = turns * chain * target_.fma_latency * kCycle / slot;
    // One register too many, and the allocator spills a good part of the sums.
    constexpr double kOthers = 5, kSpilledToo = 0.35;
    const double over = sums + kOthers - target_.vector_registers;
    if (over > 0) spilled = turns * (over + kSpilledToo * sums) * (kLoad + kStore);
    const double across = nest.lanes_of(scope.closed);
    if (across > 1)
      arithmetic +=
          nest.times[nest.depth_of(results)] * nest.points_of(results) * 2 * std::log2(across);
  }
  const double longest = std::max({arithmetic, memory + spilled, waiting});
  double loops = 0;
  for (size_t i = 1; i < nest.times.size(); ++i) loops += nest.times[i] * kLoop;
  return longest + kHidden * (arithmetic + memory + spilled + waiting - longest + loops);
}

// Each copy is made in the innermost of the loops outside it on which it depends.
double ScheduleTime::copy_slots(const Scope& scope, const Nest& nest,
                                const KernelSchedule& s) const {
  constexpr double kContiguous = 3, kTurned = 8;  // slots of a register
  double slots = 0;
  for (const Staging& st : s.stages) {
    const auto a = std::ranges::find(scope.accesses, staged_load(st.operand).node(), &Access::node);
    if (a == scope.accesses.end()) continue;
    const auto level = static_cast<size_t>(st.level);
    const size_t depth = nest.depth_of(a->depends);
    double times = 1;
    size_t at = 0;
    for (size_t i = 0; i < s.axes.size() && i < level && at < nest.loops.size(); ++i) {
      if (s.axes[i].base != nest.loops[at].base) continue;
      ++at;
      if (at <= depth && has(a->depends, nest.loops[at - 1].base)) times = nest.times[at];
    }
    const int lane = nest.lane_base(a->depends);
    const bool turned = lane >= 0 && a->stride[static_cast<size_t>(lane)] != 1;
    const double registers = static_cast<double>(staged_elements(s, st)) * a->bytes /
                             static_cast<double>(target_.vector_bytes);
    slots += times * registers * (turned ? kTurned : kContiguous);
  }
  return slots;
}

// Bytes of memory that the access touches inside the first `depth` loops, whole lines.
double ScheduleTime::footprint(const Access& a, const Nest& nest, size_t depth) const {
  struct Run {
    double step, count;
  };
  std::vector<Run> runs;
  double scattered = 1;
  for (size_t b = 0; b < extents_.size(); ++b) {
    if (!has(a.depends, static_cast<int>(b))) continue;
    double count = nest.unrolled[b] * nest.lanes[b];
    int64_t least = 1;
    for (size_t i = depth; i < nest.loops.size(); ++i) {
      if (nest.loops[i].base != static_cast<int>(b)) continue;
      count *= nest.loops[i].extent;
      if (count == nest.loops[i].extent) least = nest.loops[i].stride;
    }
    count = std::min(count, static_cast<double>(extents_[b]));
    if (count <= 1) continue;
    if (has(a.gathered, static_cast<int>(b))) {
      scattered *= count;
    } else if (a.stride[b] != 0) {
      runs.push_back({static_cast<double>(std::abs(a.stride[b] * least)), count});
    }
  }
  std::ranges::sort(runs, {}, &Run::step);
  const double in_line = kLine / a.bytes;
  double run = 1, rows = scattered;
  for (const Run& r : runs) {
    if (rows == scattered && r.step <= std::max(run, in_line)) {
      run = r.step * (r.count - 1) + run;
    } else {
      rows *= r.count;
    }
  }
  const double bytes = rows * std::max(kLine, run * a.bytes);
  return std::min(bytes, std::max(kLine, static_cast<double>(a.elements) * a.bytes));
}

// Bytes in a row that are read or written before the next ones lie elsewhere: loops from the
// innermost out, as long as each goes on where the one inside it ended.
double ScheduleTime::run_bytes(const Access& a, const Nest& nest) const {
  double run = 1;
  for (size_t b = 0; b < extents_.size(); ++b) {
    const double points = nest.lanes[b] * nest.unrolled[b];
    if (points > 1 && std::abs(a.stride[b]) <= 4 && a.stride[b] != 0)
      run *= points * static_cast<double>(std::abs(a.stride[b]));
  }
  for (size_t i = nest.loops.size(); i-- > 0;) {
    const Nest::Loop& loop = nest.loops[i];
    if (!has(a.depends, loop.base)) continue;
    if (has(a.gathered, loop.base)) break;
    const auto b = static_cast<size_t>(loop.base);
    const double step = static_cast<double>(std::abs(a.stride[b] * loop.stride));
    if (step > 1.5 * run) break;
    run = std::max(run, step * loop.extent);
  }
  return std::max(run * a.bytes, kLine);
}

double ScheduleTime::traffic_seconds(const Scope& scope, const Nest& nest,
                                     const KernelSchedule& s) const {
  struct Level {
    double bytes, bytes_per_second;
    double jump;  // bytes that could have been moved while a new place is looked for
  };
  double threads = 1;
  for (const Axis& a : s.axes)
    threads *= a.kind == Kind::Thread ? static_cast<double>(a.extent) : 1;
  threads = std::clamp(threads, 1.0, static_cast<double>(std::max(1, target_.threads)));
  const std::array levels = {
      Level{static_cast<double>(target_.l1_bytes), kLevel2Bytes / kCycle * threads, 64},
      Level{static_cast<double>(target_.l2_bytes), kLevel3Bytes / kCycle * threads, 256},
      Level{static_cast<double>(target_.l3_bytes), target_.bytes_per_second, 2048}};
  std::vector<const Access*> distinct;
  for (const Access& a : scope.accesses) {
    const bool known = std::ranges::any_of(distinct, [&](const Access* d) {
      return d->node->src()[0] == a.node->src()[0] && d->stride == a.stride &&
             d->depends == a.depends && d->store == a.store;
    });
    if (!known) distinct.push_back(&a);
  }
  std::vector<std::vector<double>> touched(distinct.size());
  std::vector<double> total(nest.loops.size() + 1, 0);
  for (size_t i = 0; i < distinct.size(); ++i) {
    for (size_t d = 0; d <= nest.loops.size(); ++d) {
      touched[i].push_back(footprint(*distinct[i], nest, d));
      total[d] += touched[i].back();
    }
  }
  double longest = 0, all = 0;
  for (const Level& level : levels) {
    size_t depth = 0;
    while (depth < nest.loops.size() && total[depth] > kFits * level.bytes) ++depth;
    if (depth == 0) continue;  // it is there from the launch before
    double bytes = 0;
    for (size_t i = 0; i < distinct.size(); ++i) {
      size_t last = 0;
      for (size_t l = 0; l < depth; ++l) {
        if (has(distinct[i]->depends, nest.loops[l].base)) last = l + 1;
      }
      const double run = run_bytes(*distinct[i], nest);
      bytes += nest.times[last] * touched[i][depth] * (distinct[i]->store ? 2 : 1) *
               (run + level.jump) / run;
    }
    const double seconds = bytes / level.bytes_per_second;
    longest = std::max(longest, seconds);
    all += seconds;
  }
  return longest + kHidden * (all - longest);
}

double ScheduleTime::seconds_of(const KernelSchedule& s) const {
  double chunks = 1;
  for (const Axis& a : s.axes) chunks *= a.kind == Kind::Thread ? static_cast<double>(a.extent) : 1;
  const double threads = std::max(1, target_.threads);
  const double at_once = chunks / std::ceil(chunks / threads);
  const double slot = 2 * static_cast<double>(target_.vector_bytes / 4) / target_.flops_per_second;
  double seconds = target_.launch_seconds;
  for (const Scope& scope : scopes_) {
    const Nest nest(s, scope.path);
    const double core = (slots_of(scope, nest, s) + copy_slots(scope, nest, s)) * slot / at_once;
    const double traffic = traffic_seconds(scope, nest, s);
    seconds += std::max(core, traffic) + kHidden * std::min(core, traffic);
  }
  return seconds;
}

}  // namespace tg

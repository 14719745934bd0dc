// A kernel graph with its final schedule applied: every base range is replaced, once, by a sum over
// leaf axes; staged operands have become STAGE arrays with copy loops of their own; and for each
// node it is known which leaves it depends on. The next step, placing code in loops, is
// loop_tree.h; the table itself is src/kernel/kernel_schedule.h.
#pragma once

#include <unordered_map>

#include "codegen/loop_limits.h"
#include "kernel/affine.h"
#include "kernel/kernel_schedule.h"
#include "rules/index.h"
#include "target/matrix_unit.h"
#include "target/target.h"

namespace tg {

/// Bit i: depends on leaf i.
using LeafSet = uint64_t;

/// One leaf axis. In the rewritten graph it is the RANGE node `range`.
struct Leaf {
  UOp range;
  int base;
  int64_t stride;
  int64_t extent;
  Kind kind;
  int work_items = -1;  ///< of a Local leaf: which of ScheduledKernel::work_items it is a digit of
  int unit_bit = -1;    ///< see Axis
};

/// A factor's copy that a matrix unit reads by itself: an array of blocks of rows, see
/// SwizzledRows.
struct FactorRows {
  SwizzledRows layout;
  bool across;  ///< the rows run along M or N, not along K

  /// Of the array, where the factor has so many elements along the rows and beside them.
  std::vector<int64_t> extents(int64_t along, int64_t beside) const;
  /// The place in the array of an element of a factor that has `extent` elements along the rows.
  std::vector<UOp> places(int64_t extent, const UOp& along, const UOp& beside) const;
};

/// A reduction that a matrix unit makes: of products of the operands `a` [m, k] and `b` [k, n],
/// whose nodes are converted to what the unit takes.
struct UnitProduct {
  const MatrixUnit* unit;
  std::array<int, 3> bases;  ///< by MatrixAxis
  const Node* reduce = nullptr;
  UOp a, b;
  LeafSet leaves = 0;       ///< that stand for bits of the unit's indices
  size_t first_work_items;  ///< the work-item ranges from here on are the lanes
};

struct ScheduledKernel {
  std::vector<BaseRange> bases;    ///< those of the schedule, then those of staged copies
  std::vector<UOp> base_value;     ///< Σ leaf·stride, as it stands in the graph
  std::vector<LoopLimits> limits;  ///< by base of the schedule, over leaves
  /// Conditions that say no more than that a base is below its limit.
  std::unordered_map<const Node*, int> limit_conditions;
  std::vector<Leaf> leaves;  ///< in loop order; copy loops last
  /// Extents of the work-item ranges, outermost first. Local leaves that no value depends on
  /// together share one.
  std::vector<int64_t> work_items;
  /// By STAGE id: where a copy puts what its leaves stand for, an index a dimension of the copy.
  std::vector<std::vector<UOp>> copy_place;
  /// By STAGE id: the Slot leaf that says which of the copies of several steps; −1 if one is kept.
  std::vector<int> copy_slot;
  /// By STAGE id: where a matrix unit reads the copy by itself, how its rows lie.
  std::vector<std::optional<FactorRows>> copy_rows;
  /// By STAGE id: whether it holds a factor of products, with zeros for terms behind the last.
  std::vector<bool> copy_is_factor;
  std::optional<UnitProduct> product;
  /// What became of each REDUCE of the kernel.
  std::unordered_map<const Node*, UOp> results;
  UOp sink;
  std::unordered_map<const Node*, LeafSet> deps;
  std::vector<const Node*> updated_in_turn;  ///< arrays: see legality.h

  LeafSet deps_of(const UOp& u) const { return deps.at(u.node()); }
  LeafSet set_of(Kind kind) const;
  LeafSet loops() const { return set_of(Kind::Serial) | set_of(Kind::Thread); }
  /// Leaves of the ranges that a REDUCE, STAGE or END closes, or a running REDUCE goes along: those
  /// whose points it combines.
  LeafSet closed_by(const Node* n) const;
  /// Those that a running REDUCE goes along, on which its result depends.
  LeafSet run_along(const Node* n) const;
  /// Those of work-item ranges that no leaf of `set` stands for, by index.
  std::vector<int> work_items_outside(LeafSet set) const;
  int leaf_of(const Node* range) const;
  /// The number of a new leaf. Throws ArgumentError if there are too many.
  int add_leaf(int base, int64_t stride, int64_t extent, Kind kind);
};

/// Rewrites `kernel` once by `schedule`. Throws ArgumentError if a staged operand's index is not
/// affine in the axes it covers.
ScheduledKernel apply_schedule(const UOp& kernel, const KernelSchedule& schedule,
                               const Target& target);

/// True if `load` has no gate, or one that only says that its indices are inside its array. Such a
/// load may be staged, for the copy fills what is outside with zeros.
bool gate_is_bounds(const UOp& load);
/// Whether a copy inside the first `level` loops covers values of `term`, not one of them.
bool is_copied(const ScheduledKernel& k, const UOp& term, int level);
/// The constant that `operand`, WHEREs around a load, is outside the load's array, while it is the
/// load inside: then it may be staged. Empty if it is not of this form.
///
///     where(0 ≤ i, where(i < n, load(a, i, 0 ≤ i < n), c), c) is c outside a
UOp border_of(const UOp& operand);

/// Leaves that each node below `root` depends on, RANGE nodes being looked up in `k.leaves`.
void compute_deps(ScheduledKernel& k);

}  // namespace tg

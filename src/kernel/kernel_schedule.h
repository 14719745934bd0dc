// A kernel's schedule: the side table of axes that Opts edit. The kernel graph (ranged UOps) is the
// meaning and is not touched; it is rewritten once, when the table is final (src/codegen/lower.h).
// Searching and heuristics therefore cost microseconds a candidate. Which Opts to take is decided
// in src/codegen/heuristics.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "target/matrix_unit.h"
#include "tg/ir/uop.h"

namespace tg {

enum class Role : uint8_t { Par, Red };
/// How an axis runs. Thread axes are the outermost loops, flattened into the launch's chunk index;
/// Local, Unroll, Vector and Unit axes are not loops: their points are work-items of a group,
/// separate values, lanes, or terms that a matrix unit adds up. Slot is no axis of a schedule: it
/// is the place that a step of a loop has among the copies that are kept (see Staging).
enum class Kind : uint8_t { Serial, Thread, Local, Unroll, Vector, Unit, Slot };
/// What happens when a size is no multiple of its tile.
enum class Tail : uint8_t {
  None,    ///< it is a multiple
  Peel,    ///< full tiles first, then one smaller instance of the body
  Shift,   ///< the last tile starts earlier and recomputes a few items (Par only, stores plain)
  Mask,    ///< accesses beyond the end are gated
  Absorb,  ///< as Mask, said of axes whose operands are staged: copies are filled up with zeros, so
           ///< lowering gates the store alone
};

/// One loop range of the kernel graph: a digit system of axes covers it.
struct BaseRange {
  UOp range;  ///< RANGE of the kernel graph
  int64_t extent;
  Role role;
  Tail tail = Tail::None;
  int64_t tile =
      0;  ///< product of the axes inside the split that leaves a remainder; 0 without one
};

/// One axis: contributes value·stride to its base range.
struct Axis {
  int base;  ///< index into KernelSchedule::bases
  int64_t stride;
  int64_t extent;
  Kind kind;
  int unit_bit = -1;  ///< of a matrix unit's part of the base: the lowest bit of the unit's index
};

/// The matrix unit that a schedule uses, and the bases that are its m, n and k.
struct UnitChoice {
  const MatrixUnit* unit;
  std::array<int, 3> bases;  ///< by MatrixAxis
};

/// Copy of the operand tile that one LOAD of the kernel graph reads, into scratch memory of a
/// thread. It is made inside the first `level` loops of the order and covers everything further in:
/// the bounding box of the load's indices in each dimension of its array (each element once, so
/// sliding windows are not copied several times), and outside the array zeros, or the constant that
/// a selection has there. In memory, the dimension that the lanes run along is innermost.
///
/// An expression can be copied in place of a load: what reads of the copy would all compute again,
/// as widening a small float or normalising a row, is computed once, in lanes. Its box is that of
/// the load by whose indices the expression's ranges are known (staged_load). The same expression of
/// another range of as many points reads the copy, too, if all points of the first are in it: the
/// exponentials of a softmax are added up, and divided.
///
/// With `depth` above 1 the copies of that many steps of the innermost of those loops are kept: a
/// step begins with making the copy of the step `depth` − 1 later, and does not wait for it.
struct Staging {
  /// LOAD of the kernel graph, WHEREs between it and one constant by its gate, an elementwise
  /// expression of ungated LOADs (is_copied_expression), or a factor of the products that an
  /// instruction of a processor adds up (is_copied_factor).
  UOp operand;
  int level;
  int depth = 1;
};

/// The LOAD that a staged operand reads: the operand itself, the first choice of its WHEREs, or of
/// an expression the one by whose indices all its ranges are known, or that with most of them.
/// Nothing if there is none.
UOp staged_load(const UOp& operand);

/// Whether the operand is more than a LOAD, and can be computed where it is copied: a number,
/// elementwise of ungated LOADs and results of reductions, each of its ranges a whole index of
/// staged_load() but for a constant. O(nodes).
bool is_copied_expression(const UOp& operand);

/// The REDUCEs whose results an expression is made of. A copy of it stands inside all loops that
/// these depend on. O(nodes).
std::vector<UOp> reductions_of(const UOp& operand);

/// Whether the operand is computed point by point of LOADs, gated or not, whatever their indices:
/// as a factor of a matrix unit it can be copied point by point of its own ranges. O(nodes).
bool is_copied_factor(const UOp& operand);

/// The ranges of a copied expression, each with the dimension of staged_load() that it walks and
/// what has to be added to it there.
struct WalkedRange {
  UOp range;
  int dim;
  int64_t offset;
};
std::vector<WalkedRange> walked_ranges(const UOp& load);

/// One Opt as data: the function of this header that made the edit, and what it was called with. A
/// schedule that applies the same Opts to the same plain schedule is the same schedule.
struct Opt {
  enum class Kind : uint8_t {
    Order,
    Tile,
    Move,
    Unroll,
    Vector,
    Thread,
    Local,
    Group,
    Matrix,
    SplitReduce,
    Stage
  };
  Kind kind;
  std::vector<int> bases = {};  ///< Order: all; Matrix: rows, columns, terms; most others: one
  int64_t size = 0;             ///< of a tile; lanes, work-items, threads' loops; Stage: depth
  int from = 0;                 ///< Move
  int at = 0;                   ///< Tile, SplitReduce, Move: place in the loop order; Stage: level
  Tail tail = Tail::None;       ///< of the base behind the Opt
  const MatrixUnit* unit = nullptr;
  UOp operand = {};  ///< Stage

  int base() const { return bases.front(); }
  friend bool operator==(const Opt&, const Opt&) = default;
};

/// The table. Axes stand in loop order, outermost first; Local, Unroll and Vector axes follow the
/// loops.
struct KernelSchedule {
  std::vector<BaseRange> bases;
  std::vector<Axis> axes;
  std::vector<Staging> stages;
  std::optional<UnitChoice> unit;
  std::vector<Opt> opts;  ///< in the order in which they were applied

  int find_base(const UOp& range) const;
  /// Axes of `base`, outermost digit first.
  std::vector<int> digits(int base) const;
};

/// The ranges that running reductions of the kernel go along.
std::vector<const Node*> running_ranges(const UOp& kernel);

/// The plain schedule of a kernel: every range one serial loop, Par ranges (in the order of END)
/// outside Red ones; those that running reductions go along stand between them.
KernelSchedule plain_schedule(const UOp& kernel);

/// An Opt for people: "UPCAST(r1,6,peel)", with the names of the schedule's ranges.
std::string text_of(const KernelSchedule& s, const Opt& opt);
/// All of them: "TILE(r1,64) VECTOR(r1,16)"; "plain" if there are none.
std::string opts_text(const KernelSchedule& s);

/// Applies `opt` as the function of its kind does, and throws what that throws.
void apply_opt(KernelSchedule& s, const Opt& opt);

// ---- Opts. Each checks its legality, edits the table and appends itself to `opts`; an illegal one
// throws ArgumentError, table untouched. `base` is an index into `bases`. What depends on the
// kernel's accesses is checked when the schedule is applied.

/// Most points that the Unroll axes of a schedule may have together: a node may become as many
/// values.
inline constexpr int64_t kMaxUnrolled = 1 << 12;
/// Points of all Unroll axes together.
int64_t unrolled_points(const KernelSchedule& s);

/// ORDER: the loops of the bases in this order, all of them, before any of them is split.
void opt_order(KernelSchedule& s, std::span<const int> bases);
/// TILE: splits the innermost serial axis of `base` into an outer and an inner loop of `size`; the
/// inner one stays where the axis was, the outer one moves to position `at` of the loop order.
void opt_tile(KernelSchedule& s, int base, int64_t size, int at, Tail tail = Tail::Peel);
/// MOVE: moves the loop at one position of the order to another.
void opt_move(KernelSchedule& s, int from, int to);
/// UPCAST (Par) and UNROLL (Red): the innermost `size` of `base` become separate values, 4,096
/// points in all at most.
void opt_unroll(KernelSchedule& s, int base, int64_t size, Tail tail = Tail::Peel);
/// VECTOR: the innermost `lanes` of `base` become lanes. No value may depend on two such axes
/// (checked when the schedule is applied). `lanes` is a power of two from 2 to 64.
void opt_vector(KernelSchedule& s, int base, int lanes, Tail tail = Tail::Peel);
/// THREAD: the outermost `count` loops, all Par, become the launch's chunk index.
void opt_thread(KernelSchedule& s, int count);
/// LOCAL: the innermost `work_items` of `base`, a Par one, become work-items of a group; those of
/// the axis that came last are neighbours in hardware. Stores that do not run over the axis are
/// left to work-item 0 of it. Axes that no value depends on together share their work-items if they
/// have equally many; how many a group may have is checked when the schedule is applied. The tail
/// is None, Mask or Peel (in which the smaller last tile leaves work-items idle).
void opt_local(KernelSchedule& s, int base, int64_t work_items, Tail tail = Tail::Mask);
/// GROUP: the same of a Red base. Each work-item reduces its part; then the parts are combined, and
/// every work-item of the group has the result.
void opt_group(KernelSchedule& s, int base, int64_t work_items, Tail tail = Tail::Mask);
/// TC: a matrix unit makes the products and sums of the innermost `unit.m` × `unit.n` × `unit.k` of
/// three bases, two Par ones and a Red one. What the unit's map of the result says makes work-items
/// of some bits of the first two and separate values of others; those work-items stay neighbours in
/// hardware, whatever LOCAL adds later; the columns of a dot instruction become lanes. Once a
/// schedule; no tail shifts.
void opt_matrix(KernelSchedule& s, const MatrixUnit& unit, std::array<int, 3> bases,
                Tail tail = Tail::Mask);
/// SPLIT_REDUCE into scratch accumulators: moves the outermost loop of a Red base to position `at`,
/// outside Par loops.
void opt_split_reduce(KernelSchedule& s, int base, int64_t size, int at, Tail tail = Tail::Peel);
/// Most steps whose copies a STAGE keeps.
inline constexpr int kMaxStagedSteps = 8;
/// STAGE: see Staging. Above a depth of 1 the level is at least 1, and all stagings that have one
/// have the same level and depth.
void opt_stage(KernelSchedule& s, Staging staging);

const char* tail_name(Tail t);

}  // namespace tg

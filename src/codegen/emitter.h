// The state of one emission: what each leaf's value is at this point of the list, which intervals
// it spans, where reductions stand. Split over emit_values.cpp (expressions and accesses),
// emit_transpose.cpp (accesses across memory), emit_loops.cpp (loops and tails), emit_items.cpp
// (what the items of the loop tree do), emit_copy.cpp (copies of operands), emit_exchange.cpp
// (stores that work-items exchange), emit_group.cpp (work-items), emit_unit.cpp (products by matrix
// units), emit_factors.cpp (by those that read scratch by themselves) and emit_arms.cpp (selects).
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "codegen/barriers.h"
#include "codegen/emit.h"
#include "codegen/emit_scope.h"
#include "codegen/long_arms.h"
#include "tg/ir/function_ref.h"
#include "tg/ir/interval.h"

namespace tg {

class Emitter {
 public:
  Emitter(const ScheduledKernel& kernel, const LoopTree& tree, const Target& target);
  void run(LinearKernel& out);

 private:
  /// What a leaf stands for now.
  struct LeafState {
    UOp value;  ///< linear scalar; empty for Unroll and Vector leaves and for loops not yet open
    Interval bounds;     ///< of its value
    int64_t extent = 0;  ///< number of points, smaller inside a peeled tail
  };
  /// Values of a reduction so far, one a point of its parallel unrolled leaves.
  struct Accumulator {
    std::vector<UOp> values;  ///< empty while they are in the array
    UOp ready;                ///< pointer to the complete array, for those that use one
    std::vector<UOp>
        results;  ///< of a running one: what it is at each point that it goes along, too
  };
  /// The indices of a LOAD or STORE, opened once.
  struct AccessForm {
    UOp access;
    std::vector<Affine> dims;
    Affine flat;
    std::vector<UOp> conditions;  ///< conjuncts of the gate that say more than "inside the array"
  };
  /// Index of each Unroll leaf; others ignored.
  using Point = std::vector<int64_t>;

  // ---- emit_loops.cpp
  void emit_body(int loop);
  void emit_loop(int loop);
  void emit_thread_loop(int loop);
  /// The values from `first` (empty: 0) up to, but not including, `end`.
  struct LoopSpan {
    UOp first, end;
  };
  UOp emit_spans(int loop, int leaf, int64_t extent);
  UOp emit_serial_loop(int loop, int leaf, int64_t extent, const LoopSpan& span);
  LoopSpan loop_span(int leaf, int64_t extent);
  UOp end_of_whole_tiles(int leaf, const LoopSpan& span);
  UOp digits_above(int leaf);
  UOp lesser(const UOp& a, const UOp& b);
  UOp greater(const UOp& a, const UOp& b);
  void limit_chunks(int outermost, int64_t times);
  void emit_if_it_matters(std::span<const int> threads, FunctionRef<void()> emit_chunk);
  UOp extreme(const Affine& sum, bool upper);
  UOp floor_of(const UOp& value, int64_t by);
  void emit_tail(int loop, int leaf, const UOp& value, int64_t full_tiles);
  void emit_guarded(int loop, int leaf, int64_t full_tiles);
  std::vector<int> updates_inside(int loop) const;
  void restart_reductions(int loop, LeafSet leaf);
  bool peels(int leaf) const;
  void bind(int leaf, const UOp& value, Interval bounds);

  // ---- emit_items.cpp
  const Production& production(int p) const { return tree_.productions[static_cast<size_t>(p)]; }
  const Production& read_here(const Node* node) const;
  void emit_item(const Item& item);
  void emit_clear(const Production& made);
  void emit_update(const Production& made);
  void emit_store(const Node* store);
  bool put_first_lanes(const UOp& s, std::span<const UOp> src, const UOp& gate);
  void put_store(const UOp& s, std::vector<UOp> src);
  struct Square;
  struct Limit;
  void put_transposed(const UOp& s, const std::vector<UOp>& order, const Square& square,
                      std::span<const Limit> limits);
  struct Neighbours {
    int leaf = -1;
    int64_t points = 1, together = 1;  ///< of the axis, and of a vector
  };
  Neighbours unrolled_neighbours(const Affine& flat, LeafSet set, size_t element_bytes) const;
  Point at_neighbour(const Point& corner, const Neighbours& row, int64_t i);
  bool put_neighbours(const UOp& s, const std::vector<UOp>& order, const Point& corner,
                      const Neighbours& row, FunctionRef<UOp(const Point&)> gate_at);
  void put_woven(const UOp& s, const std::vector<UOp>& order, const Point& corner, int lanes,
                 int row);
  void evaluate_stored(const Item& item);
  void start(const Production& made);
  void load_running(const Production& made);
  std::vector<UOp> store_running(const Production& made);
  void fold_terms(const UOp& reduce, std::vector<UOp>& running);
  void run_along(const UOp& reduce, Accumulator& acc);
  UOp sum_of(ReduceOp op, std::vector<UOp> terms, LeafSet closed);
  UOp result_of(const UOp& reduce, const Point& point);
  bool overruns(const Node* closing) const;
  bool may_overrun(size_t base, LeafSet closed) const;
  UOp overrun_gate(const Node* closing, const Point& point, int lanes);
  int lanes_of_reduce(const UOp& reduce) const;
  /// The leaves whose points a value of a reduction has all of: those of a matrix in a tile
  /// register.
  LeafSet leaves_in_tile(const Node* reduce) const {
    const bool tile = k_.product && k_.product->reduce == reduce && k_.product->unit->is_tile();
    return tile ? k_.product->leaves : 0;
  }
  /// The leaves that have a value of the reduction for each point.
  LeafSet leaves_of(const UOp& reduce) const {
    return deps(reduce) & ~leaves_in_tile(reduce.node());
  }
  /// Index of a point among the points of the unrolled leaves in `set`.
  size_t position(LeafSet set, const Point& point) const;
  size_t position(const UOp& reduce, const Point& point) const {
    return position(results_of(reduce), point);
  }
  /// The leaves by which values of a reduction differ while it runs.
  LeafSet results_of(const UOp& reduce) const {
    return leaves_of(reduce) & ~k_.run_along(reduce.node());
  }
  UOp array_of(const Production& made);
  UOp array_index(const Production& made, const Point& point);
  void complete_tiles(const Production& made);
  UOp row_of_tile(const Production& made, const Point& point);
  UOp pinned(const UOp& ptr);
  UOp array_now(const UOp& param);
  bool is_updated_in_turn(const Node* array) const {
    return std::ranges::find(k_.updated_in_turn, array) != k_.updated_in_turn.end();
  }
  void publish_updates(int loop, const UOp& end);

  // ---- emit_copy.cpp
  void emit_copy(const Production& made);
  std::vector<UOp> copying(const Production& made, bool async, const UOp& arrives);
  void publish_copies(int loop, LeafSet leaf, const UOp& end);
  Affine copy_index(const Node* stage) const;
  bool is_async_copy(const Node* stage);
  int slot_of(const Node* stage) const {
    return k_.copy_slot[static_cast<size_t>(stage->arg()[0])];
  }
  /// The copies that the steps of a loop make for later ones.
  struct Ring {
    struct Copy {
      LoopNode::Child child;
      const Production* made;
      bool async;  ///< else it passes through registers
    };
    int leaf = -1;      ///< of the loop
    UOp first;          ///< its value in the first step; empty: 0
    int64_t depth = 1;  ///< steps whose copies are kept
    int64_t ahead = 0;  ///< steps from the copy of one to its use
    std::vector<Copy> copies;
    UOp count, last;     ///< steps, and the last of them, counted from 0
    bool async = false;  ///< whether any of them is
  };
  Ring ring_of(int loop, int leaf, const LoopSpan& span, const UOp& count);
  const Production* kept_copy(const LoopNode::Child& child, int leaf) const;
  bool is_made_ahead(const LoopNode::Child& child) const;
  void fill_ring(const Ring& ring);
  std::vector<UOp> turn_ring(const Ring& ring, const UOp& step);
  void close_ring(const Ring& ring, const UOp& range);
  std::vector<UOp> copy_step(const Ring& ring, const UOp& step, const UOp& slot);
  void bind_slots(const Ring& ring, const UOp& slot);
  void async_wait(int64_t on_their_way);

  // ---- emit_factors.cpp
  const std::optional<FactorRows>& rows_of(const Node* stage) const {
    return k_.copy_rows[static_cast<size_t>(stage->arg()[0])];
  }
  UOp swizzled(const Affine& index, const SwizzledRows& rows, const Point& point, int lanes);
  void emit_async_products(const Production& made);
  UOp factor_start(const UOp& factor, const Point& point);
  void mma_wait(int64_t under_way);
  /// Batches of products that a unit makes while the next step's copies begin: none unless enough
  /// steps are kept that these are not overwritten.
  static int64_t products_under_way(int64_t depth) { return depth > 2 ? 1 : 0; }

  // ---- emit_exchange.cpp
  /// Leaves: of four work-items, and of the places that they exchange.
  struct Exchange {
    int work_items = -1, places = -1;
  };
  std::optional<Exchange> exchange_of(const Affine& flat, LeafSet set, const Neighbours& row,
                                      DType dtype) const;
  UOp word_of(const UOp& low, const UOp& high);
  UOp elements_of(std::span<const UOp> words, DType dtype);
  void exchange_words(std::span<UOp> words, const UOp& work_item);
  bool put_exchanged(const UOp& s, const std::vector<UOp>& order, const Point& corner,
                     const Neighbours& row, const Exchange& x,
                     FunctionRef<UOp(const Point&)> gate_at);

  // ---- emit_group.cpp
  void open_work_items();
  bool gathers_inside(int loop) const;
  void close_work_items();
  /// Where a work-item stands among those that share a reduction, and beside them. Work-items that
  /// have shuffled their values count as one, for which the one where `speaks` holds stores.
  struct GroupPlace {
    UOp work_item, beside;
    int64_t work_items = 1, groups = 1;
    UOp speaks;  ///< empty: all
  };
  GroupPlace place_in_group(LeafSet closed, std::span<const int64_t> shuffled);
  std::vector<int64_t> shuffled_work_items(LeafSet closed, DType dtype) const;
  bool all_shuffled(LeafSet closed, std::span<const int64_t> shuffled) const;
  UOp combine_across(const UOp& reduce, const UOp& value, int64_t distance);
  void emit_gather(const Production& made);
  /// What work-items left in scratch for each other.
  struct Parts {
    UOp ptr;
    int64_t count;
    int lanes;
  };
  UOp row_of(const Parts& parts, const GroupPlace& place, size_t v);
  Parts store_parts(const std::vector<UOp>& values, const GroupPlace& place, int64_t count,
                    const UOp& gate);
  Parts fold_parts(const UOp& reduce, const Parts& parts, const GroupPlace& place, size_t n_values,
                   int64_t step);
  int64_t inside_work_items(size_t range) const;
  UOp folded(const UOp& reduce, const Parts& parts, const UOp& first, const UOp& work_item,
             int64_t step);
  UOp work_item_gate(LeafSet covered);

  // ---- emit_unit.cpp
  /// The fragment in hand: values of the unit's leaves are those of one register's element, in
  /// every work-item.
  struct FragmentPlace {
    const FragmentMap* map;
    int64_t reg;
  };
  void emit_products(const Production& made);
  void for_unit_tiles(const Production& made,
                      FunctionRef<UOp(const Point& at, const UOp& sum)> multiply);
  void emit_dots(const Production& made);
  struct OperandPlace {
    Affine start;
    std::vector<int64_t> steps;  ///< by bit of a register's number
  };
  OperandPlace operand_place(const UOp& load, const FragmentMap& map);
  UOp dot_operand(const UOp& operand, const FragmentMap& map, const Point& point);
  struct TileRows {
    int64_t count, row, pitch;  ///< elements of a row, and from one to the next
  };
  UOp tile_operand(const UOp& load, const FragmentMap& map, const Point& point);
  bool asks_in_rows(const AccessForm& form);
  UOp rows_inside(const UOp& load, const Affine& start, const TileRows& rows, const Point& point);
  UOp fragment(const UOp& operand, const FragmentMap& map, const Point& point);
  int64_t fragment_lanes(const UOp& operand, const FragmentMap& map);
  UOp joined(std::vector<UOp> pieces);
  bool in_fragment(int leaf) const {
    return fragment_ && k_.leaves[static_cast<size_t>(leaf)].unit_bit >= 0;
  }
  struct FragmentSum {
    UOp lanes;
    int64_t constant;
  };
  FragmentSum fragment_sum(std::span<const std::pair<int, int64_t>> leaves);
  UOp lane_bits(std::span<const int64_t> weights);

  // ---- emit_gates.cpp
  /// Whether the condition has to be asked at run time.
  bool is_asked(const UOp& condition);
  /// What the access's index in dimension `d` may be where its conditions hold.
  Interval reach_of(const AccessForm& form, size_t d);
  /// Whether access_gate() is more than nothing.
  bool has_gate(const AccessForm& form);
  UOp access_gate(const AccessForm& form, const Point& point, int lanes);
  bool holds_here(const UOp& condition) const;
  UOp both(const UOp& a, const UOp& b);
  UOp first_lanes(const UOp& count, int lanes);
  UOp small_lanes(const UOp& first, int64_t step, int lanes);
  static int64_t kept_lanes(const UOp& mask);
  UOp lanes_below_zero(const Affine& sum, const Point& point, int lanes);
  UOp is_below(const Affine& index, int64_t limit, const Point& point, int lanes);
  UOp is_not_negative(const Affine& index, const Point& point, int lanes);
  Interval bounds_under(const Affine& index, std::span<const UOp> conditions) const;

  // ---- emit_transpose.cpp
  struct RowOfLanes {
    int64_t step = 0;
    int leaf = -1;
  };
  RowOfLanes row_of_lanes(const Affine& flat) const;
  int row_leaf(const Affine& flat, int lanes, int64_t& step) const;
  int woven_leaf(const Affine& flat, int lanes) const;
  std::vector<UOp> row_values(const UOp& v, const std::vector<UOp>& order, const Point& corner,
                              int row, int lanes);
  std::vector<UOp> woven(std::vector<UOp> rows, int64_t most);
  int64_t lanes_of_register(DType t) const;
  std::vector<UOp> picked(const std::vector<UOp>& rows);
  Affine of_first_lane(Affine index) const;
  /// Points of an access from `corner` on: as many of leaf `row`, along which it is contiguous, as
  /// lanes, which are `step` elements apart.
  struct Square {
    Point corner;
    int lanes;
    int row;
    int64_t step;
  };
  /// That an index is below `end`.
  struct Limit {
    Affine index;
    int64_t end;
  };
  /// What must hold for points of a store's squares; nothing if it is more than limits.
  std::optional<std::vector<Limit>> limits_of_square(const AccessForm& form, const Node* end,
                                                     int row);
  /// Where the limits hold along the row of lane `k`; empty if there are none.
  UOp square_gate(const Square& square, std::span<const Limit> limits, int64_t k);
  /// Whether no row of the square needs a gate.
  bool all_rows_inside(const AccessForm& form, int row);
  UOp emit_transposed(const UOp& ptr, const AccessForm& form, const Point& point, int lanes,
                      int row, int64_t step);
  /// A square of values, or the address of one, in the order of memory.
  std::vector<UOp> transposed(std::vector<UOp> square);
  std::vector<UOp> row_addresses(const AccessForm& form, const Point& corner, int lanes,
                                 int64_t step);

  // ---- emit_spread.cpp
  /// An index as a sum that all lanes share and a number for each lane.
  struct SpreadLanes {
    Affine shared;
    std::vector<int64_t> offset;
  };
  using SpreadQuotients = std::unordered_map<const Node*, SpreadLanes>;
  /// A load of neighbours, and which of them each lane takes.
  struct SpreadLoad {
    AccessForm form;
    std::vector<int64_t> lanes;
  };
  std::optional<SpreadLanes> spread_lanes(const Affine& index, const Point& point, int lanes) const;
  std::optional<SpreadLanes> spread_quotient(const Node* n, const Point& point, int lanes,
                                             const SpreadQuotients& known) const;
  std::optional<SpreadLanes> spread_sum(const Affine& sum, const Point& point, int lanes,
                                        const SpreadQuotients& known) const;
  UOp emit_spread_mask(const UOp& u, const Point& point);
  std::optional<SpreadLoad> spread_load(const AccessForm& form, const Point& point,
                                        int lanes) const;
  static Affine& innermost_wide(AccessForm& form);
  LeafSet lanes_of_form(const AccessForm& form) const;
  UOp emit_spread_index(const UOp& u, const Point& point);
  UOp emit_spread(const UOp& ptr, const AccessForm& form, const SpreadLoad& load,
                  const Point& point, int lanes);
  UOp known_lanes(Op comparison, const SpreadLanes& difference);
  AccessForm moved(AccessForm form, int64_t by) const;
  UOp emit_neighbours(const UOp& ptr, const AccessForm& form, const Point& point, int lanes);

  // ---- emit_values.cpp
  /// Nodes below `roots` that emission evaluates, sources first.
  std::vector<UOp> evaluation_order(std::span<const UOp> roots);
  std::vector<UOp> operands(const UOp& u);
  void evaluate(const std::vector<UOp>& order, const Point& point);
  UOp value(const UOp& u) const { return values_.at(u.node()); }
  UOp evaluate_node(const UOp& u, const Point& point);
  UOp known_here(const UOp& u);
  UOp evaluate_elementwise(const UOp& u, const Point& point);
  UOp leaf_value(int leaf, const Point& point);
  UOp pointer_of(const UOp& load);
  UOp unrolled_vector(const UOp& load, const AccessForm& form, const UOp& ptr, const Point& point);
  UOp emit_load(const UOp& load, const Point& point);

  // ---- emit_arms.cpp
  void evaluate_with_arms(std::span<const UOp> order, const Point& point);
  void make_ready(const UOp& u, const Point& point);
  bool is_ready(const UOp& u) const { return ready_.contains(u.node()); }
  std::vector<UOp> inputs_of(std::span<const UOp> nodes) const;
  UOp evaluate_with_arm(const UOp& select, int arm, const Point& point);
  UOp times_of_arm(const UOp& condition, int arm);

  // ---- emit_values.cpp
  /// Σ as a scalar if `lanes` is 1 or the lanes only step by 1 (then it is the first lane's), else
  /// as a vector.
  struct Address {
    UOp index;
    bool contiguous = false;
  };
  Address emit_address(const Affine& index, const Point& point, int lanes);
  bool steps_by_lane(const Affine& index, int lanes) const;
  UOp emit_scalar_sum(const Affine& index, const Point& point);
  UOp emit_index(const Affine& index, const Point& point, int lanes);
  UOp widen(const UOp& u, int lanes);
  UOp add_index(const UOp& a, const UOp& b);
  UOp scale_index(const UOp& a, int64_t factor);
  const AccessForm& form_of(const UOp& access);
  Interval bounds_of(const UOp& expr) const;
  Interval bounds_of(const Affine& index) const;
  LeafSet deps(const UOp& u) const { return k_.deps_of(u); }
  int lanes_in(LeafSet set) const;
  UOp alloc(DType dtype, const std::vector<Dim>& extents, Space space = Space::Scratch);
  template <typename Fn>
  void for_points(LeafSet set, const Fn& fn);

  const ScheduledKernel& k_;
  const LoopTree& tree_;
  const int64_t async_copy_bytes_, max_lanes_, vector_bytes_;  ///< see Target
  const bool stores_in_parts_;  ///< a mask of stores costs more than several of them
  const int64_t shuffle_size_;  ///< of a subgroup that shuffles values; 1 if it does not
  EmitScopes scopes_;
  std::vector<LeafState> leaf_;
  const Item* item_ = nullptr;  ///< the one in hand
  std::unordered_map<const Production*, Accumulator> acc_;
  std::unordered_map<const Production*, UOp> copied_;  ///< pointer to a complete copy
  std::unordered_set<const Production*> made_ahead_;   ///< by a loop that is open
  std::vector<RingArray> rings_;                       ///< for barriers
  std::unordered_map<const Node*, UOp> values_;
  const LongArms arms_;
  std::unordered_set<const Node*> ready_;  ///< what has its value at the point in hand, with arms
  std::map<std::vector<const Node*>, UOp> selected_;          ///< by select, and what it is made of
  std::unordered_map<const Production*, UOp> arrays_;         ///< ALLOC
  std::unordered_map<const Node*, const Node*> end_of_;       ///< END around a STORE
  std::unordered_map<const Node*, const Node*> end_writing_;  ///< END around the store to an array
  std::unordered_map<const Node*, AccessForm> forms_;
  std::unordered_map<const Node*, UOp> last_update_;  ///< STORE or END that wrote an array last
  std::vector<UOp> work_items_;                       ///< the work-item ranges that are open
  std::vector<const Node*> stored_by_one_;  ///< parameters that work-item 0 writes for all
  std::optional<FragmentPlace> fragment_;   ///< of what is evaluated now
  LeafSet unroll_ = 0;
  LeafSet vector_ = 0;
  int64_t next_range_ = 0;
  int64_t next_carry_ = 0;
  int64_t next_alloc_ = 0;
  int64_t next_async_wait_ = 0;
  int64_t next_mma_wait_ = 0;
  int64_t chunks_ = 1;
  std::unordered_set<int> inside_;        ///< bases whose limit holds for all that is emitted now
  std::optional<LoopBound> chunk_limit_;  ///< of the launch range, in groups of chunk_times_
  int64_t chunk_times_ = 1;
  int64_t scratch_bytes_ = 0;
};

/// Calls `fn(point)` for every combination of indices of the Unroll leaves in `set`, the first leaf
/// slowest.
template <typename Fn>
void Emitter::for_points(LeafSet set, const Fn& fn) {
  Point point(k_.leaves.size(), 0);
  std::vector<size_t> leaves;
  for (size_t i = 0; i < k_.leaves.size(); ++i) {
    if ((set & unroll_) >> i & 1) leaves.push_back(i);
  }
  const std::vector<LeafState> outside = leaf_;
  for (bool more = true; more;) {
    for (const size_t i : leaves) leaf_[i].bounds = {point[i], point[i]};
    fn(point);
    size_t i = leaves.size();
    while (i > 0 && ++point[leaves[i - 1]] == leaf_[leaves[i - 1]].extent) point[leaves[--i]] = 0;
    more = i > 0;
  }
  for (const size_t i : leaves) leaf_[i].bounds = outside[i].bounds;
}

}  // namespace tg

// Contractions Σ a·b, from matrix products to convolutions and their gradients, by one recipe. One
// operand supplies lanes (the packed operand: it is copied as [reduction][lanes] unless it lies
// well in memory), the other is broadcast; a register tile of rows × vectors accumulates over the
// reduction. What decides is which operand misses which parallel range, strides and sizes; no
// operation is recognised by name, and operands are any expressions of any dtype. Figures behind
// the constants: a 512-bit load a cycle beside one multiply-add asks for at most one load for two
// of them; more rows than cache ways alias when the row pitch is a power of two.
#include <algorithm>
#include <functional>
#include <numeric>

#include "codegen/contraction_lanes.h"
#include "codegen/contraction_registers.h"
#include "codegen/kernel_facts.h"
#include "codegen/scheduled_kernel.h"
#include "codegen/unit_product.h"
#include "tg/ir/walk.h"

namespace tg {
namespace {

/// Rows for which a matrix unit's copy of the packed operand pays.
constexpr double kLeastUnitRows = 12;
/// Reads of a copy for which it pays.
constexpr double kLeastReuse = 8;
/// Rows for which turning an operand takes no longer than its products.
constexpr double kFewestTurnedRows = 8;
/// Vectors of terms for which their lanes are added up once.
constexpr int64_t kLeastVectorsOfTerms = 4;

class Contraction {
 public:
  Contraction(const KernelSchedule& plain, const KernelFacts& facts, const Target& target)
      : s_(plain), facts_(facts), target_(target) {}

  bool choose_operands() {
    if (facts_.reduces.size() != 1) return false;
    const UOp reduce = facts_.reduces[0];
    const std::vector<UOp> values = combined_values(reduce.src(0), s_);
    if (values.size() != 2) return false;
    lanes_ = target_.lanes_of(reduce.dtype());
    bytes_ = dtype_size(reduce.dtype());
    const ContractionFactor a = operand(values[0]), b = operand(values[1]);
    if (lanes_ < 2 || a.load == nullptr || b.load == nullptr) return false;
    is_product_ = is_sum_of_products(reduce, values);
    double best = shared_lanes(a, b) * (is_product_ ? share_of_others(target_) : 1);
    for (const auto& [packed, rows] : {std::pair{a, b}, std::pair{b, a}}) {
      const std::vector<int> row_bases = only_in(rows, packed);
      if (row_bases.empty()) continue;
      for (int axis : only_in(packed, rows)) {
        double score = lane_score(axis, packed, rows);
        if (is_product_)
          score *= share_of_products({s_, facts_, target_, packed, rows, row_bases, axis});
        if (score <= best) continue;
        best = score;
        packed_ = packed;
        rows_ = rows;
        lane_base_ = axis;
        has_shared_lanes_ = false;
      }
    }
    return best > 0;
  }

  KernelSchedule run() {
    row_bases_ = only_in(rows_, packed_);
    if (has_shared_lanes_) {
      const std::vector<int> columns = only_in(packed_, rows_);
      return schedule_shared_lanes(std::move(s_), facts_,
                                   {packed_, rows_, columns, row_bases_, lane_base_}, target_);
    }
    if (const int red = base_along_packed(); red >= 0) return run_along(red);
    if (is_product_ && row_reuse() >= kLeastUnitRows) {
      const UnitProducts products{s_, facts_, target_, packed_, rows_, row_bases_, lane_base_};
      unit_ = choose_unit(products);
      if (unit_.unit != nullptr && unit_.unit->is_tile())
        return schedule_tile_registers(products, unit_);
    }
    choose_tile();
    order_loops();
    thread();
    stage_operands();
    return std::move(s_);
  }

 private:
  const BaseRange& base(int b) const { return s_.bases[static_cast<size_t>(b)]; }

  // Without a load if its largest array is not walked by ranges alone.
  ContractionFactor operand(const UOp& value) const {
    ContractionFactor out;
    out.value = value;
    out.depends.resize(s_.bases.size());
    for (const UOp& r : free_ranges(value)) {
      const int b = s_.find_base(r);
      if (b >= 0) out.depends[static_cast<size_t>(b)] = true;
    }
    for (const Node* n : toposort(value)) {
      if (n->op != Op::Load) continue;
      const auto a = std::ranges::find(facts_.accesses, n, access_node);
      if (a == facts_.accesses.end()) return {};
      if (out.load == nullptr || a->elements > out.load->elements) out.load = &*a;
    }
    if (out.load != nullptr && !is_walked(out.load->access)) out.load = nullptr;
    if (out.load == nullptr) return out;
    out.computed = is_copied_expression(value);
    out.copied = out.computed ? value : out.load->access;
    return out;
  }
  static const Node* access_node(const AccessFacts& a) { return a.access.node(); }

  // Parallel bases that `x` depends on and `y` does not.
  std::vector<int> only_in(const ContractionFactor& x, const ContractionFactor& y) const {
    std::vector<int> out;
    for (size_t b = 0; b < s_.bases.size(); ++b) {
      if (s_.bases[b].role == Role::Par && x.depends[b] && !y.depends[b])
        out.push_back(static_cast<int>(b));
    }
    return out;
  }

  // Lanes along an axis that both operands have and along which results lie in a row, so that
  // nothing is broadcast: as good as a packed operand whose lanes lie in a row. Where an operand
  // has to be turned first, half of the time goes into that, and results that are stored lane by
  // lane take the time of 400 products for each vector: few terms are better off here, whatever
  // the other lanes, many are not. 0 if there is no such axis.
  double shared_lanes(const ContractionFactor& a, const ContractionFactor& b) {
    constexpr double kManyTurnedTerms = 400;
    if (only_in(a, b).empty() || only_in(b, a).empty()) return 0;
    for (size_t i = 0; i < s_.bases.size(); ++i) {
      const int axis = static_cast<int>(i);
      const bool fits =
          s_.bases[i].role == Role::Par && s_.bases[i].extent >= lanes_ && store_step(axis) == 1;
      if (!fits || !a.depends[i] || !b.depends[i]) continue;
      const bool turned = is_turned(a, axis) || is_turned(b, axis);
      if (turned && terms() >= kManyTurnedTerms) continue;
      // That whose terms are farther apart is copied.
      const bool first = reduced_step(a, s_) >= reduced_step(b, s_);
      packed_ = first ? a : b;
      rows_ = first ? b : a;
      lane_base_ = axis;
      has_shared_lanes_ = true;
      return turned ? 2 : 1;
    }
    return 0;
  }

  double terms() const {
    double n = 1;
    for (const BaseRange& b : s_.bases)
      n *= b.role == Role::Red ? static_cast<double>(b.extent) : 1;
    return n;
  }

  // How well lanes along `axis` would do: full vectors first, then unit strides, then the smaller
  // operand to copy.
  double lane_score(int axis, const ContractionFactor& packed,
                    const ContractionFactor& rows) const {
    const int64_t extent = base(axis).extent;
    const double filled =
        static_cast<double>(extent) / static_cast<double>(ceil_div(extent, lanes_) * lanes_);
    double score = filled;
    for (const AccessFacts& a : facts_.accesses) {
      if (a.store && a.stride[static_cast<size_t>(axis)] == 1) score *= 1.15;
    }
    if (has_rows_of_results(packed, rows)) score *= scattered_score(axis);
    if (packed.load->stride[static_cast<size_t>(axis)] == 1) {
      score *= 1.1;
    } else if (!has_long_rows_of_terms(packed)) {
      score *= std::min(1.0, extent_of(only_in(rows, packed)) / kFewestTurnedRows);
    }
    if (packed.load->elements > rows.load->elements) score *= 0.8;
    if (wants_rows_first(axis, packed, rows)) score *= 2;
    if (extent < 2 * lanes_) score *= 0.9;
    return score;
  }

  // Whether the operand lies along its terms, so that lanes may, too (run_along).
  bool has_long_rows_of_terms(const ContractionFactor& f) const {
    for (size_t b = 0; b < s_.bases.size(); ++b) {
      if (s_.bases[b].role == Role::Red && f.load->stride[b] == 1 &&
          s_.bases[b].extent >= kLeastVectorsOfTerms * lanes_)
        return true;
    }
    return false;
  }

  double extent_of(const std::vector<int>& bases) const {
    double n = 1;
    for (const int b : bases) n *= static_cast<double>(base(b).extent);
    return n;
  }

  // How far neighbours along `axis` are apart where results are stored.
  int64_t store_step(int axis) const {
    int64_t step = 0;
    for (const AccessFacts& a : facts_.accesses) {
      if (a.store) step = std::max(step, std::abs(a.stride[static_cast<size_t>(axis)]));
    }
    return step;
  }

  // Whether results that lie next to each other, or with a few others between them, make two
  // vectors along some axis of one operand.
  bool has_rows_of_results(const ContractionFactor& a, const ContractionFactor& b) const {
    const auto is_row = [&](int axis) {
      return base(axis).extent >= 2 * lanes_ && store_step(axis) <= kMostWoven;
    };
    return std::ranges::any_of(only_in(a, b), is_row) || std::ranges::any_of(only_in(b, a), is_row);
  }

  // Elsewhere each lane has a store, which takes as long as a dozen products: few terms do not hide
  // that.
  double scattered_score(int axis) const {
    constexpr double kProductsOfAStore = 12, kManyProducts = 512;
    if (store_step(axis) <= kMostWoven) return 1;
    const double of_stores = kProductsOfAStore * static_cast<double>(lanes_);
    const auto share = [&](double n) { return n / (n + of_stores); };
    return std::min(1.0, share(terms()) / share(kManyProducts));
  }

  // Whether a dot instruction whose factors are of two dtypes takes the products this way.
  bool wants_rows_first(int axis, const ContractionFactor& packed,
                        const ContractionFactor& rows) const {
    return is_product_ && std::ranges::any_of(target_.matrix_units, [&](const MatrixUnit* unit) {
             return unit->is_of_one() && unit->tells_factors_apart() &&
                    base(axis).extent >= unit->n && is_array(rows) &&
                    has_lanes_in_order(packed, base(axis).range) &&
                    takes_factors(*unit, facts_.reduces[0].src(0), rows.load->access);
           });
  }

  // ---- register tile
  void choose_tile() {
    const int64_t extent = base(lane_base_).extent;
    const int64_t vectors =
        std::min<int64_t>(target_.vector_registers >= 32 ? 4 : 2, ceil_div(extent, lanes_));
    width_ = vectors * lanes_;
    const int64_t max_rows = std::max<int64_t>(1, target_.vector_registers * 3 / 4 / vectors);
    std::ranges::stable_sort(row_bases_, {}, [&](int b) {
      return std::abs(rows_.load->stride[static_cast<size_t>(b)]);
    });
    const int first = first_row_base(max_rows);
    const int64_t t1 = even_tile(base(first).extent, max_rows);
    tiles_.emplace_back(first, t1);
    const int second = second_row_base(first, max_rows / t1);
    if (second >= 0) tiles_.emplace_back(second, equal_tile(base(second).extent, max_rows / t1));
  }

  // The nearest rows. But reduced loops end where a gate says (loop_limits.h), for all points of a
  // tile alike: tiled along an axis that the gate does not name, no point computes what another
  // needs.
  int first_row_base(int64_t max_rows) const {
    if (!rows_.load->gated) return row_bases_.front();
    const std::vector<UOp> named = free_ranges(gate_of(rows_.load->access));
    const auto whole = std::ranges::find_if(row_bases_, [&](int b) {
      return base(b).extent >= max_rows && std::ranges::find(named, base(b).range) == named.end();
    });
    return whole == row_bases_.end() ? row_bases_.front() : *whole;
  }

  // A second axis of rows where the first is short: one that divides evenly, if there is one.
  int second_row_base(int first, int64_t room) const {
    if (room < 2) return -1;
    int best = -1;
    for (int b : row_bases_) {
      const int64_t extent = base(b).extent;
      if (b == first || extent < 2) continue;
      const bool even = extent % equal_tile(extent, room) == 0;
      if (best < 0 || (even && base(best).extent % equal_tile(base(best).extent, room) != 0))
        best = b;
    }
    return best;
  }

  // ---- loop order: [shared, packed only, lane tiles, (outer reduction), rows, reduction]
  void order_loops() {
    std::vector<int> shared, packed_only, red;
    for (size_t b = 0; b < s_.bases.size(); ++b) {
      const int i = static_cast<int>(b);
      if (s_.bases[b].role == Role::Red) {
        red.push_back(i);
      } else if (i != lane_base_ && std::ranges::find(row_bases_, i) == row_bases_.end()) {
        (packed_.depends[b] && !rows_.depends[b] ? packed_only : shared).push_back(i);
      }
    }
    // Reduced loops and loops over rows from the farthest stride to the nearest: what is read in a
    // row lies in a row, in copies as in arrays.
    std::ranges::stable_sort(red, std::greater(), [&](int b) {
      return std::abs(rows_.load->stride[static_cast<size_t>(b)]);
    });
    std::vector<int> rows(row_bases_.rbegin(), row_bases_.rend());
    rows_in_launch_ = static_cast<int64_t>(row_reuse());
    const ReductionCut cut = cut_terms(red);
    std::vector<int> order = shared;
    order.insert(order.end(), packed_only.begin(), packed_only.end());
    order.push_back(lane_base_);
    n_packed_loops_ = static_cast<int>(order.size());
    order.insert(order.end(), cut.outside.begin(), cut.outside.end());
    n_packed_loops_split_ = static_cast<int>(order.size());
    order.insert(order.end(), rows.begin(), rows.end());
    order.insert(order.end(), cut.inside.begin(), cut.inside.end());
    opt_order(s_, order);
    const bool is_whole = cut.part_of < 0 && cut.outside.empty();
    if (is_whole) tile_rows_of_lines(rows.front());
    apply_tiles();
    // Lane tiles that cover the whole axis leave no loop.
    const int lane_loop = loop_of(s_, lane_base_);
    if (lane_loop < 0) {
      --n_packed_loops_;
      --n_packed_loops_split_;
    }
    if (cut.part_of >= 0) apply_reduction_tile(cut);
    if (shared_lines() >= 0) {
      share_lines(shared_lines());
    } else if (is_whole && unit_.unit == nullptr) {
      share_row_lines();
    }
  }

  // An operand that lies along a loop outside its copy: each step would read one element of a line.
  // The copy is made for the steps of a line together.
  int shared_lines() const { return unit_.unit == nullptr ? base_of_lines(packed_) : -1; }
  void share_lines(int of_packed) {
    if (!tile_lines(of_packed)) {
      --n_packed_loops_;
      --n_packed_loops_split_;
    }
    opt_move(s_, innermost_loop_of(s_, of_packed), n_packed_loops_split_);
  }

  void share_row_lines() {
    const int of_rows = base_of_lines(rows_);
    if (of_rows < 0 || rows_.load->gated || !fits_lines(of_rows, rows_in_launch_)) return;
    rows_level_ = loop_of(s_, of_rows);
    if (!tile_lines(of_rows)) return;
    ++rows_level_;
    ++n_packed_loops_;
    ++n_packed_loops_split_;
  }

  // Where rows lie along a loop outside, a loop over parts of them, outermost, whose copies fit.
  void tile_rows_of_lines(int farthest) {
    const int of_rows = base_of_lines(rows_);
    if (of_rows < 0 || rows_.load->gated || unit_.unit != nullptr || base_of_lines(packed_) >= 0)
      return;
    const int64_t extent = base(farthest).extent, each = rows_of_tile(farthest);
    const int64_t others = rows_in_launch_ / extent;
    int64_t tiles = ceil_div(extent, each);  // of registers
    const bool stays = packed_.load->elements * bytes_ <= target_.l2_bytes / 2;
    const auto room = static_cast<double>((stays ? target_.l1_bytes : target_.l2_bytes) / 2);
    while (tiles > 1 && lines_bytes(of_rows, tiles * each * others) > room)
      tiles = ceil_div(tiles, 2);
    const int64_t rows = tiles * each;
    if (rows >= extent || !fits_lines(of_rows, rows * others)) return;
    opt_tile(s_, farthest, rows, 0, Tail::Peel);
    rows_in_launch_ = rows * others;
    ++n_packed_loops_;
    ++n_packed_loops_split_;
  }

  int64_t rows_of_tile(int b) const {
    const auto tile = std::ranges::find(tiles_, b, &std::pair<int, int64_t>::first);
    return tile == tiles_.end() ? 1 : tile->second;
  }

  // The loop outside along which the operand's array is contiguous; −1 if there is none.
  int base_of_lines(const ContractionFactor& f) const {
    for (size_t b = 0; b < s_.bases.size(); ++b) {
      const int i = static_cast<int>(b);
      const bool outside = s_.bases[b].role == Role::Par && i != lane_base_ &&
                           std::ranges::find(row_bases_, i) == row_bases_.end();
      if (outside && f.load->stride[b] == 1 && base(i).extent > 1) return i;
    }
    return -1;
  }

  int64_t line_of(int b) const {
    constexpr int64_t kLineBytes = 64;
    return std::min<int64_t>(base(b).extent, kLineBytes / bytes_);
  }
  // Bytes of the copy of all terms of `width` results for the steps of a line.
  double lines_bytes(int b, int64_t width) const {
    return static_cast<double>(width * bytes_ * line_of(b)) * terms();
  }
  // Whether half of level 2 holds them.
  bool fits_lines(int b, int64_t width) const {
    return lines_bytes(b, width) <= static_cast<double>(target_.l2_bytes / 2);
  }
  // False if a line is all there is.
  bool tile_lines(int b) {
    if (base(b).extent <= line_of(b)) return false;
    opt_tile(s_, b, line_of(b), loop_of(s_, b), Tail::Peel);
    return true;
  }

  // The vectors of a tile are its innermost points: they stay in registers while the rows pass by,
  // each in one register for as long as its products take.
  void apply_tiles() {
    const bool tiled = base(lane_base_).extent > width_;
    if (tiled) opt_tile(s_, lane_base_, width_, loop_of(s_, lane_base_), Tail::Peel);
    const Tail tail = tiled ? Tail::None : Tail::Mask;
    if (unit_.unit != nullptr) {
      const bool groups = base(unit_.terms).extent % unit_.unit->k == 0;
      opt_matrix(s_, *unit_.unit, {row_bases_.front(), lane_base_, unit_.terms},
                 groups ? tail : Tail::Mask);
    } else {
      opt_vector(s_, lane_base_, static_cast<int>(lanes_), tail);
    }
    for (const auto& [b, t] : tiles_) {
      if (t > 1) opt_unroll(s_, b, t, Tail::Peel);
    }
    if (tiled || loop_of(s_, lane_base_) >= 0)
      opt_unroll(s_, lane_base_, width_ / lanes_, Tail::None);
  }

  // The packed operand of one lane tile should fit a part of level 2, for the steps of a line where
  // its copy is made for all of them: reduced loops move outside the rows until it does, and the
  // results of all rows then accumulate in scratch.
  ReductionCut cut_terms(const std::vector<int>& red) const {
    const int lines = shared_lines();
    const int64_t each = unit_.unit != nullptr ? dtype_size(unit_.unit->second) : bytes_;
    const int64_t share = lines >= 0 ? target_.l2_bytes / 2 / line_of(lines) : target_.l2_bytes / 4;
    return cut_reduction(s_, packed_, red, std::max<int64_t>(64, share / (width_ * each)));
  }

  void apply_reduction_tile(const ReductionCut& cut) {
    const int64_t each = cut.part_of == unit_.terms ? unit_.unit->k : 1;
    const int64_t steps = steps_of_part(base(cut.part_of).extent, cut.part, each);
    if (steps == 0) return;
    opt_split_reduce(s_, cut.part_of, steps, n_packed_loops_split_, Tail::Peel);
    ++n_packed_loops_split_;
  }

  // ---- lanes along the reduction

  // Few rows: an operand that lies along a reduced base is read where it is, in lanes of that base,
  // for to turn it first would cost more than its products. −1 if it is turned.
  int base_along_packed() const {
    const double few_rows = 2 * static_cast<double>(lanes_);
    if (!is_array(packed_) || !is_array(rows_) || packed_.load->gated || row_reuse() >= few_rows ||
        packed_.load->stride[static_cast<size_t>(lane_base_)] == 1)
      return -1;
    const bool may_copy = rows_.load->elements * bytes_ <= target_.l2_bytes / 2;
    for (size_t b = 0; b < s_.bases.size(); ++b) {
      const bool along = s_.bases[b].role == Role::Red && packed_.load->stride[b] == 1;
      if (along && rows_.depends[b] && s_.bases[b].extent >= kLeastVectorsOfTerms * lanes_ &&
          (may_copy || is_read_along(b)))
        return static_cast<int>(b);
    }
    return -1;
  }

  bool is_read_along(size_t red) const {
    return !rows_.load->gated && rows_.load->stride[red] == 1;
  }

  // A tile of rows, and as many of the packed operand's as registers and the ways of a cache hold.
  KernelSchedule run_along(int red) {
    std::vector<int> shared, packed_only, reduced;
    for (size_t b = 0; b < s_.bases.size(); ++b) {
      const int i = static_cast<int>(b);
      if (std::ranges::find(row_bases_, i) != row_bases_.end() || i == red) continue;
      const bool par = s_.bases[b].role == Role::Par;
      (!par ? reduced : rows_.depends[b] ? shared : packed_only).push_back(i);
    }
    std::vector<int> order = shared;
    for (const std::vector<int>& more : {packed_only, row_bases_, reduced, {red}})
      order.insert(order.end(), more.begin(), more.end());
    opt_order(s_, order);
    int64_t room = target_.vector_registers / 4;
    for (int b : row_bases_) {
      const int64_t rows = even_tile(base(b).extent, room);
      if (rows > 1) opt_unroll(s_, b, rows, Tail::Peel);
      room /= rows;
    }
    const int64_t ways = target_.vector_registers / 8;
    const int64_t left = target_.vector_registers * 3 / 4 / unrolled_points(s_);
    const int64_t each = std::min({base(lane_base_).extent, ways, left});
    if (each > 1) opt_unroll(s_, lane_base_, each, Tail::Peel);
    opt_vector(s_, red, static_cast<int>(lanes_), Tail::Peel);
    const auto loops_of = [&](const std::vector<int>& bases) {
      return static_cast<int>(
          std::ranges::count_if(bases, [&](int b) { return loop_of(s_, b) >= 0; }));
    };
    const int around_rows = loops_of(shared), all = around_rows + loops_of(packed_only);
    const bool copied = !is_read_along(static_cast<size_t>(red));
    if (copied) opt_stage(s_, {rows_.copied, around_rows});
    // Each step of the loops that threads share would make the copy again.
    const bool ends_there = copied && are_enough(s_, target_, around_rows);
    share_loops(s_, facts_, target_, ends_there ? around_rows : all, !ends_there);
    return std::move(s_);
  }

  // ---- copies
  bool packed_in_place() const {
    const bool unit = packed_.load->stride[static_cast<size_t>(lane_base_)] == 1;
    const bool whole = base(lane_base_).extent % width_ == 0 || base(lane_base_).extent < width_;
    return unit && whole && !packed_.load->gated &&
           packed_.load->elements * bytes_ <= target_.l2_bytes;
  }

  double row_reuse() const { return extent_of(row_bases_); }

  // An operand whose lanes lie across memory is gathered element by element where it is read: its
  // copy, turned in registers, pays from the second row on.
  double least_reuse() const {
    return packed_.load->stride[static_cast<size_t>(lane_base_)] > 1 ? 2 : kLeastReuse;
  }

  void stage_operands() {
    if (unit_.copies) {
      opt_stage(s_, {packed_.value, n_packed_loops_split_});
      return opt_stage(s_, {rows_.value, first_reduced_loop()});
    }
    if (unit_.unit != nullptr) {
      opt_stage(s_, {packed_.load->access, n_packed_loops_split_});
      const bool in_pairs = rows_.load->stride[static_cast<size_t>(unit_.terms)] == 1;
      if (is_array(rows_) && (rows_.load->gated || !in_pairs)) stage_rows(rows_.load->access);
      return;
    }
    const bool copied = packed_.computed || !packed_in_place();
    if (is_array(packed_) && copied && row_reuse() >= least_reuse())
      opt_stage(s_, {packed_.copied, n_packed_loops_split_});
    if (rows_level_ >= 0) return opt_stage(s_, {rows_.copied, rows_level_});
    if (is_array(rows_) && (rows_.load->gated || (rows_.computed && width_ >= 2 * lanes_)))
      stage_rows(rows_.copied);
  }

  // How many loops are outside all that are reduced.
  int first_reduced_loop() const {
    int level = 0;
    for (const Axis& a : s_.axes) {
      if (a.kind != Kind::Serial && a.kind != Kind::Thread) continue;
      if (base(a.base).role == Role::Red && level >= n_packed_loops_split_) break;
      ++level;
    }
    return level;
  }

  // With their border, or computed in lanes instead of element by element: as far out as the copy
  // stays in a third of level 2, inside the launch's loop.
  void stage_rows(const UOp& operand) {
    const auto threads = static_cast<int>(std::ranges::count(s_.axes, Kind::Thread, &Axis::kind));
    const int outermost = std::max(threads, n_packed_loops_split_);
    for (int level = outermost; level < loop_count(s_); ++level) {
      if (staged_elements(s_, {operand, level}) * bytes_ > target_.l2_bytes / 3) continue;
      opt_stage(s_, {operand, level});
      return;
    }
  }

  // The loops outside the packed copy if they are enough, else the outermost loop over rows as
  // well.
  void thread() {
    if (rows_level_ >= 0) return share_loops(s_, facts_, target_, rows_level_, false);
    const bool split = n_packed_loops_split_ > n_packed_loops_;
    share_loops(s_, facts_, target_, n_packed_loops_, !split);
  }

  KernelSchedule s_;
  const KernelFacts& facts_;
  const Target& target_;
  int64_t lanes_ = 1;
  int64_t bytes_ = 4;  // of an element of the results
  ContractionFactor packed_, rows_;
  bool is_product_ = false;  // a sum of products
  int lane_base_ = -1;
  bool has_shared_lanes_ = false;  // both operands have them
  UnitFit unit_;                   // without one: lanes of ordinary instructions
  int64_t width_ = 0;
  std::vector<int> row_bases_;
  std::vector<std::pair<int, int64_t>> tiles_;
  int n_packed_loops_ = 0;        // loops outside the packed operand, reduction not counted
  int n_packed_loops_split_ = 0;  // with the outer loops of a split reduction
  int64_t rows_in_launch_ = 0;    // those between which the packed operand is used again
  int rows_level_ = -1;           // loops outside the copy of the rows' lines; −1: there is none
};

}  // namespace

std::optional<KernelSchedule> schedule_contraction(const UOp&, const KernelSchedule& plain,
                                                   const KernelFacts& facts, const Target& target) {
  if (facts.any_ordered()) return std::nullopt;
  Contraction c(plain, facts, target);
  if (!c.choose_operands()) return std::nullopt;
  return c.run();
}

}  // namespace tg

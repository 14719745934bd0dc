// A register tile of columns × rows, each a vector of lanes, that accumulates over the reduction:
// per term it takes a load for each column and each row, and a product for each pair. See
// contraction_lanes.h.
#include "codegen/contraction_lanes.h"

#include <algorithm>
#include <iterator>

namespace tg {
namespace {

/// Columns of a tile, beside as many rows as registers are left for.
constexpr int64_t kColumns = 4;
/// Columns that are copied together where they have to be turned. Rows are read again for each.
constexpr int64_t kCopiedColumns = 64;
/// Rows that are copied together at least.
constexpr int64_t kFewestCopiedRows = 8;
/// Reads of a copy for which it pays where the array could be read as it is: columns, and rows,
/// that are far apart displace each other in a cache.
constexpr int64_t kFewestReads = 8;

class SharedLanesPlan {
 public:
  SharedLanesPlan(KernelSchedule plain, const KernelFacts& facts, const SharedLanes& c,
                  const Target& target)
      : s_(std::move(plain)),
        facts_(facts),
        c_(c),
        target_(target),
        column_(widest(c.columns)),
        row_(widest(c.row_bases)) {
    const DType sums = facts.reduces[0].dtype();
    lanes_ = target.lanes_of(sums);
    bytes_of_terms_ = lanes_ * dtype_size(sums);
    for (const BaseRange& b : s_.bases) bytes_of_terms_ *= b.role == Role::Red ? b.extent : 1;
    const auto is_read_often = [&](std::span<const int> others, int64_t each) {
      return extent_of(others) >= kFewestReads * each;
    };
    copies_columns_ = is_turned(c.packed, c.lane) ||
                      (is_read_often(c.row_bases, 1) && copied_at_most(1) >= lanes_);
    copies_rows_ = is_turned(c.rows, c.lane) ||
                   (is_read_often(c.columns, kColumns) && copied_at_most(1) >= kFewestCopiedRows);
    const int64_t others = extent_of(c.row_bases) / extent(row_);
    splits_rows_ = copies_rows_ && others > 1 && copied_at_most(others) < kFewestCopiedRows;
  }

  KernelSchedule run() {
    order_loops();
    const bool whole = extent(c_.lane) % lanes_ == 0;
    opt_vector(s_, c_.lane, static_cast<int>(lanes_), whole ? Tail::None : Tail::Mask);
    if (copies_rows_) tile_rows();
    if (copies_columns_) tile_columns();
    unroll();
    stage_columns();
    if (copies_rows_) stage_rows();
    share_loops(s_, facts_, target_, thread_loops_, !copies_rows_);
    return std::move(s_);
  }

 private:
  int64_t extent(int b) const { return s_.bases[static_cast<size_t>(b)].extent; }
  int64_t extent_of(std::span<const int> bases) const {
    int64_t n = 1;
    for (const int b : bases) n *= extent(b);
    return n;
  }
  int widest(std::span<const int> bases) const {
    return *std::ranges::max_element(bases, {}, [this](int b) { return extent(b); });
  }
  bool is_other_row(int b) const {
    return b != row_ && std::ranges::find(c_.row_bases, b) != c_.row_bases.end();
  }
  bool is_shared(size_t b) const {
    return s_.bases[b].role == Role::Par && c_.packed.depends[b] == c_.rows.depends[b];
  }

  // What both have, the lanes, columns, rows, terms; rows that are too many for one copy outside.
  void order_loops() {
    std::vector<int> order, red;
    for (size_t b = 0; b < s_.bases.size(); ++b) {
      const int i = static_cast<int>(b);
      if (s_.bases[b].role == Role::Red) red.push_back(i);
      if (is_shared(b) && i != c_.lane) order.push_back(i);
    }
    order.push_back(c_.lane);
    const auto add_others = [&](std::span<const int> bases, int last) {
      std::ranges::copy_if(bases, std::back_inserter(order), [&](int b) { return b != last; });
    };
    if (splits_rows_) add_others(c_.row_bases, row_);
    add_others(c_.columns, column_);
    order.push_back(column_);
    if (!splits_rows_) add_others(c_.row_bases, row_);
    order.push_back(row_);
    order.insert(order.end(), red.begin(), red.end());
    opt_order(s_, order);
  }

  // ---- copies: each fits a part of level 2
  int64_t copied_at_most(int64_t others) const {
    return target_.l2_bytes / 4 / (bytes_of_terms_ * others);
  }

  void tile_rows() {
    const int64_t others = splits_rows_ ? 1 : extent_of(c_.row_bases) / extent(row_);
    const int64_t rows = std::max(copied_at_most(others) / kColumns * kColumns, kFewestCopiedRows);
    if (extent(row_) > rows) opt_tile(s_, row_, rows, loops_around_rows(), Tail::Peel);
  }

  void tile_columns() {
    const int64_t columns = std::clamp(copied_at_most(1) / lanes_ * lanes_, lanes_, kCopiedColumns);
    if (extent(column_) > columns) opt_tile(s_, column_, columns, loop_of(s_, column_), Tail::Peel);
  }

  // ---- the tile of registers
  void unroll() {
    int64_t room = target_.vector_registers * 3 / 4;
    for (const int b : {column_, row_}) {
      const int64_t most = b == column_ ? std::min(room, kColumns) : room;
      const int64_t tile = even_tile(innermost_extent(b), most);
      if (tile > 1) opt_unroll(s_, b, tile, Tail::Peel);
      room /= tile;
    }
  }
  int64_t innermost_extent(int b) const {
    const std::vector<int> digits = s_.digits(b);
    return s_.axes[static_cast<size_t>(digits.back())].extent;
  }

  // ---- loops outside of copies: those of what both have, of tiles of rows, of columns
  bool is_tiled(int b) const { return innermost_loop_of(s_, b) > loop_of(s_, b); }
  int loops_around_rows() const {
    const auto loops = std::ranges::count_if(s_.axes, [this](const Axis& a) {
      return a.kind == Kind::Serial &&
             (is_shared(static_cast<size_t>(a.base)) || (splits_rows_ && is_other_row(a.base)));
    });
    return static_cast<int>(loops) + (is_tiled(row_) ? 1 : 0);
  }
  int loops_around_columns() const {
    const auto others = std::ranges::count_if(
        c_.columns, [this](int b) { return b != column_ && loop_of(s_, b) >= 0; });
    return loops_around_rows() + static_cast<int>(others);
  }

  void stage_columns() {
    thread_loops_ = loops_around_columns() + (is_tiled(column_) ? 1 : 0);
    if (copies_columns_) opt_stage(s_, {c_.packed.copied, thread_loops_});
  }

  // Outside the columns, unless threads would be without work.
  void stage_rows() {
    const int level = loops_around_rows();
    if (are_enough(s_, target_, level)) thread_loops_ = level;
    opt_stage(s_, {c_.rows.copied, thread_loops_});
  }

  KernelSchedule s_;
  const KernelFacts& facts_;
  const SharedLanes& c_;
  const Target& target_;
  const int column_, row_;  // the longest of them
  bool copies_columns_ = false, copies_rows_ = false;
  bool splits_rows_ = false;  // all but the longest row base are loops outside the columns
  int64_t lanes_ = 1;
  int64_t bytes_of_terms_ = 1;  // of a row or a column of vectors
  int thread_loops_ = 0;
};

}  // namespace

bool is_turned(const ContractionFactor& f, int lane) {
  return f.load->gated || f.load->stride[static_cast<size_t>(lane)] != 1;
}

KernelSchedule schedule_shared_lanes(KernelSchedule plain, const KernelFacts& facts,
                                     const SharedLanes& c, const Target& target) {
  return SharedLanesPlan(std::move(plain), facts, c, target).run();
}

}  // namespace tg

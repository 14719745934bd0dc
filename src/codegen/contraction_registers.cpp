// See contraction_registers.h. Each factor is copied once if possible. The copy of one, the "whole"
// factor, stands outside all loops over its rows or columns; that is the smaller of those that fit
// beside the other in level 2. The other is copied in parts, each for a part of its loops, which
// threads share. Where neither fits, columns are copied in parts as large as level 2 allows, and
// rows tile by tile for each part.
#include "codegen/contraction_registers.h"

#include <algorithm>
#include <functional>

#include "codegen/kernel_facts.h"

namespace tg {
namespace {

constexpr int64_t kTilesOfSums = 4;  // of eight registers; each factor's tile is then used twice
constexpr int64_t kManyTiles = 4;    // of columns, for which rows that lie in memory are copied

// One factor: the bases that the other lacks.
struct TiledFactor {
  const ContractionFactor* factor = nullptr;
  UOp copied;              // what its copy holds; empty if it is read where it is
  int64_t bytes = 1;       // of an element of the copy
  int tiled = -1;          // the base of its tiles
  int64_t tile = 1;        // elements along it that the sums of a step have
  std::vector<int> bases;  // the farthest in memory first, the base of its tiles last
};

class TileRegisters {
 public:
  TileRegisters(const UnitProducts& p, const UnitFit& fit)
      : s_(p.schedule), p_(p), unit_(*fit.unit), fit_(fit) {
    choose_tiles();
    rows_ = tiled_factor(p.rows, fit.rows, rows_tile_, dtype_size(unit_.input));
    columns_ = tiled_factor(p.packed, p.lanes, columns_tile_, dtype_size(unit_.second));
    columns_.copied = fit.copies ? p.packed.value : p.packed.load->access;
    if (fit.copies || copies_rows()) rows_.copied = fit.copies ? p.rows.value : p.rows.load->access;
    for (size_t b = 0; b < s_.bases.size(); ++b) {
      const int i = static_cast<int>(b);
      if (s_.bases[b].role == Role::Red) terms_.push_back(i);
      if (s_.bases[b].role == Role::Par && !has(rows_, i) && !has(columns_, i))
        shared_.push_back(i);
    }
    sort_by_step(terms_, p.rows);
  }

  KernelSchedule run() {
    split_terms();
    choose_whole();
    divide();
    order_loops();
    make_tiles();
    thread();
    stage();
    return std::move(s_);
  }

 private:
  const BaseRange& base(int b) const { return s_.bases[static_cast<size_t>(b)]; }
  static bool has(const TiledFactor& side, int b) { return std::ranges::count(side.bases, b) > 0; }

  // ---- the factors
  void choose_tiles() {
    const int64_t columns = ceil_div(base(p_.lanes).extent, unit_.n),
                  rows = ceil_div(base(fit_.rows).extent, unit_.m);
    const int64_t across = std::min<int64_t>(columns, rows > 1 ? 2 : kTilesOfSums);
    columns_tile_ = across * unit_.n;
    rows_tile_ = std::min<int64_t>(rows, kTilesOfSums / across) * unit_.m;
  }

  TiledFactor tiled_factor(const ContractionFactor& f, int tiled, int64_t tile,
                           size_t bytes) const {
    TiledFactor out{
        .factor = &f, .bytes = static_cast<int64_t>(bytes), .tiled = tiled, .tile = tile};
    const ContractionFactor& other = &f == &p_.rows ? p_.packed : p_.rows;
    for (size_t b = 0; b < s_.bases.size(); ++b) {
      const int i = static_cast<int>(b);
      const bool own = s_.bases[b].role == Role::Par && f.depends[b] && !other.depends[b];
      if (own && i != tiled) out.bases.push_back(i);
    }
    sort_by_step(out.bases, f);
    out.bases.push_back(tiled);
    return out;
  }

  static void sort_by_step(std::vector<int>& bases, const ContractionFactor& f) {
    std::ranges::stable_sort(bases, std::greater(), [&](int b) {
      return std::abs(f.load->stride[static_cast<size_t>(b)]);
    });
  }

  // Rows that do not lie in memory as the unit takes them; and those that many tiles of columns
  // read, for a copy has them closer together.
  bool copies_rows() const {
    const AccessFacts& load = *p_.rows.load;
    const bool in_place = !load.gated && load.stride[static_cast<size_t>(fit_.terms)] == 1;
    const bool again = base(p_.lanes).extent >= kManyTiles * columns_tile_ &&
                       has_groups(p_.rows, base(fit_.terms).range, unit_.k);
    return again || !in_place;
  }

  // Elements of the copy of `f` for `extents` points of each base: of its array, where windows that
  // slide share elements, or of an expression's ranges.
  int64_t copied_elements(const ContractionFactor& f, std::span<const int64_t> extents) const {
    int64_t n = 1;
    if (fit_.copies) {
      for (size_t b = 0; b < extents.size(); ++b) n *= f.depends[b] ? extents[b] : 1;
      return n;
    }
    const UOp load = f.load->access;
    for (int d = 0; d < load.src_node(0)->n_dim; ++d) {
      int64_t extent = 1;
      for (const Affine::Term& t : Affine::of(load.src(1 + d)).terms)
        extent += std::abs(t.coef) * (extents[static_cast<size_t>(s_.find_base(t.term))] - 1);
      n *= extent;
    }
    return n;
  }

  int64_t copied_bytes(const TiledFactor& side, std::span<const int64_t> extents) const {
    return side.copied ? copied_elements(*side.factor, extents) * side.bytes : 0;
  }

  // Points of each base that one copy may have at most: shared loops stand outside all copies, and
  // so do the first loops over terms.
  std::vector<int64_t> all_points() const {
    std::vector<int64_t> out;
    for (const BaseRange& b : s_.bases) out.push_back(b.extent);
    for (int b : shared_) out[static_cast<size_t>(b)] = 1;
    for (int b : outer_terms_) out[static_cast<size_t>(b)] = 1;
    if (split_size_ > 0) out[static_cast<size_t>(terms_.front())] = split_size_;
    return out;
  }

  // What one copy may take: two of them, results and what passes by share level 2. Beside tiles of
  // rows there is more for columns.
  int64_t room() const { return p_.target.l2_bytes / 3; }
  int64_t room_of_part() const { return is_copied_once_ ? room() : p_.target.l2_bytes / 2; }

  // ---- loops
  // A tile's columns with all of their terms should be a part of level 2: the first loops over
  // terms move outside until they are, and the sums of all rows then lie in scratch memory.
  void split_terms() {
    const int64_t most = std::max<int64_t>(64, room() / (columns_tile_ * columns_.bytes));
    const auto inner = [&] {
      int64_t n = 1;
      for (int b : terms_) n *= base(b).extent;
      return n;
    };
    while (terms_.size() > 1 && inner() > most) {
      outer_terms_.push_back(terms_.front());
      terms_.erase(terms_.begin());
    }
    if (inner() > 2 * most) {
      const int64_t parts = ceil_div(base(terms_.front()).extent, most);
      split_size_ = ceil_div(base(terms_.front()).extent, parts);
    }
  }

  void choose_whole() {
    const std::vector<int64_t> all = all_points();
    const int64_t of_rows = copied_bytes(rows_, all), of_columns = copied_bytes(columns_, all);
    const bool one_part = outer_terms_.empty() && split_size_ == 0;
    const bool rows_fit = one_part && rows_.copied && of_rows <= room(),
               columns_fit = one_part && of_columns <= room();
    const bool columns = columns_fit && (!rows_fit || of_columns <= of_rows);
    whole_ = columns ? &columns_ : &rows_;
    divided_ = columns ? &rows_ : &columns_;
    is_copied_once_ = rows_fit || columns_fit;
  }

  // Parts of the divided factor, outermost loops first: until one fits, and each thread has some.
  void divide() {
    std::vector<int64_t> points = all_points();
    int64_t parts = 1;
    for (int b : shared_) parts *= base(b).extent;
    const auto fits = [&] { return copied_bytes(*divided_, points) <= room_of_part(); };
    for (const int b : divided_->bases) {
      const int64_t wanted = ceil_div(std::max(1, p_.target.threads), parts);
      if (fits() && wanted == 1) return;
      const int64_t extent = base(b).extent, each = b == divided_->tiled ? divided_->tile : 1;
      const auto equal = [&](int64_t n) { return ceil_div(ceil_div(extent, n), each) * each; };
      int64_t n = wanted;
      for (int64_t& part = points[static_cast<size_t>(b)];; n += ceil_div(n, 8)) {
        part = std::min(equal(n), extent);
        if (part <= each || fits()) break;
      }
      const int64_t part = points[static_cast<size_t>(b)];
      if (part == extent) continue;
      parts *= ceil_div(extent, part);
      if (part > 1) {
        part_of_ = b;
        part_ = part;
        return;
      }
      outer_.push_back(b);
    }
  }

  // [shared, parts, outer terms, rows, columns, terms]: results lie along columns.
  void order_loops() {
    std::vector<int> order = shared_;
    order.insert(order.end(), outer_.begin(), outer_.end());
    const int parts_at = static_cast<int>(order.size());
    order.insert(order.end(), outer_terms_.begin(), outer_terms_.end());
    for (const TiledFactor* f : {&rows_, &columns_}) {
      std::ranges::copy_if(f->bases, std::back_inserter(order),
                           [&](int b) { return std::ranges::count(outer_, b) == 0; });
    }
    order.insert(order.end(), terms_.begin(), terms_.end());
    opt_order(s_, order);
    if (part_of_ >= 0) opt_tile(s_, part_of_, part_, parts_at, Tail::Peel);
  }

  // Columns behind the last that are not there are asked for, rows peeled: each has one tail.
  void make_tiles() {
    const bool rows = tile_side(rows_, Tail::Peel), columns = tile_side(columns_, Tail::Mask);
    const bool groups = base(fit_.terms).extent % unit_.k == 0;
    opt_matrix(s_, unit_, {fit_.rows, p_.lanes, fit_.terms},
               rows && columns && groups ? Tail::None : Tail::Mask);
    for (const auto& [side, each] : {std::pair{&rows_, unit_.m}, std::pair{&columns_, unit_.n}}) {
      if (side->tile > each) opt_unroll(s_, side->tiled, side->tile / each, Tail::None);
    }
    if (split_size_ > 0) split_reduction();
  }

  // Whether all tiles of the side's parts are whole.
  bool tile_side(const TiledFactor& side, Tail tail) {
    const bool in_parts = part_of_ == side.tiled;
    const int64_t extent = in_parts ? part_ : base(side.tiled).extent;
    if (extent > side.tile)
      opt_tile(s_, side.tiled, side.tile, innermost_loop_of(s_, side.tiled),
               in_parts ? Tail::None : tail);
    return in_parts || extent > side.tile;
  }

  void split_reduction() {
    const int b = terms_.front();
    const int64_t steps = steps_of_part(base(b).extent, split_size_, b == fit_.terms ? unit_.k : 1);
    if (steps == 0) return;
    opt_split_reduce(s_, b, steps, first_inner_loop(), Tail::Peel);
    is_split_ = true;
  }

  // How many loops stand outside the copies of parts.
  int first_inner_loop() const {
    std::vector<int> outside = shared_;
    outside.insert(outside.end(), outer_.begin(), outer_.end());
    if (part_of_ >= 0) outside.push_back(part_of_);
    outside.insert(outside.end(), outer_terms_.begin(), outer_terms_.end());
    if (is_split_) outside.push_back(terms_.front());
    int loop = 0;
    for (const int b : outside) loop += loop < loop_count(s_) && loop_base(loop) == b;
    return loop;
  }
  int loop_base(int loop) const { return s_.axes[static_cast<size_t>(loop)].base; }

  // Shared loops if they are enough, else those over parts as well.
  void thread() {
    const auto shared = static_cast<int>(shared_.size());
    const int most = shared + static_cast<int>(outer_.size()) + (part_of_ >= 0 ? 1 : 0);
    int64_t chunks = 1;
    for (; threads_ < most; ++threads_) {
      const Axis& a = s_.axes[static_cast<size_t>(threads_)];
      if (!p_.facts.shared[static_cast<size_t>(a.base)]) break;
      if (threads_ == shared && chunks > 1 && chunks >= p_.target.threads) break;
      chunks *= a.extent;
    }
    if (chunks > 1) opt_thread(s_, threads_);
    if (chunks == 1) threads_ = 0;
  }

  // ---- copies
  void stage() {
    const int inside = first_inner_loop(), shared = static_cast<int>(shared_.size());
    int of_divided = inside, of_whole = inside;
    while (is_copied_once_ && may_move_inside(of_divided)) ++of_divided;
    if (!is_copied_once_) {
      while (of_whole < loop_count(s_) && has(*whole_, loop_base(of_whole))) ++of_whole;
    } else if (shared == 0 || threads_ <= shared) {
      of_whole = shared;
    }
    const bool columns_first = whole_ == &columns_;
    const std::pair<TiledFactor*, int> whole{whole_, of_whole}, divided{divided_, of_divided};
    for (const auto& [side, level] :
         {columns_first ? whole : divided, columns_first ? divided : whole}) {
      if (side->copied) opt_stage(s_, {side->copied, level});
    }
  }

  // Whether copies that stand inside one loop more take no more elements in all, and still read
  // what lies together.
  bool may_move_inside(int level) const {
    if (level >= loop_count(s_) || !has(*divided_, loop_base(level))) return false;
    if (std::abs(divided_->factor->load->stride[static_cast<size_t>(fit_.terms)]) != 1)
      return false;
    std::vector<int64_t> points = all_points();
    for (int i = 0; i < level; ++i) {
      const Axis& a = s_.axes[static_cast<size_t>(i)];
      if (has(*divided_, a.base)) points[static_cast<size_t>(a.base)] = a.stride;
    }
    const int64_t here = copied_elements(*divided_->factor, points);
    const Axis& a = s_.axes[static_cast<size_t>(level)];
    points[static_cast<size_t>(a.base)] = a.stride;
    return copied_elements(*divided_->factor, points) * a.extent <= here + here / 16;
  }

  KernelSchedule s_;
  const UnitProducts& p_;
  const MatrixUnit& unit_;
  const UnitFit& fit_;
  int64_t columns_tile_ = 0, rows_tile_ = 0;
  TiledFactor rows_, columns_;
  std::vector<int> shared_, terms_, outer_terms_;
  int64_t split_size_ = 0;  // of the first inner terms, if they are split
  bool is_split_ = false;
  TiledFactor* whole_ = nullptr;
  TiledFactor* divided_ = nullptr;
  bool is_copied_once_ = false;  // the whole factor
  std::vector<int> outer_;       // bases of the divided factor that parts have one point of
  int part_of_ = -1;             // the base that parts have `part_` points of
  int64_t part_ = 0;
  int threads_ = 0;
};

// Cycles that the copy of a factor takes, whose rows lie along `range` in memory or not.
double cycles_of_copy(const ContractionFactor& f, int along) {
  constexpr double kByVectors = 0.2, kOneByOne = 1;  // an element
  const bool rows = std::abs(f.load->stride[static_cast<size_t>(along)]) == 1;
  return static_cast<double>(f.load->elements) * (rows ? kByVectors : kOneByOne);
}

}  // namespace

double share_of_others(const Target& target) {
  constexpr double kOrdinary = 1.0 / 16;
  return std::ranges::any_of(target.matrix_units, &MatrixUnit::is_tile) ? kOrdinary : 1;
}

double share_of_products(const UnitProducts& p) {
  constexpr double kCycles = 16;  // of one instruction
  const double others = share_of_others(p.target);
  if (others == 1) return 1;
  const UnitFit fit = choose_unit(p);
  if (fit.unit == nullptr || !fit.unit->is_tile()) return others;
  double products = 1;
  for (const BaseRange& b : p.schedule.bases) products *= static_cast<double>(b.extent);
  const auto each = static_cast<double>(fit.unit->m * fit.unit->n * fit.unit->k);
  const double cycles = products / each * kCycles,
               copies = cycles_of_copy(p.packed, p.lanes) + cycles_of_copy(p.rows, fit.terms);
  return others + (1 - others) * cycles / (cycles + copies);
}

KernelSchedule schedule_tile_registers(const UnitProducts& products, const UnitFit& fit) {
  return TileRegisters(products, fit).run();
}

}  // namespace tg

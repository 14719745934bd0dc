// Accesses whose lanes run across memory while an unrolled axis runs along it. A square of elements
// is read or written row by row and transposed in registers, n·log2 n two-source shuffles for n
// vectors, instead of one element at a time. The network is the butterfly of J. O. Eklundh, "A fast
// computer method for matrix transposing", 1972. Where the axis just fills what is between two
// lanes, its vectors are woven into one, which is stored whole.
#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>
#include <utility>

#include "codegen/emitter.h"
#include "codegen/kernel_facts.h"

namespace tg {
namespace {

// One exchange of the network: lanes with bit `d` of the first vector change places with lanes
// without it of the second.
std::pair<std::vector<int64_t>, std::vector<int64_t>> exchange(int64_t lanes, int64_t d) {
  std::vector<int64_t> first, second;
  for (int64_t l = 0; l < lanes; ++l) {
    const bool has = (l & d) != 0;
    first.push_back(has ? lanes + l - d : l);
    second.push_back(has ? lanes + l : l + d);
  }
  return {std::move(first), std::move(second)};
}

}  // namespace

// How far lanes are apart in memory, and the unrolled leaf along which the access is contiguous
// (−1 if there is none). Lanes 0 apart and no leaf if either does not follow from the terms.
Emitter::RowOfLanes Emitter::row_of_lanes(const Affine& flat) const {
  RowOfLanes row;
  for (const Affine::Term& t : flat.terms) {
    const bool on_lanes = (deps(t.term) & vector_) != 0;
    if (!t.term.is(Op::Range)) {
      if (on_lanes || (deps(t.term) & unroll_) != 0) return {};
      continue;
    }
    const int leaf = k_.leaf_of(t.term.node());
    if (on_lanes) row.step += t.coef;
    if (t.coef == 1 && k_.leaves[static_cast<size_t>(leaf)].kind == Kind::Unroll) row.leaf = leaf;
  }
  return row;
}

// The unrolled leaf along which the access is contiguous, as long as there are lanes; −1 if there
// is none. `step` becomes the distance between lanes, which must be a plain one other than 0 and 1.
int Emitter::row_leaf(const Affine& flat, int lanes, int64_t& step) const {
  const RowOfLanes row = row_of_lanes(flat);
  step = row.step;
  const bool square = lanes >= 2 && std::has_single_bit(static_cast<unsigned>(lanes)) &&
                      row.leaf >= 0 && leaf_[static_cast<size_t>(row.leaf)].extent == lanes;
  return square && step != 0 && step != 1 ? row.leaf : -1;
}

// The unrolled leaf whose points just fill what is between neighbouring lanes; −1 if there is none
// or if they are too many.
int Emitter::woven_leaf(const Affine& flat, int lanes) const {
  const auto [step, leaf] = row_of_lanes(flat);
  const bool fills = leaf >= 0 && leaf_[static_cast<size_t>(leaf)].extent == step;
  if (lanes < 2 || step < 2 || !fills) return -1;
  const bool halves = std::has_single_bit(static_cast<uint64_t>(step));
  return step <= (halves ? max_lanes_ : kMostWoven) ? leaf : -1;
}

// The values of `v` at the points of leaf `row`.
std::vector<UOp> Emitter::row_values(const UOp& v, const std::vector<UOp>& order,
                                     const Point& corner, int row, int lanes) {
  std::vector<UOp> rows;
  Point p = corner;
  for (int64_t& k = p[static_cast<size_t>(row)]; k < leaf_[static_cast<size_t>(row)].extent; ++k) {
    evaluate(order, p);
    rows.push_back(widen(value(v), lanes));
  }
  return rows;
}

// Vectors a, b, c, d as a0 b0 c0 d0 a1 …, in as few vectors of at most `most` lanes as there can
// be: log2 n times the perfect shuffle of all of their lanes (H. S. Stone, "Parallel processing
// with the perfect shuffle", 1971), each of which makes the highest bit of a lane's number the
// lowest one. Two vectors become one while that is not too wide.
std::vector<UOp> Emitter::woven(std::vector<UOp> rows, int64_t most) {
  const auto n = static_cast<int64_t>(rows.size());
  if (!std::has_single_bit(rows.size())) return picked(rows);
  const int64_t all = n * rows[0].lanes(), of_register = lanes_of_register(rows[0].dtype());
  const int64_t widest = all <= max_lanes_ ? all : of_register;
  for (int64_t turn = n; turn > 1; turn /= 2) {
    const int64_t lanes = rows[0].lanes();
    std::vector<int64_t> in_turn;
    for (int64_t l = 0; l < lanes; ++l) in_turn.insert(in_turn.end(), {l, lanes + l});
    const bool join = 2 * lanes <= widest;
    const size_t half = rows.size() / 2;
    std::vector<UOp> next;
    for (size_t i = 0; i < half; ++i) {
      const UOp &a = rows[i], &b = rows[i + half];
      if (join) {
        next.push_back(scopes_.put(Op::Shuffle, {a, b}, in_turn));
        continue;
      }
      const auto middle = in_turn.begin() + lanes;
      next.push_back(scopes_.put(Op::Shuffle, {a, b}, {in_turn.begin(), middle}));
      next.push_back(scopes_.put(Op::Shuffle, {a, b}, {middle, in_turn.end()}));
    }
    rows = std::move(next);
  }
  if (rows[0].lanes() <= most) return rows;
  std::vector<UOp> out;
  for (const UOp& row : rows) {
    for (int64_t begin = 0; begin < row.lanes(); begin += most) {
      std::vector<int64_t> taken(static_cast<size_t>(most));
      std::iota(taken.begin(), taken.end(), begin);
      out.push_back(scopes_.put(Op::Shuffle, {row, row}, taken));
    }
  }
  return out;
}

int64_t Emitter::lanes_of_register(DType t) const {
  const int64_t fit = vector_bytes_ / static_cast<int64_t>(dtype_size(t));
  return std::clamp<int64_t>(fit, 1, max_lanes_);
}

// The same of any number of vectors, each picked from one row after the other.
std::vector<UOp> Emitter::picked(const std::vector<UOp>& rows) {
  const auto n = static_cast<int64_t>(rows.size()), lanes = int64_t{rows[0].lanes()};
  std::vector<UOp> out;
  for (int64_t vector = 0; vector < n; ++vector) {
    UOp all = rows[0];
    for (int64_t r = 1; r < n; ++r) {
      std::vector<int64_t> taken;
      for (int64_t l = 0; l < lanes; ++l) {
        const int64_t place = vector * lanes + l, from = place % n;
        const int64_t before = r == 1 ? place / n : l;
        taken.push_back(from == r ? lanes + place / n : from < r ? before : 0);
      }
      all = scopes_.put(Op::Shuffle, {all, rows[static_cast<size_t>(r)]}, taken);
    }
    out.push_back(all);
  }
  return out;
}

bool Emitter::all_rows_inside(const AccessForm& form, int row) {
  LeafState& leaf = leaf_[static_cast<size_t>(row)];
  const Interval here = std::exchange(leaf.bounds, Interval{0, leaf.extent - 1});
  const bool inside = !has_gate(form);
  leaf.bounds = here;
  return inside;
}

// The vector of an ungated load at `point`, out of the square it belongs to. The other vectors of
// the square become part of the list with it; where they are asked for, they are there already.
UOp Emitter::emit_transposed(const UOp& ptr, const AccessForm& form, const Point& point, int lanes,
                             int row, int64_t step) {
  Point corner = point;
  corner[static_cast<size_t>(row)] = 0;
  const int64_t arg[] = {lanes, 0};
  std::vector<UOp> square;
  for (const UOp& index : row_addresses(form, corner, lanes, step))
    square.push_back(scopes_.put(make(Op::Load, std::vector<UOp>{ptr, index}, arg)));
  return transposed(std::move(square))[static_cast<size_t>(point[static_cast<size_t>(row)])];
}

std::optional<std::vector<Emitter::Limit>> Emitter::limits_of_square(const AccessForm& form,
                                                                     const Node* end, int row) {
  std::vector<Limit> limits;
  if (std::ranges::any_of(form.conditions, [this](const UOp& c) { return is_asked(c); })) return {};
  for (size_t d = 0; d < form.dims.size(); ++d) {
    const Dim extent = form.access.src_node(0)->shape()[d];
    const Interval reach = reach_of(form, d);
    if (reach.lo < 0) return {};
    if (reach.hi >= extent) limits.push_back({form.dims[d], extent});
  }
  for (size_t b = 0; end != nullptr && b < k_.bases.size(); ++b) {
    if (may_overrun(b, k_.closed_by(end)))
      limits.push_back({Affine::of(k_.base_value[b]), k_.bases[b].extent});
  }
  const auto is_plain = [&](const Affine::Term& t) {
    return t.term.is(Op::Range) ? k_.leaf_of(t.term.node()) != row || t.coef == 1
                                : (deps(t.term) & (vector_ | LeafSet{1} << row)) == 0;
  };
  for (const Limit& l : limits) {
    if (!l.index.ok || !std::ranges::all_of(l.index.terms, is_plain)) return {};
  }
  return limits;
}

UOp Emitter::square_gate(const Square& square, std::span<const Limit> limits, int64_t k) {
  UOp gate;
  for (const Limit& l : limits) {
    Affine left{.constant = l.end - l.index.constant};  // of the limit for the rest of the index
    bool along = false;
    for (const Affine::Term& t : l.index.terms) {
      const bool is_row = t.term.is(Op::Range) && k_.leaf_of(t.term.node()) == square.row;
      along |= is_row;
      if ((deps(t.term) & vector_) != 0) {
        left.add_constant(-k * t.coef);
      } else if (!is_row) {
        left.add_term(t.term, -t.coef);
      }
    }
    const UOp zero = scopes_.put(index_const(0)), count = emit_scalar_sum(left, square.corner);
    if (!along) {
      gate = both(gate, widen(scopes_.put(Op::CmpLt, {zero, count}), square.lanes));
      continue;
    }
    const UOp some = lesser(greater(count, zero), scopes_.put(index_const(square.lanes)));
    gate = both(gate, first_lanes(some, square.lanes));
  }
  return gate;
}

Affine Emitter::of_first_lane(Affine index) const {
  std::erase_if(index.terms, [&](const Affine::Term& t) { return (deps(t.term) & vector_) != 0; });
  return index;
}

// Where the rows of the square begin, which has `corner` for its first point.
std::vector<UOp> Emitter::row_addresses(const AccessForm& form, const Point& corner, int lanes,
                                        int64_t step) {
  const Affine first = of_first_lane(form.flat);
  std::vector<UOp> out;
  for (int64_t k = 0; k < lanes; ++k) {
    Affine at = first;
    at.add_constant(k * step);
    out.push_back(emit_scalar_sum(at, corner));
  }
  return out;
}

std::vector<UOp> Emitter::transposed(std::vector<UOp> square) {
  const auto lanes = static_cast<int64_t>(square.size());
  for (int64_t d = 1; d < lanes; d *= 2) {
    const auto [first_lanes, second_lanes] = exchange(lanes, d);
    for (size_t i = 0; i < square.size(); ++i) {
      if ((i & static_cast<size_t>(d)) != 0) continue;
      const UOp a = square[i], b = square[i + static_cast<size_t>(d)];
      square[i] = scopes_.put(make(Op::Shuffle, std::vector<UOp>{a, b}, first_lanes));
      square[i + static_cast<size_t>(d)] =
          scopes_.put(make(Op::Shuffle, std::vector<UOp>{a, b}, second_lanes));
    }
  }
  return square;
}

}  // namespace tg

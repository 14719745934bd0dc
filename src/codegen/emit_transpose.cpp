// Accesses whose lanes run across memory while an unrolled axis runs along it. A square of elements
// is read or written row by row and transposed in registers, n·log2 n two-source shuffles for n
// vectors, instead of one element at a time. The network is the butterfly of J. O. Eklundh, "A fast
// computer method for matrix transposing", 1972. Where the axis just fills what is between two
// lanes, its vectors are woven into one, which is stored whole.
#include <bit>
#include <utility>

#include "codegen/emitter.h"

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

// The unrolled leaf along which the access is contiguous, as long as there are lanes; −1 if there
// is none. `step` becomes the distance between lanes, which must be a plain one other than 0 and 1.
int Emitter::row_leaf(const AccessForm& form, int lanes, int64_t& step) const {
  if (lanes < 2 || !std::has_single_bit(static_cast<unsigned>(lanes))) return -1;
  int row = -1;
  step = 0;
  for (const Affine::Term& t : form.flat.terms) {
    const bool on_lanes = (deps(t.term) & vector_) != 0;
    if (!t.term.is(Op::Range)) {
      if (on_lanes || (deps(t.term) & unroll_) != 0) return -1;
      continue;
    }
    const int leaf = k_.leaf_of(t.term.node());
    if (on_lanes) step += t.coef;
    const bool unrolled = k_.leaves[static_cast<size_t>(leaf)].kind == Kind::Unroll;
    if (unrolled && t.coef == 1 && leaf_[static_cast<size_t>(leaf)].extent == lanes) row = leaf;
  }
  return step == 0 || step == 1 ? -1 : row;
}

// The unrolled leaf whose points just fill what is between neighbouring lanes; −1 if there is none
// or if that is more than a vector of the target may have.
int Emitter::woven_leaf(const Affine& flat, int lanes) const {
  int64_t step = 0;
  int leaf = -1;
  for (const Affine::Term& t : flat.terms) {
    const bool on_lanes = (deps(t.term) & vector_) != 0;
    if (!t.term.is(Op::Range)) {
      if (on_lanes || (deps(t.term) & unroll_) != 0) return -1;
      continue;
    }
    const int at = k_.leaf_of(t.term.node());
    if (on_lanes) step += t.coef;
    if (t.coef == 1 && k_.leaves[static_cast<size_t>(at)].kind == Kind::Unroll) leaf = at;
  }
  const bool fits = leaf >= 0 && leaf_[static_cast<size_t>(leaf)].extent == step;
  const bool short_enough =
      step >= 2 && step * lanes <= max_lanes_ && std::has_single_bit(static_cast<uint64_t>(step));
  return lanes >= 2 && fits && short_enough ? leaf : -1;
}

// The values of `v` at the points of leaf `row`, as they lie in memory: a0 b0 c0 d0 a1 … of vectors
// a, b, c, d. Those with even numbers and those with odd ones are woven first.
UOp Emitter::woven_values(const UOp& v, const std::vector<UOp>& order, const Point& corner, int row,
                          int lanes) {
  std::vector<UOp> rows;
  Point p = corner;
  for (int64_t& k = p[static_cast<size_t>(row)]; k < leaf_[static_cast<size_t>(row)].extent; ++k) {
    evaluate(order, p);
    rows.push_back(widen(value(v), lanes));
  }
  for (size_t half = rows.size() / 2; half > 0; half /= 2) {
    const int64_t each = rows[0].lanes();
    std::vector<int64_t> in_turn;
    for (int64_t l = 0; l < each; ++l) in_turn.insert(in_turn.end(), {l, each + l});
    for (size_t i = 0; i < half; ++i)
      rows[i] = scopes_.put(Op::Shuffle, {rows[i], rows[i + half]}, in_turn);
  }
  return rows[0];
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

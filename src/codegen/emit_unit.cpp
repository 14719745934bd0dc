// Products by a matrix unit: fragments of the operands are gathered by the unit's maps, the running
// values of its result are the fragment of the third matrix. What is evaluated for an operand sees
// the unit's leaves as that operand's map has them, so whatever the factor is (an array, a staged
// copy, arithmetic) needs no code of its own.
#include <algorithm>
#include <bit>

#include "codegen/emitter.h"
#include "codegen/unit_product.h"
#include "support/check.h"
#include "support/symbol.h"

namespace tg {
namespace {

constexpr int64_t kMostLanes = 4;      // of one access
constexpr int64_t kTileRowBytes = 64;  // of a tile register

// The vector whose lanes `values` are, in order; empty if there is none.
UOp whole_vector(std::span<const UOp> values) {
  if (!values[0].is(Op::Extract)) return {};
  const UOp whole = values[0].src(0);
  bool same = whole.lanes() == std::ssize(values);
  for (size_t r = 0; r < values.size(); ++r) {
    same = same && values[r].is(Op::Extract) && values[r].src(0) == whole &&
           values[r].arg(0) == static_cast<int64_t>(r);
  }
  return same ? whole : UOp{};
}

}  // namespace

// ---- leaves of the unit

// Work-items of a subgroup differ in these bits: Σ weight·bit, from the work-item ranges, whose
// runs of bits with doubling weights are taken together.
UOp Emitter::lane_bits(std::span<const int64_t> weights) {
  UOp sum = scopes_.put(index_const(0));
  size_t low = 0;
  for (size_t d = work_items_.size(); d-- > k_.product->first_work_items;) {
    const auto bits =
        static_cast<size_t>(std::countr_zero(static_cast<uint64_t>(k_.work_items[d])));
    for (size_t x = 0; x < bits;) {
      size_t y = x + 1;
      while (y < bits && weights[low + y] == 2 * weights[low + y - 1]) ++y;
      if (const int64_t weight = weights[low + x]; weight != 0) {
        UOp part = floor_of(work_items_[d], int64_t{1} << x);
        if (y < bits)
          part = scopes_.put(Op::Mod, {part, scopes_.put(index_const(int64_t{1} << (y - x)))});
        sum = add_index(sum, scale_index(part, weight));
      }
      x = y;
    }
    low += bits;
  }
  return sum;
}

// Σ coefficient·leaf for the element in hand.
Emitter::FragmentSum Emitter::fragment_sum(std::span<const std::pair<int, int64_t>> leaves) {
  const FragmentMap& map = *fragment_->map;
  std::vector<int64_t> weights(map.lane.size(), 0);
  int64_t constant = 0;
  for (const auto& [id, coef] : leaves) {
    const Leaf& leaf = k_.leaves[static_cast<size_t>(id)];
    constant += coef * unit_digit(*k_.product, leaf, map, 0, fragment_->reg);
    for (size_t i = 0; i < weights.size(); ++i)
      weights[i] += coef * unit_digit(*k_.product, leaf, map, int64_t{1} << i, 0);
  }
  return {lane_bits(weights), constant};
}

// ---- fragments

// Elements of the operand's array that neighbouring registers take from neighbouring places.
int64_t Emitter::fragment_lanes(const UOp& operand, const FragmentMap& map) {
  if (!operand.is(Op::Load)) return 1;
  const Affine& flat = form_of(operand).flat;
  int64_t lanes = 1;
  for (size_t r = 0; r < map.reg.size() && 2 * lanes <= kMostLanes; ++r) {
    int64_t step = 0;
    for (const Affine::Term& t : flat.terms) {
      if ((deps(t.term) & k_.product->leaves) == 0) continue;
      if (!t.term.is(Op::Range)) return 1;
      const Leaf& leaf = k_.leaves[static_cast<size_t>(k_.leaf_of(t.term.node()))];
      step += t.coef * unit_digit(*k_.product, leaf, map, 0, int64_t{1} << r);
    }
    if (step != lanes) break;
    lanes *= 2;
  }
  return lanes;
}

UOp Emitter::joined(std::vector<UOp> pieces) {
  if (pieces.size() > 1 && pieces[0].lanes() == 1) return scopes_.put(make(Op::Stack, pieces, {}));
  for (; pieces.size() > 1; pieces.resize(pieces.size() / 2)) {
    std::vector<int64_t> lanes;
    for (int64_t i = 0; i < 2 * pieces[0].lanes(); ++i) lanes.push_back(i);
    for (size_t i = 0; i + 1 < pieces.size(); i += 2)
      pieces[i / 2] = scopes_.put(Op::Shuffle, {pieces[i], pieces[i + 1]}, lanes);
  }
  return pieces[0];
}

// Each work-item's elements of an operand; terms behind the end of the reduction are 0.
UOp Emitter::fragment(const UOp& operand, const FragmentMap& map, const Point& point) {
  const Node* reduce = k_.product->reduce;
  const std::vector<UOp> order = evaluation_order(std::span(&operand, 1));
  fragment_ = {&map, 0};
  int64_t lanes = fragment_lanes(operand, map);
  if (lanes > 1) {
    evaluate(evaluation_order(operands(operand)), point);
    if (access_gate(form_of(operand), point, 1) || overrun_gate(reduce, point, 1)) lanes = 1;
  }
  std::vector<UOp> pieces;
  for (int64_t r = 0; r < map.registers(); r += lanes) {
    fragment_ = {&map, r};
    if (lanes > 1) {
      const UOp at = emit_scalar_sum(form_of(operand).flat, point);
      pieces.push_back(scopes_.put(Op::Load, {pointer_of(operand), at}, {{lanes, 0}}));
      continue;
    }
    evaluate(order, point);
    UOp v = value(operand);
    if (const UOp gate = overrun_gate(reduce, point, 1))
      v = scopes_.put(Op::Where, {gate, v, scopes_.put(constant(0.0, v.dtype()))});
    pieces.push_back(v);
  }
  fragment_.reset();
  return joined(std::move(pieces));
}

// All terms of the unrolled points, by one instruction for each tile of the unit.
void Emitter::emit_products(const Production& made) {
  const UnitProduct& product = *k_.product;
  const int64_t name = intern_symbol(product.unit->name);
  for_unit_tiles(made, [&](const Point& at, const UOp& c) {
    const UOp a = fragment(product.a, product.unit->a, at);
    const UOp b = fragment(product.b, product.unit->b, at);
    return scopes_.put(Op::Mma, {a, b, c}, {{name}});
  });
}

// The running values of each tile of the unit, changed by `multiply` for each unrolled step of it.
void Emitter::for_unit_tiles(const Production& made,
                             FunctionRef<UOp(const Point& at, const UOp& sum)> multiply) {
  const UnitProduct& product = *k_.product;
  const FragmentMap& c = product.unit->c;
  const UOp reduce = UOp::share(made.node);
  std::vector<UOp>& values = acc_.at(&made).values;
  const LeafSet closed = k_.closed_by(made.node) & ~product.leaves;
  for_points(closed, [&](const Point& terms) {
    for_points(deps(reduce) & ~product.leaves, [&](const Point& tile) {
      Point at = tile;
      for (size_t i = 0; i < at.size(); ++i) at[i] += (closed >> i & 1) != 0 ? terms[i] : 0;
      std::vector<size_t> place;
      std::vector<UOp> running;
      for (int64_t r = 0; r < c.registers(); ++r) {
        Point element = at;
        for (size_t i = 0; i < at.size(); ++i) {
          const Leaf& leaf = k_.leaves[i];
          if ((product.leaves >> i & 1) != 0 && leaf.kind == Kind::Unroll)
            element[i] = unit_digit(product, leaf, c, 0, r);
        }
        place.push_back(position(reduce, element));
        running.push_back(values[place.back()]);
      }
      const UOp whole = whole_vector(running);
      const UOp sum = multiply(at, whole ? whole : joined(running));
      for (size_t r = 0; r < place.size(); ++r)
        values[place[r]] = scopes_.put(Op::Extract, {sum}, {{static_cast<int64_t>(r)}});
    });
  });
}

// ---- instructions of processors

// Where an operand's elements lie that one instruction reads: the first of them, and how far each
// bit of a register's number moves.
Emitter::OperandPlace Emitter::operand_place(const UOp& load, const FragmentMap& map) {
  const auto refuse = [](const char* why) { user_error<ArgumentError>("TC", why); };
  if (!load.is(Op::Load)) refuse("a factor is no array");
  const AccessForm& form = form_of(load);
  OperandPlace place{form.flat, std::vector<int64_t>(map.reg.size(), 0)};
  for (const auto& [term, coef] : form.flat.terms) {
    if ((deps(term) & k_.product->leaves) == 0) continue;
    if (!term.is(Op::Range)) refuse("a factor's index is no sum of its rows, columns and terms");
    place.start.add_term(term, -coef);
    const Leaf& leaf = k_.leaves[static_cast<size_t>(k_.leaf_of(term.node()))];
    for (size_t r = 0; r < map.reg.size(); ++r)
      place.steps[r] += coef * unit_digit(*k_.product, leaf, map, 0, int64_t{1} << r);
  }
  return place;
}

// The registers of a map from one place in memory on, where the operand or its copy has them in
// order.
UOp Emitter::dot_operand(const UOp& operand, const FragmentMap& map, const Point& point) {
  const UOp load = operand.is(Op::Cast) ? operand.src(0) : operand;
  const OperandPlace place = operand_place(load, map);
  if (has_gate(form_of(load))) user_error<ArgumentError>("TC", "a factor has a border");
  for (size_t r = 0; r < map.reg.size(); ++r) {
    if (place.steps[r] != int64_t{1} << r)
      user_error<ArgumentError>("TC", "a factor does not lie in memory as the unit takes it");
  }
  evaluate(evaluation_order(operands(load)), point);
  const auto lanes = static_cast<int>(map.registers());
  const UOp v = scopes_.put(Op::Load, {pinned(pointer_of(load)), emit_scalar_sum(place.start, point)},
                            {{int64_t{lanes}, 0}});
  return operand == load ? v : scopes_.put(cast(v, operand.dtype()));
}

// The same of a matrix whose rows lie anywhere, equally far apart.
UOp Emitter::tile_operand(const UOp& load, const FragmentMap& map, const Point& point) {
  const OperandPlace place = operand_place(load, map);
  const int64_t row = kTileRowBytes / dtype_size(load.dtype());
  const auto bits = static_cast<size_t>(std::countr_zero(static_cast<uint64_t>(row)));
  const TileRows rows{map.registers() / row, row, place.steps[bits]};
  for (size_t r = 0; r < map.reg.size(); ++r) {
    const int64_t step = r < bits ? int64_t{1} << r : rows.pitch << (r - bits);
    if (place.steps[r] != step || rows.pitch < 0)
      user_error<ArgumentError>("TC", "a factor does not lie in memory as the unit takes it");
  }
  evaluate(evaluation_order(operands(load)), point);
  if (has_gate(form_of(load))) return rows_inside(load, place.start, rows, point);
  // Loaded again in each step of a loop that does not change it: registers are eight, and LLVM 19
  // copies a tile wrongly when it needs a ninth (each row becomes the first).
  return scopes_.put(Op::LoadRows, {pinned(pointer_of(load)), emit_scalar_sum(place.start, point)},
                     {{rows.count * row, row, rows.pitch}});
}

// Whether something is asked of single elements of a row.
bool Emitter::asks_in_rows(const AccessForm& form) {
  LeafSet terms = 0;
  for (size_t i = 0; i < k_.leaves.size(); ++i) {
    if (k_.leaves[i].kind == Kind::Unit) terms |= LeafSet{1} << i;
  }
  for (size_t d = 0; d < form.dims.size(); ++d) {
    const Interval known = reach_of(form, d);
    const bool inside = known.lo >= 0 && known.hi < form.access.src(0).dim(static_cast<int>(d));
    const bool along = std::ranges::any_of(
        form.dims[d].terms, [&](const auto& t) { return (deps(t.term) & terms) != 0; });
    if (along && !inside) return true;
  }
  return std::ranges::any_of(form.conditions, [&](const UOp& c) { return (deps(c) & terms) != 0; });
}

// Rows that may lie outside the array are copied first, with zeros for what is not there.
UOp Emitter::rows_inside(const UOp& load, const Affine& start, const TileRows& rows,
                         const Point& point) {
  const AccessForm& form = form_of(load);
  if (asks_in_rows(form)) user_error<ArgumentError>("TC", "a factor has a border along its terms");
  const UOp array = alloc(load.dtype(), {rows.count * rows.row}, Space::Scratch);
  const std::vector<UOp> order = evaluation_order(operands(load));
  std::vector<UOp> src = {array};
  for (int64_t r = 0; r < rows.count; ++r) {
    Point at = point;
    for (size_t i = 0; i < k_.leaves.size(); ++i) {
      const Leaf& leaf = k_.leaves[i];
      if ((k_.product->leaves >> i & 1) != 0 && leaf.kind == Kind::Unroll)
        at[i] = r >> leaf.unit_bit & (leaf.extent - 1);
    }
    evaluate(order, at);
    Affine place = start;
    place.add_constant(r * rows.pitch);
    std::vector<UOp> access = {pinned(pointer_of(load)), emit_scalar_sum(place, point)};
    if (const UOp gate = access_gate(form, at, 1)) access.push_back(gate);
    const UOp v = scopes_.put(make(Op::Load, access, {{rows.row, 0}}));
    src.push_back(scopes_.put_here(
        make(Op::Store, {pinned(array), scopes_.put(index_const(r * rows.row)), v}, {{0, 0}})));
  }
  return scopes_.put(Op::LoadRows,
                     {scopes_.put_here(make(Op::After, src)), scopes_.put(index_const(0))},
                     {{rows.count * rows.row, rows.row, rows.row}});
}

// One instruction for each step of the unit, and vector or tile of results.
void Emitter::emit_dots(const Production& made) {
  const UnitProduct& product = *k_.product;
  const MatrixUnit& unit = *product.unit;
  const UOp reduce = UOp::share(made.node);
  std::vector<UOp>& values = acc_.at(&made).values;
  const auto ends_in_zeros = [&](const UOp& factor) {
    return factor.is(Op::Load) && factor.src(0).is(Op::Stage) &&
           k_.copy_is_factor[static_cast<size_t>(factor.src(0).arg(0))];
  };
  if (overruns(made.node) && !(ends_in_zeros(product.a) && ends_in_zeros(product.b)))
    user_error<ArgumentError>("TC", "the unit would add up terms behind the last");
  const LeafSet closed = k_.closed_by(made.node) & ~product.leaves;
  for_points(closed, [&](const Point& terms) {
    for_points(leaves_of(reduce), [&](const Point& result) {
      Point at = result;
      for (size_t i = 0; i < at.size(); ++i) at[i] += (closed >> i & 1) != 0 ? terms[i] : 0;
      const auto factor = [&](const UOp& operand, const FragmentMap& map) {
        return unit.is_tile() ? tile_operand(operand, map, at) : dot_operand(operand, map, at);
      };
      UOp& sum = values[position(reduce, at)];
      sum = scopes_.put(Op::Mma, {factor(product.a, unit.a), factor(product.b, unit.b), sum},
                        {{intern_symbol(unit.name)}});
    });
  });
}

}  // namespace tg

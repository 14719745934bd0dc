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

constexpr int64_t kMostLanes = 4;  // of one access

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

// ---- dot instructions

// The registers of a map from one place in memory on, where the operand or its copy has them in
// order.
UOp Emitter::dot_operand(const UOp& operand, const FragmentMap& map, const Point& point) {
  const UOp load = operand.is(Op::Cast) ? operand.src(0) : operand;
  const auto refuse = [](const char* why) { user_error<ArgumentError>("TC", why); };
  if (!load.is(Op::Load)) refuse("a factor is no array");
  const AccessForm& form = form_of(load);
  Affine start = form.flat;
  for (const auto& [term, coef] : form.flat.terms) {
    if ((deps(term) & k_.product->leaves) != 0) start.add_term(term, -coef);
  }
  for (size_t r = 0; r < map.reg.size(); ++r) {
    int64_t step = 0;
    for (const auto& [term, coef] : form.flat.terms) {
      if ((deps(term) & k_.product->leaves) == 0) continue;
      if (!term.is(Op::Range)) refuse("a factor's index is no sum of its rows, columns and terms");
      const Leaf& leaf = k_.leaves[static_cast<size_t>(k_.leaf_of(term.node()))];
      step += coef * unit_digit(*k_.product, leaf, map, 0, int64_t{1} << r);
    }
    if (step != int64_t{1} << r) refuse("a factor does not lie in memory as the unit takes it");
  }
  if (has_gate(form)) refuse("a factor has a border");
  evaluate(evaluation_order(operands(load)), point);
  const auto lanes = static_cast<int>(map.registers());
  const UOp v = scopes_.put(Op::Load, {pointer_of(load), emit_scalar_sum(start, point)},
                            {{int64_t{lanes}, 0}});
  return operand == load ? v : scopes_.put(cast(v, operand.dtype()));
}

// One instruction for each vector of results and step of the unit.
void Emitter::emit_dots(const Production& made) {
  const UnitProduct& product = *k_.product;
  const UOp reduce = UOp::share(made.node);
  std::vector<UOp>& values = acc_.at(&made).values;
  const int64_t name = intern_symbol(product.unit->name);
  const LeafSet closed = k_.closed_by(made.node) & ~product.leaves;
  for_points(closed, [&](const Point& terms) {
    for_points(deps(reduce), [&](const Point& result) {
      Point at = result;
      for (size_t i = 0; i < at.size(); ++i) at[i] += (closed >> i & 1) != 0 ? terms[i] : 0;
      UOp& sum = values[position(reduce, at)];
      sum = scopes_.put(Op::Mma,
                        {dot_operand(product.a, product.unit->a, at),
                         dot_operand(product.b, product.unit->b, at), sum},
                        {{name}});
    });
  });
}

}  // namespace tg

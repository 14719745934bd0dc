// Products by a matrix unit that reads both factors from scratch by itself, while the work-items go
// on: where the factors' copies lie (FactorRows), and when the unit is waited for. A step begins
// its products, and waits for those of the step before it: so the unit always has work, and a copy
// may go where that step's factors were. How the copies are made: emit_copy.cpp.
#include "codegen/emitter.h"
#include "codegen/unit_product.h"
#include "rules/index.h"
#include "support/check.h"
#include "support/symbol.h"
#include "tg/ir/walk.h"

namespace tg {

// The place of the element `index` of an array of swizzled rows. What moves by whole repeats of the
// layout is added behind the change of places, which is then the same for all such points.
UOp Emitter::swizzled(const Affine& index, const SwizzledRows& rows, const Point& point,
                      int lanes) {
  if (lanes > rows.piece() || !steps_by_lane(index, lanes))
    user_error<ArgumentError>("TC", "a factor is copied by vectors that its rows do not have");
  Affine inside, whole;
  int64_t constant = index.constant;
  for (const Affine::Term& t : index.terms) {
    const int leaf = t.term.is(Op::Range) ? k_.leaf_of(t.term.node()) : -1;
    if (leaf >= 0 && k_.leaves[static_cast<size_t>(leaf)].kind == Kind::Unroll) {
      constant += t.coef * point[static_cast<size_t>(leaf)];
    } else {
      (t.coef % rows.repeats() == 0 ? whole : inside).add_term(t.term, t.coef);
    }
  }
  inside.constant = floor_mod(constant, rows.repeats());
  whole.constant = constant - inside.constant;
  const UOp at = emit_scalar_sum(inside, point);
  const UOp eight = scopes_.put(index_const(SwizzledRows::kRepeatRows));
  const UOp row = scopes_.put(Op::Mod, {floor_of(at, rows.row()), eight});
  const UOp place = scopes_.put(Op::Xor, {at, scale_index(row, rows.piece())});
  return add_index(place, emit_scalar_sum(whole, point));
}

// Where the unit begins to read, at its first line and term.
UOp Emitter::factor_start(const UOp& factor, const Point& point) {
  std::unordered_map<const Node*, UOp> first;
  for (size_t i = 0; i < k_.leaves.size(); ++i) {
    if ((k_.product->leaves >> i & 1) != 0)
      first.emplace(k_.leaves[i].range.node(), index_const(0));
  }
  std::vector<UOp> idx = factor.srcs();
  idx.erase(idx.begin());
  for (UOp& i : idx) i = simplify_index(substitute(i, first));
  return emit_scalar_sum(flat_index(idx, factor.src(0).shape()), point);
}

void Emitter::emit_async_products(const Production& made) {
  const UnitProduct& product = *k_.product;
  if (overruns(made.node))
    user_error<ArgumentError>("TC", "the unit would add up terms behind the last");
  const auto across = [&](const UOp& factor) {
    return int64_t{rows_of(factor.src_node(0))->across};
  };
  const std::vector<int64_t> arg = {intern_symbol(product.unit->name), across(product.a),
                                    across(product.b)};
  for_unit_tiles(made, [&](const Point& at, const UOp& sum) {
    return scopes_.put(Op::MmaAsync,
                       {pointer_of(product.a), factor_start(product.a, at), pointer_of(product.b),
                        factor_start(product.b, at), sum},
                       arg);
  });
  const Production& copy = read_here(product.a.src_node(0));
  const int slot = slot_of(copy.node);
  const bool ahead = slot >= 0 && made_ahead_.contains(&copy);
  mma_wait(ahead ? products_under_way(k_.leaves[static_cast<size_t>(slot)].extent) : 0);
}

void Emitter::mma_wait(int64_t under_way) {
  scopes_.put_here(make(Op::MmaWait, {}, {{under_way, next_mma_wait_++}}));
}

}  // namespace tg

// Work-items: their ranges, the gate of what one of them does for all, and the gathering of a
// reduction that they shared. Barriers are not placed here; they follow from who reads what
// (barriers.cpp).
#include <algorithm>

#include "codegen/emitter.h"
#include "support/check.h"
#include "uop/op.h"

namespace tg {
namespace {

// Parts that one item folds in one step: more steps mean more barriers, fewer mean idle items.
constexpr int64_t kFolded = 16;

// Items that fold `parts` so that this step and the next take equally long, if two are enough.
int64_t folding_items(int64_t parts) {
  int64_t root = 1;
  while (root * root < parts) ++root;
  return std::max(root, (parts + kFolded - 1) / kFolded);
}

}  // namespace

// The item ranges, right inside the chunk loop; every Local leaf is the item range that it shares.
void Emitter::open_items() {
  if (k_.items.empty()) return;
  for (int64_t extent : k_.items) {
    items_.push_back(make(Op::Range, {scopes_.put(index_const(extent))}, {{next_range_++, 2}}));
    scopes_.open(items_.back());
  }
  scopes_.keep_loads_inside();
  for (size_t i = 0; i < k_.leaves.size(); ++i) {
    const Leaf& leaf = k_.leaves[i];
    if (leaf.kind == Kind::Local)
      bind(static_cast<int>(i), items_[static_cast<size_t>(leaf.items)], {0, leaf.extent - 1});
  }
}

void Emitter::close_items() {
  for (size_t d = items_.size(); d-- > 0;) scopes_.close(make(Op::End, {items_[d]}, {{1}}));
}

// What does not run over all item ranges is done by item 0 of those that it misses. Empty if it
// misses none.
UOp Emitter::item_gate(LeafSet covered) {
  UOp gate;
  for (int d : k_.items_outside(covered)) {
    const UOp one = scopes_.put(index_const(1));
    gate = both(gate, scopes_.put(Op::CmpLt, {items_[static_cast<size_t>(d)], one}));
  }
  return gate;
}

Emitter::GroupPlace Emitter::place_in_group(LeafSet closed) {
  GroupPlace place{scopes_.put(index_const(0)), scopes_.put(index_const(0))};
  const std::vector<int> others = k_.items_outside(closed);
  for (size_t d = 0; d < items_.size(); ++d) {
    const bool other = std::ranges::find(others, static_cast<int>(d)) != others.end();
    UOp& sum = other ? place.beside : place.item;
    sum = add_index(scale_index(sum, k_.items[d]), items_[d]);
    (other ? place.groups : place.items) *= k_.items[d];
  }
  return place;
}

// The parts `item` + k·step together, for items below `step`; all parts, for every item, if `step`
// is 1. `first` is the place of part 0 in `ptr`.
UOp Emitter::folded(const UOp& reduce, const UOp& ptr, const UOp& first, const UOp& item, int lanes,
                    int64_t parts, int64_t step) {
  const ReduceOp op = static_cast<ReduceOp>(reduce.arg(0));
  const UOp at = step == 1 ? first : add_index(first, scale_index(item, lanes));
  UOp sum;
  for (int64_t k = 0; k < parts; k += step) {
    std::vector<UOp> src = {ptr, add_index(at, scopes_.put(index_const(k * lanes)))};
    UOp gate;
    if (step > 1) {
      const UOp left = scopes_.put(index_const(std::min(step, parts - k)));
      gate = scopes_.put(Op::CmpLt, {item, left});
      src.push_back(gate);
    }
    UOp part = scopes_.put(make(Op::Load, src, {{lanes, 0}}));
    if (gate) {
      const UOp identity = scopes_.put(constant(reduce_identity(op, reduce.dtype())));
      part = scopes_.put(Op::Where, {widen(gate, lanes), part, widen(identity, lanes)});
    }
    sum = sum ? scopes_.put(reduce_alu(op), {sum, part}) : part;
  }
  return sum;
}

// One step: `parts` items store their values to scratch, `step` items (all if it is 1) fold them.
void Emitter::fold_parts(const UOp& reduce, const GroupPlace& place, int64_t parts, int64_t step,
                         std::vector<UOp>& values) {
  const int lanes = values.front().lanes();
  const int64_t row = parts * lanes, count = static_cast<int64_t>(values.size());
  const UOp array = alloc(reduce.dtype(), {count, place.groups, parts, lanes});
  UOp gate, last;
  if (parts < place.items)
    gate = scopes_.put(Op::CmpLt, {place.item, scopes_.put(index_const(parts))});
  std::vector<UOp> rows;
  for (int64_t v = 0; v < count; ++v) {
    const UOp at = scopes_.put(index_const(v * place.groups * row));
    rows.push_back(add_index(scale_index(place.beside, row), at));
    std::vector<UOp> src = {array, add_index(rows.back(), scale_index(place.item, lanes)),
                            values[static_cast<size_t>(v)]};
    if (gate) src.push_back(gate);
    last = scopes_.put_here(make(Op::Store, src, {{0, 0}}));
  }
  const UOp full = scopes_.put_here(make(Op::After, {array, last}));
  for (int64_t v = 0; v < count; ++v) {
    const auto i = static_cast<size_t>(v);
    values[i] = folded(reduce, full, rows[i], place.item, lanes, parts, step);
  }
}

// Each item's running values are folded in steps, by ever fewer items, until every item folds the
// last few itself: all have the result, made in one order.
void Emitter::emit_gather(const Production& made) {
  const UOp reduce = UOp::share(made.node);
  const LeafSet closed = k_.closed_by(made.node);
  std::vector<UOp> values = acc_.at(&production(made.parts)).values;
  if ((closed & vector_) != 0) {
    for (UOp& v : values) v = scopes_.put(Op::VReduce, {v}, {{reduce.arg(0)}});
  }
  const GroupPlace place = place_in_group(closed);
  int64_t parts = place.items;
  while (parts > 1) {
    const int64_t step = parts <= kFolded ? 1 : folding_items(parts);
    fold_parts(reduce, place, parts, step, values);
    parts = step;
  }
  acc_[&made].values = std::move(values);
}

}  // namespace tg

// Work-items: their ranges, the gate of what one of them does for all, and the gathering of a
// reduction that they shared. Barriers are not placed here; they follow from who reads what
// (barriers.cpp).
#include <algorithm>
#include <bit>

#include "codegen/emitter.h"
#include "support/check.h"
#include "tg/ir/op.h"

namespace tg {
namespace {

// Parts that one work-item folds in one step: more steps mean more barriers, fewer mean idle
// work-items.
constexpr int64_t kFolded = 16;

// Work-items that fold `parts` so that this step and the next take about equally long, if two are
// enough; as many as divide them, if there is such a number.
int64_t folding_work_items(int64_t parts) {
  int64_t root = 1;
  while (root * root < parts) ++root;
  const int64_t fewest = std::max(root, (parts + kFolded - 1) / kFolded);
  for (int64_t n = fewest; n < std::min(2 * fewest, parts); ++n) {
    if (parts % n == 0) return n;
  }
  return fewest;
}

}  // namespace

// The work-item ranges, right inside the chunk loop; every Local leaf is the work-item range that
// it shares.
void Emitter::open_work_items() {
  if (k_.work_items.empty()) return;
  for (int64_t extent : k_.work_items) {
    work_items_.push_back(
        make(Op::Range, {scopes_.put(index_const(extent))}, {{next_range_++, 2}}));
    scopes_.open(work_items_.back());
  }
  scopes_.keep_loads_inside();
  for (size_t i = 0; i < k_.leaves.size(); ++i) {
    const Leaf& leaf = k_.leaves[i];
    if (leaf.kind == Kind::Local)
      bind(static_cast<int>(i), work_items_[static_cast<size_t>(leaf.work_items)],
           {0, leaf.extent - 1});
  }
}

void Emitter::close_work_items() {
  for (size_t d = work_items_.size(); d-- > 0;)
    scopes_.close(make(Op::End, {work_items_[d]}, {{1}}));
}

bool Emitter::gathers_inside(int loop) const {
  bool found = false;
  tree_.for_items({true, loop},
                  [&](const Item& item) { found |= item.kind == Item::Kind::Gather; });
  return found;
}

// What does not run over all work-item ranges is done by work-item 0 of those that it misses. Empty
// if it misses none.
UOp Emitter::work_item_gate(LeafSet covered) {
  UOp gate;
  for (int d : k_.work_items_outside(covered)) {
    const UOp one = scopes_.put(index_const(1));
    gate = both(gate, scopes_.put(Op::CmpLt, {work_items_[static_cast<size_t>(d)], one}));
  }
  return gate;
}

// Work-items of the ranges inside one.
int64_t Emitter::inside_work_items(size_t range) const {
  int64_t n = 1;
  for (size_t d = range + 1; d < k_.work_items.size(); ++d) n *= k_.work_items[d];
  return n;
}

// By work-item range: how many of its neighbours are in one subgroup and all reduce parts of the
// same sums; 1 of a range that is not closed. Numbers are powers of two, whose bits are those of
// the work-item's number: then they differ from each other by a shuffle.
std::vector<int64_t> Emitter::shuffled_work_items(LeafSet closed, DType dtype) const {
  constexpr int64_t kBytes = 4;  // of what all hardware shuffles
  std::vector<int64_t> out(k_.work_items.size(), 1);
  const int64_t all = inside_work_items(0) * k_.work_items[0];
  if (all % shuffle_size_ != 0 || dtype_size(dtype) != kBytes) return out;
  const std::vector<int> others = k_.work_items_outside(closed);
  for (size_t d = 0; d < out.size(); ++d) {
    const bool shares = std::ranges::find(others, static_cast<int>(d)) == others.end();
    const int64_t inside = inside_work_items(d);
    if (!shares || !std::has_single_bit(static_cast<uint64_t>(inside))) continue;
    while (k_.work_items[d] % (2 * out[d]) == 0 && 2 * out[d] * inside <= shuffle_size_)
      out[d] *= 2;
  }
  return out;
}

// Does each work-item have the result then?
bool Emitter::all_shuffled(LeafSet closed, std::span<const int64_t> shuffled) const {
  const std::vector<int> others = k_.work_items_outside(closed);
  for (size_t d = 0; d < shuffled.size(); ++d) {
    const bool other = std::ranges::find(others, static_cast<int>(d)) != others.end();
    if (!other && shuffled[d] != k_.work_items[d]) return false;
  }
  return true;
}

Emitter::GroupPlace Emitter::place_in_group(LeafSet closed, std::span<const int64_t> shuffled) {
  const UOp zero = scopes_.put(index_const(0));
  GroupPlace place{zero, zero};
  UOp among = zero;
  const std::vector<int> others = k_.work_items_outside(closed);
  for (size_t d = 0; d < work_items_.size(); ++d) {
    const bool other = std::ranges::find(others, static_cast<int>(d)) != others.end();
    const int64_t left = k_.work_items[d] / shuffled[d];
    const UOp digit = floor_of(work_items_[d], shuffled[d]);
    UOp& sum = other ? place.beside : place.work_item;
    if (left > 1) sum = add_index(scale_index(sum, left), digit);
    (other ? place.groups : place.work_items) *= left;
    if (shuffled[d] == 1) continue;
    const UOp each = scopes_.put(index_const(shuffled[d]));
    among = add_index(among, scopes_.put(Op::Mod, {work_items_[d], each}));
  }
  if (among != zero) place.speaks = scopes_.put(Op::CmpLt, {among, scopes_.put(index_const(1))});
  return place;
}

// The value combined with that of the work-item at `distance`; lane by lane.
UOp Emitter::combine_across(const UOp& reduce, const UOp& value, int64_t distance) {
  std::vector<UOp> lanes;
  for (int l = 0; l < value.lanes(); ++l) {
    const UOp mine = value.lanes() == 1 ? value : scopes_.put(Op::Extract, {value}, {{int64_t{l}}});
    lanes.push_back(scopes_.put(Op::SubgroupShuffle, {mine}, {{distance}}));
  }
  const UOp theirs = lanes.size() == 1 ? lanes[0] : scopes_.put(make(Op::Stack, lanes));
  return scopes_.put(reduce_alu(static_cast<ReduceOp>(reduce.arg(0))), {value, theirs});
}

// The parts at `first` + k·step together, k < parts / step. Those of the last k that are not there
// count as nothing.
UOp Emitter::folded(const UOp& reduce, const Parts& parts, const UOp& first, const UOp& work_item,
                    int64_t step) {
  const ReduceOp op = static_cast<ReduceOp>(reduce.arg(0));
  UOp sum;
  for (int64_t k = 0; k < parts.count; k += step) {
    std::vector<UOp> src = {parts.ptr, add_index(first, scopes_.put(index_const(k * parts.lanes)))};
    UOp gate;
    if (k + step > parts.count) {
      gate = scopes_.put(Op::CmpLt, {work_item, scopes_.put(index_const(parts.count - k))});
      src.push_back(gate);
    }
    UOp part = scopes_.put(make(Op::Load, src, {{parts.lanes, 0}}));
    if (gate) {
      const UOp nothing = scopes_.put(constant(reduce_identity(op, reduce.dtype())));
      part = scopes_.put(Op::Where, {widen(gate, parts.lanes), part, widen(nothing, parts.lanes)});
    }
    sum = sum ? scopes_.put(reduce_alu(op), {sum, part}) : part;
  }
  return sum;
}

// An array [values][groups][count] of vectors; the place of value `v` of this group.
UOp Emitter::row_of(const Parts& parts, const GroupPlace& place, size_t v) {
  const int64_t row = parts.count * parts.lanes;
  const UOp at = scopes_.put(index_const(static_cast<int64_t>(v) * place.groups * row));
  return add_index(scale_index(place.beside, row), at);
}

// Puts the work-item's values into an array of `count` parts, if `gate` holds.
Emitter::Parts Emitter::store_parts(const std::vector<UOp>& values, const GroupPlace& place,
                                    int64_t count, const UOp& gate) {
  Parts parts{{}, count, values.front().lanes()};
  const Dim n = static_cast<Dim>(values.size());
  const UOp array = alloc(values.front().dtype(), {n, place.groups, count, parts.lanes});
  UOp last;
  for (size_t v = 0; v < values.size(); ++v) {
    const UOp at = add_index(row_of(parts, place, v), scale_index(place.work_item, parts.lanes));
    std::vector<UOp> src = {array, at, values[v]};
    if (gate) src.push_back(gate);
    last = scopes_.put_here(make(Op::Store, src, {{0, 0}}));
  }
  parts.ptr = make(Op::After, {array, last});
  return parts;
}

// The first `step` work-items fold what all left, and leave it again.
Emitter::Parts Emitter::fold_parts(const UOp& reduce, const Parts& parts, const GroupPlace& place,
                                   size_t n_values, int64_t step) {
  const UOp folds = scopes_.put(Op::CmpLt, {place.work_item, scopes_.put(index_const(step))});
  const UOp head = make(Op::If, {both(folds, place.speaks)}, {{next_range_++}});
  scopes_.open(head);
  Parts inside = parts;
  inside.ptr = scopes_.put_here(make(Op::After, {parts.ptr, head}));
  std::vector<UOp> values;
  for (size_t v = 0; v < n_values; ++v) {
    const UOp first = add_index(row_of(parts, place, v), scale_index(place.work_item, parts.lanes));
    values.push_back(folded(reduce, inside, first, place.work_item, step));
  }
  Parts fewer = store_parts(values, place, step, {});
  scopes_.close(make(Op::EndIf, {head}));
  fewer.ptr = scopes_.put_here(fewer.ptr);
  return fewer;
}

// Each work-item's running values are combined within subgroups, by shuffles, where they can; then
// folded in steps, by ever fewer work-items, until every work-item folds the last few itself. All
// have the result, made in one order.
void Emitter::emit_gather(const Production& made) {
  const UOp reduce = UOp::share(made.node);
  const LeafSet closed = k_.closed_by(made.node);
  std::vector<UOp> values = acc_.at(&production(made.parts)).values;
  if ((closed & vector_) != 0) {
    for (UOp& v : values) v = scopes_.put(Op::VReduce, {v}, {{reduce.arg(0)}});
  }
  const std::vector<int64_t> shuffled = shuffled_work_items(closed, reduce.dtype());
  for (size_t d = 0; d < shuffled.size(); ++d) {
    for (int64_t n = 1; n < shuffled[d]; n *= 2) {
      for (UOp& v : values) v = combine_across(reduce, v, n * inside_work_items(d));
    }
  }
  if (all_shuffled(closed, shuffled)) {
    acc_[&made].values = std::move(values);
    return;
  }
  const GroupPlace place = place_in_group(closed, shuffled);
  Parts parts = store_parts(values, place, place.work_items, place.speaks);
  parts.ptr = scopes_.put_here(parts.ptr);
  while (parts.count > kFolded)
    parts = fold_parts(reduce, parts, place, values.size(), folding_work_items(parts.count));
  for (size_t v = 0; v < values.size(); ++v)
    values[v] = folded(reduce, parts, row_of(parts, place, v), place.work_item, 1);
  acc_[&made].values = std::move(values);
}

}  // namespace tg

// Copies of staged operands: made where they are read, or some steps of a loop ahead. A loop that
// keeps the copies of several steps has a ring of slots: the first steps are copied before it, and
// each step begins with the copy of a later one, for the slot that the step before it has read.
// What passes through registers is loaded then and stored when the step is over; what a target
// copies asynchronously is waited for a step before it is read. Barriers are not placed here
// (barriers.cpp).
#include <algorithm>
#include <bit>

#include "codegen/emitter.h"
#include "support/check.h"

namespace tg {
namespace {

bool is_loaded_from_argument(const UOp& u) { return u.is(Op::Load) && u.src(0).is(Op::Param); }

}  // namespace

// ---- one copy

// The nodes that copy, not yet part of the list: stores of values that are; or asynchronous copies,
// of nothing where `arrives` is false.
std::vector<UOp> Emitter::copying(const Production& made, bool async, const UOp& arrives) {
  const UOp s = UOp::share(made.node);
  UOp& ptr = arrays_[&made];
  if (!ptr) ptr = alloc(s.dtype(), s.shape_vec());
  const LeafSet closed = k_.closed_by(made.node);
  const int lanes = lanes_in(closed);
  const Affine at = copy_index(made.node);
  std::vector<UOp> roots = async ? operands(s.src(0)) : std::vector{s.src(0)};
  for (const Affine::Term& t : at.terms) {
    if (!t.term.is(Op::Range)) roots.push_back(t.term);
  }
  const std::vector<UOp> order = evaluation_order(roots);
  std::vector<UOp> nodes;
  const bool all_stored = !async && work_items_.empty() && !overruns(made.node);
  int64_t step = 0;
  int row = all_stored ? row_leaf(at, lanes, step) : -1;
  const bool square = row >= 0 && step >= lanes;
  if (!square) row = all_stored ? woven_leaf(at, lanes) : -1;
  if (row >= 0) {
    for_points(closed & ~(LeafSet{1} << row), [&](const Point& p) {
      Affine place = of_first_lane(at);
      std::vector<UOp> rows = row_values(s.src(0), order, p, row, lanes);
      rows = square ? transposed(std::move(rows)) : woven(std::move(rows), max_lanes_);
      for (const UOp& v : rows) {
        const std::vector<UOp> src = {pinned(ptr), emit_scalar_sum(place, p), v};
        nodes.push_back(make(Op::Store, src, {{0, 0}}));
        place.add_constant(square ? step : v.lanes());
      }
    });
    return nodes;
  }
  for_points(closed, [&](const Point& p) {
    evaluate(order, p);
    const std::optional<FactorRows>& rows = rows_of(made.node);
    std::vector<UOp> src = {pinned(ptr), rows ? swizzled(at, rows->layout, p, lanes)
                                              : emit_address(at, p, lanes).index};
    if (async) {
      const AccessForm& from = form_of(s.src(0));
      src.push_back(scopes_.put(s.src(0).src(0)));
      src.push_back(emit_address(from.flat, p, lanes).index);
      if (UOp gate = both(arrives, access_gate(from, p, 1))) src.push_back(gate);
      nodes.push_back(make(Op::AsyncCopy, src, {{lanes, 0}}));
      return;
    }
    src.push_back(widen(value(s.src(0)), lanes));
    if (UOp gate = both(overrun_gate(made.node, p, lanes), work_item_gate(closed)))
      src.push_back(gate);
    nodes.push_back(make(Op::Store, src, {{0, 0}}));
  });
  return nodes;
}

// All is loaded before anything is stored: then the loads of a step are on their way together, and
// while work-items wait for those that still read the last step.
void Emitter::emit_copy(const Production& made) {
  UOp last;
  for (const UOp& store : copying(made, false, {})) last = scopes_.put_here(store);
  copied_[&made] = scopes_.put_here(make(Op::After, {arrays_.at(&made), last}));
}

// When a loop of a copy ends, the copy is visible where the loop stood.
void Emitter::publish_copies(int loop, LeafSet leaf, const UOp& end) {
  tree_.for_items({true, loop}, [&](const Item& item) {
    if (item.kind != Item::Kind::Copy || (k_.closed_by(item.node) & leaf) == 0) return;
    const Production& made = production(item.production);
    copied_[&made] = scopes_.put_here(make(Op::After, {arrays_.at(&made), end}));
  });
}

Affine Emitter::copy_index(const Node* stage) const {
  return flat_index(k_.copy_place[static_cast<size_t>(stage->arg()[0])], stage->shape());
}

// Whether a copy is one of neighbouring elements, none outside the array, that the target makes
// asynchronously.
bool Emitter::is_async_copy(const Node* stage) {
  const UOp from = UOp::share(stage->src()[0]);
  if (async_copy_bytes_ == 0 || work_items_.empty() || !is_loaded_from_argument(from)) return false;
  if (is_updated_in_turn(from.src_node(0))) return false;
  constexpr int64_t kFewestBytes = 4;
  const LeafSet closed = k_.closed_by(stage);
  const int lanes = lanes_in(closed);
  const int64_t bytes = lanes * static_cast<int64_t>(dtype_size(from.dtype()));
  if (bytes < kFewestBytes || bytes > async_copy_bytes_ || !std::has_single_bit(uint64_t(bytes)))
    return false;
  const AccessForm& form = form_of(from);
  return form.conditions.empty() && k_.work_items_outside(closed).empty() && !overruns(stage) &&
         steps_by_lane(form.flat, lanes) && steps_by_lane(copy_index(stage), lanes) &&
         std::ranges::none_of(form.dims, [&](const Affine& d) {
           const Dim extent = from.src_node(0)->shape()[static_cast<size_t>(&d - form.dims.data())];
           const Interval b = bounds_of(d);
           const bool inside = b.lo >= 0 && b.hi < extent;
           return !inside && std::ranges::any_of(d.terms, [&](const Affine::Term& t) {
             return (deps(t.term) & vector_) != 0;
           });
         });
}

// ---- copies of later steps

const Production* Emitter::kept_copy(const LoopNode::Child& child, int leaf) const {
  const Production* found = nullptr;
  tree_.for_items(child, [&](const Item& item) {
    if (item.kind != Item::Kind::Copy || slot_of(item.node) < 0) return;
    const Production& made = production(item.production);
    if (static_cast<int>(std::bit_width(made.scope)) == leaf + 1) found = &made;
  });
  return found;
}

bool Emitter::is_made_ahead(const LoopNode::Child& child) const {
  bool found = false;
  if (made_ahead_.empty()) return found;
  tree_.for_items(child, [&](const Item& item) {
    found |= item.production >= 0 && item.kind == Item::Kind::Copy &&
             made_ahead_.contains(&production(item.production));
  });
  return found;
}

Emitter::Ring Emitter::ring_of(int loop, int leaf, const LoopSpan& span, const UOp& count) {
  Ring ring{.leaf = leaf, .first = span.first};
  for (const LoopNode::Child& child : tree_.loops[static_cast<size_t>(loop)].body) {
    const Production* made = kept_copy(child, leaf);
    if (made == nullptr) continue;
    for (int p : made->needs) {
      if ((production(p).scope >> leaf & 1) != 0)
        user_error<ArgumentError>("STAGE", "a step computes what its copy is made from");
    }
    const bool async = !child.is_loop && is_async_copy(made->node);
    ring.copies.push_back({child, made, async});
    ring.depth = k_.leaves[static_cast<size_t>(slot_of(made->node))].extent;
    ring.ahead = ring.depth - 1 - (rows_of(made->node) ? products_under_way(ring.depth) : 0);
    ring.async |= async;
  }
  if (ring.copies.empty()) return ring;
  ring.count = count;
  ring.last = add_index(count, scopes_.put(index_const(-1)));
  return ring;
}

// The copies of the steps before the first that a step makes. A loop that may have no steps has
// none.
void Emitter::fill_ring(const Ring& ring) {
  if (ring.copies.empty()) return;
  UOp head;
  if (!ring.count.is(Op::Const)) {
    head = make(Op::If, {scopes_.put(Op::CmpLt, {scopes_.put(index_const(0)), ring.count})},
                {{next_range_++}});
    scopes_.open(head);
  }
  for (int64_t s = 0; s < ring.ahead; ++s) {
    if (s > 0 && ring.async) async_wait(ring.ahead);
    if (ring.count.is(Op::Const) && s >= ring.count.arg(0)) continue;
    UOp step = scopes_.put(index_const(s));
    if (head) step = scopes_.put_here(make(Op::After, {step, head}));
    for (const UOp& store : copy_step(ring, step, scopes_.put(index_const(s))))
      scopes_.put_here(store);
  }
  if (head) scopes_.close(make(Op::EndIf, {head}));
}

// At the beginning of `step`: the copies that it reads are complete, those of a later step begin.
// Returns the stores that end the step.
std::vector<UOp> Emitter::turn_ring(const Ring& ring, const UOp& step) {
  if (ring.copies.empty()) return {};
  if (ring.async) async_wait(ring.ahead - 1);
  const UOp depth = scopes_.put(index_const(ring.depth));
  const UOp later = add_index(step, scopes_.put(index_const(ring.ahead)));
  std::vector<UOp> stores = copy_step(ring, later, scopes_.put(Op::Mod, {later, depth}));
  bind_slots(ring, scopes_.put(Op::Mod, {step, depth}));
  for (const Ring::Copy& copy : ring.copies) {
    made_ahead_.insert(copy.made);
    copied_[copy.made] = pinned(arrays_.at(copy.made));
  }
  return stores;
}

// Nothing is on its way when the loop is over.
void Emitter::close_ring(const Ring& ring, const UOp& range) {
  if (ring.copies.empty()) return;
  if (ring.async) async_wait(0);
  if (ring.ahead + 1 < ring.depth) mma_wait(0);
  bind_slots(ring, scopes_.put(index_const(0)));
  for (const Ring::Copy& copy : ring.copies) {
    made_ahead_.erase(copy.made);
    rings_.push_back({arrays_.at(copy.made).node(), range.node(), ring.depth, ring.ahead});
  }
}

// Copies the operands of a step into a slot. There are none behind the last step: what is loaded is
// that of the last step once more, and what is copied asynchronously is nothing. Returns what
// remains to be stored.
std::vector<UOp> Emitter::copy_step(const Ring& ring, const UOp& step, const UOp& slot) {
  const LeafState here = leaf_[static_cast<size_t>(ring.leaf)];
  const UOp there = lesser(step, ring.last);
  bind(ring.leaf, ring.first ? scopes_.put(Op::Add, {there, ring.first}) : there, here.bounds);
  bind_slots(ring, slot);
  UOp arrives;
  if (ring.async && !step.is(Op::Const)) arrives = scopes_.put(Op::CmpLt, {step, ring.count});
  std::vector<UOp> stores;
  for (const auto& [child, made, async] : ring.copies) {
    if (child.is_loop) {
      emit_loop(child.index);
      continue;
    }
    item_ = &tree_.items[static_cast<size_t>(child.index)];
    for (UOp& node : copying(*made, async, arrives)) {
      if (async) {
        scopes_.put_here(node);
      } else {
        stores.push_back(std::move(node));
      }
    }
  }
  leaf_[static_cast<size_t>(ring.leaf)] = here;
  return stores;
}

void Emitter::bind_slots(const Ring& ring, const UOp& slot) {
  const Interval bounds =
      slot.is(Op::Const) ? Interval{slot.arg(0), slot.arg(0)} : Interval{0, ring.depth - 1};
  for (const Ring::Copy& copy : ring.copies) bind(slot_of(copy.made->node), slot, bounds);
}

void Emitter::async_wait(int64_t on_their_way) {
  scopes_.put_here(make(Op::AsyncWait, {}, {{on_their_way, next_async_wait_++}}));
}

}  // namespace tg

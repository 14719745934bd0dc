// Loops, their carried values and their tails. A Peel tail runs the full tiles in the loop and then
// one smaller instance of the body, whose leaves are bound to constants and shorter extents; in the
// launch's chunk loop both stand under conditions.
#include <algorithm>

#include "codegen/barriers.h"
#include "codegen/emitter.h"
#include "support/check.h"

namespace tg {
namespace {

// Whether a matrix unit adds up terms inside the loop, which all work-items must reach alike, and
// what the loop of `leaf` is limited by may differ by work-item.
bool parts_a_product(const ScheduledKernel& k, const LoopTree& tree, int loop, int leaf) {
  bool product = false;
  tree.for_items({true, loop}, [&](const Item& item) {
    product |= k.product && item.kind == Item::Kind::Update && item.node == k.product->reduce;
  });
  const int base = k.leaves[static_cast<size_t>(leaf)].base;
  if (!product || static_cast<size_t>(base) >= k.limits.size()) return false;
  const auto by_variables = [](const std::optional<LoopBound>& bound) {
    return !bound ||
           std::ranges::all_of(bound->over.terms, [](const auto& t) { return t.term.is(Op::Var); });
  };
  const LoopLimits& limits = k.limits[static_cast<size_t>(base)];
  return !by_variables(limits.first) || !by_variables(limits.limit) ||
         std::ranges::any_of(
             k.leaves, [&](const Leaf& l) { return l.base == base && l.kind == Kind::Local; });
}

}  // namespace

Emitter::Emitter(const ScheduledKernel& kernel, const LoopTree& tree, const Target& target)
    : k_(kernel),
      tree_(tree),
      async_copy_bytes_(target.async_copy_bytes),
      max_lanes_(target.max_lanes),
      vector_bytes_(target.vector_bytes),
      stores_in_parts_(target.max_group_size == 0 && !target.has_masked_access),
      shuffle_size_(target.supports(Op::SubgroupShuffle) ? target.subgroup_size : 1),
      arms_(kernel.sink) {
  leaf_.resize(k_.leaves.size());
  for (size_t i = 0; i < leaf_.size(); ++i) {
    leaf_[i].extent = k_.leaves[i].extent;
    leaf_[i].bounds = {0, k_.leaves[i].extent - 1};
  }
  for (const Node* n : k_.sink.node()->src()) {
    if (n->op != Op::End) continue;
    end_of_.emplace(n->src()[0], n);
    if (n->src()[0]->op == Op::Store) end_writing_.emplace(n->src()[0]->src()[0], n);
  }
  unroll_ = k_.set_of(Kind::Unroll);
  vector_ = k_.set_of(Kind::Vector);
  for (int slot : k_.copy_slot) {
    if (slot >= 0) bind(slot, scopes_.put(index_const(0)), {0, 0});
  }
}

void Emitter::run(LinearKernel& out) {
  emit_body(0);
  out.ops = place_barriers(scopes_.take(), stored_by_one_, rings_);
  out.chunks = chunks_;
  for (int64_t n : k_.work_items) out.group_size *= n;
  out.scratch_bytes = scratch_bytes_;
  if (!chunk_limit_) return;
  ChunkLimit& limit = out.chunk_limit.emplace();
  limit.constant = chunk_limit_->over.constant;
  limit.by = chunk_limit_->by;
  limit.times = chunk_times_;
  for (const Affine::Term& t : chunk_limit_->over.terms) {
    const auto at = std::ranges::find(out.vars, t.term) - out.vars.begin();
    limit.terms.push_back({static_cast<size_t>(at), t.coef});
  }
}

void Emitter::emit_body(int loop) {
  const std::vector<LoopNode::Child>& body = tree_.loops[static_cast<size_t>(loop)].body;
  auto store_at = [&](size_t i) {
    return i < body.size() && !body[i].is_loop &&
           tree_.items[static_cast<size_t>(body[i].index)].kind == Item::Kind::Store;
  };
  for (size_t i = 0; i < body.size(); ++i) {
    if (is_made_ahead(body[i])) continue;
    if (body[i].is_loop) {
      emit_loop(body[i].index);
      continue;
    }
    // Several stores of one point: all their values first, for one may be made from what another
    // overwrites.
    const bool first_of_many = store_at(i) && store_at(i + 1) && (i == 0 || !store_at(i - 1));
    for (size_t j = i; first_of_many && store_at(j); ++j)
      evaluate_stored(tree_.items[static_cast<size_t>(body[j].index)]);
    emit_item(tree_.items[static_cast<size_t>(body[i].index)]);
  }
}

void Emitter::bind(int leaf, const UOp& value, Interval bounds) {
  LeafState& s = leaf_[static_cast<size_t>(leaf)];
  s.value = value;
  s.bounds = bounds;
}

// Only the outermost digit of a base can leave a remainder, and only Peel makes a body of its own
// for it.
bool Emitter::peels(int leaf) const {
  const Leaf& l = k_.leaves[static_cast<size_t>(leaf)];
  const BaseRange& b = k_.bases[static_cast<size_t>(l.base)];
  return b.tail == Tail::Peel && l.stride == b.tile && b.extent % b.tile != 0;
}

// Around a loop and its tail: accumulators that live in an array are loaded before the first loop
// that carries them and put back after it; the array is complete when the reduction's first loop
// ends.
void Emitter::emit_loop(int loop) {
  const int leaf = tree_.loops[static_cast<size_t>(loop)].leaf;
  if (leaf == LoopNode::kThreads) return emit_thread_loop(loop);
  const LeafSet bit = LeafSet{1} << leaf;
  restart_reductions(loop, bit);
  const std::vector<int> inside = updates_inside(loop);
  for (int p : inside) {
    const Production& made = production(p);
    if (made.uses_array() && (made.carried & -made.carried) == bit) load_running(made);
  }
  const LeafState outside = leaf_[static_cast<size_t>(leaf)];
  const BaseRange& b = k_.bases[static_cast<size_t>(k_.leaves[static_cast<size_t>(leaf)].base)];
  const bool tail = peels(leaf);
  const int64_t full = tail ? b.extent / b.tile : outside.extent;
  TG_CHECK(full > 0 || !tail, "a tail without full tiles");
  UOp closed = emit_spans(loop, leaf, full);
  if (tail) {
    restart_reductions(loop, bit);
    emit_tail(loop, leaf, scopes_.put(index_const(full)), full);
  }
  leaf_[static_cast<size_t>(leaf)] = outside;
  publish_copies(loop, bit, closed);
  publish_updates(loop, closed);
  for (int p : inside) {
    const Production& made = production(p);
    if (!made.uses_array()) {
      if (made.first_red == leaf) complete_tiles(made);
      continue;
    }
    if ((made.carried & -made.carried) == bit) store_running(made);
    if (made.first_red == leaf)
      acc_[&made].ready = scopes_.put_here(make(Op::After, {array_of(made), closed}));
  }
}

// A reduction starts again in every instance of a body of its parallel loops.
void Emitter::restart_reductions(int loop, LeafSet leaf) {
  for (int p : updates_inside(loop)) {
    const Production& made = production(p);
    if (((k_.closed_by(made.node) | made.array_loops) & leaf) == 0) acc_.erase(&made);
  }
}

// Productions with updates in the loop.
std::vector<int> Emitter::updates_inside(int loop) const {
  std::vector<int> found;
  tree_.for_items({true, loop}, [&](const Item& item) {
    if (item.kind == Item::Kind::Update) found.push_back(item.production);
  });
  return found;
}

// A loop whose end a gate knows runs twice: over the tiles that are whole, where the gate holds for
// every point and is not asked, then over what is left.
UOp Emitter::emit_spans(int loop, int leaf, int64_t extent) {
  // All work-items go through it alike.
  if (gathers_inside(loop) || parts_a_product(k_, tree_, loop, leaf))
    return emit_serial_loop(loop, leaf, extent, {{}, scopes_.put(index_const(extent))});
  const LoopSpan span = loop_span(leaf, extent);
  const UOp whole = end_of_whole_tiles(leaf, span);
  if (!whole) return emit_serial_loop(loop, leaf, extent, span);
  const int base = k_.leaves[static_cast<size_t>(leaf)].base;
  inside_.insert(base);
  UOp closed = emit_serial_loop(loop, leaf, extent, {span.first, whole});
  inside_.erase(base);
  if (whole == span.end) return closed;
  restart_reductions(loop, LeafSet{1} << leaf);
  return emit_serial_loop(loop, leaf, extent, {whole, span.end});
}

UOp Emitter::emit_serial_loop(int loop, int leaf, int64_t extent, const LoopSpan& span) {
  const LeafSet bit = LeafSet{1} << leaf;
  std::vector<std::vector<UOp>*> running;
  for (int p : updates_inside(loop)) {
    const Production& made = production(p);
    if ((made.carried & bit) == 0) continue;
    start(made);
    running.push_back(&acc_.at(&made).values);
  }
  const UOp count = span.first ? add_index(span.end, scale_index(span.first, -1)) : span.end;
  const Ring ring = ring_of(loop, leaf, span, count);
  fill_ring(ring);
  UOp r = range(count, next_range_++);
  scopes_.open(r);
  bind(leaf, r, {0, extent - 1});
  for (std::vector<UOp>* values : running) {
    for (UOp& v : *values) v = scopes_.put_here(make(Op::Carry, {r, v}, {{next_carry_++}}));
  }
  // After the carries, which follow their range directly.
  if (span.first) bind(leaf, scopes_.put(Op::Add, {r, span.first}), {0, extent - 1});
  const std::vector<UOp> arriving = turn_ring(ring, r);
  emit_body(loop);
  for (const UOp& store : arriving) scopes_.put_here(store);
  std::vector<UOp> src = {r};
  for (std::vector<UOp>* values : running) src.insert(src.end(), values->begin(), values->end());
  UOp closed = make(Op::End, src, {{1}});
  scopes_.close(closed);
  close_ring(ring, r);
  int64_t k = 0;
  for (std::vector<UOp>* values : running) {
    for (UOp& v : *values) v = scopes_.put(Op::Out, {closed}, {{k++}});
  }
  return closed;
}

// The loop of a leaf counts to `extent`, or only over what matters of its base: with the digits
// `above` it in loops outside, from floor((first − above) / stride) to ceil((limit − above) /
// stride).
Emitter::LoopSpan Emitter::loop_span(int leaf, int64_t extent) {
  LoopSpan span{{}, scopes_.put(index_const(extent))};
  const Leaf& l = k_.leaves[static_cast<size_t>(leaf)];
  const auto base = static_cast<size_t>(l.base);
  // Digits of extent 1 may have the stride of another, and are always 0.
  if (base >= k_.limits.size() || !k_.limits[base] || extent == 1) return span;
  const UOp above = digits_above(leaf);
  if (!above) return span;
  const auto digit = [&](const std::optional<LoopBound>& bound, bool upper) -> UOp {
    const UOp value = bound ? extreme(bound->over, upper) : UOp{};
    if (!value) return {};
    const UOp left = add_index(floor_of(value, bound->by), scale_index(above, -1));
    return floor_of(upper ? add_index(left, scopes_.put(index_const(l.stride - 1))) : left,
                    l.stride);
  };
  if (const UOp limit = digit(k_.limits[base].limit, true)) span.end = lesser(limit, span.end);
  if (const UOp first = digit(k_.limits[base].first, false))
    span.first = greater(first, scopes_.put(index_const(0)));
  return span;
}

// Where the tiles end, in a loop over tiles, all points of which a variable's limit leaves: from
// there on the gate is asked. Empty if the loop has no such limit, or loops over digits inside it.
UOp Emitter::end_of_whole_tiles(int leaf, const LoopSpan& span) {
  const Leaf& l = k_.leaves[static_cast<size_t>(leaf)];
  const auto base = static_cast<size_t>(l.base);
  if (base >= k_.limits.size() || !k_.limits[base].limit || span.end.is(Op::Const)) return {};
  const LoopBound& limit = *k_.limits[base].limit;
  const UOp above = digits_above(leaf);
  const bool innermost = std::ranges::none_of(k_.leaves, [&](const Leaf& other) {
    return other.base == l.base && other.kind == Kind::Serial && other.stride < l.stride;
  });
  if (!has_variable(limit) || !above || !innermost) return {};
  const UOp lowest = extreme(limit.over, false);
  const UOp left = add_index(floor_of(lowest, limit.by), scale_index(above, -1));
  const UOp all = scopes_.put(index_const(leaf_[static_cast<size_t>(leaf)].extent));
  const UOp end = lesser(floor_of(left, l.stride), all);
  return greater(end, span.first ? span.first : scopes_.put(index_const(0)));
}

// Σ digit·stride of the digits of the leaf's base in loops outside; empty if one is not open.
UOp Emitter::digits_above(int leaf) {
  const Leaf& l = k_.leaves[static_cast<size_t>(leaf)];
  UOp above = scopes_.put(index_const(0));
  for (size_t i = 0; i < k_.leaves.size(); ++i) {
    const Leaf& other = k_.leaves[i];
    if (other.base != l.base || other.stride <= l.stride) continue;
    if (!leaf_[i].value) return {};
    above = add_index(above, scale_index(leaf_[i].value, other.stride));
  }
  return above;
}

UOp Emitter::lesser(const UOp& a, const UOp& b) {
  if (a.is(Op::Const) && b.is(Op::Const)) return a.arg(0) < b.arg(0) ? a : b;
  return scopes_.put(Op::Where, {scopes_.put(Op::CmpLt, {a, b}), a, b});
}

UOp Emitter::greater(const UOp& a, const UOp& b) {
  return scopes_.put(Op::Where, {scopes_.put(Op::CmpLt, {b, a}), a, b});
}

UOp Emitter::floor_of(const UOp& value, int64_t by) {
  return by == 1 ? value : scopes_.put(Op::IDiv, {value, scopes_.put(index_const(by))});
}

// The sum with the values of open loops; of all other leaves the value that makes it largest (or
// smallest). Empty if there is a term that is neither.
UOp Emitter::extreme(const Affine& sum, bool upper) {
  int64_t constant = sum.constant;
  UOp out = scopes_.put(index_const(0));
  for (const Affine::Term& t : sum.terms) {
    if (t.term.is(Op::Var)) {
      out = add_index(out, scale_index(scopes_.put(t.term), t.coef));
      continue;
    }
    if (!t.term.is(Op::Range)) return {};
    const LeafState& s = leaf_[static_cast<size_t>(k_.leaf_of(t.term.node()))];
    if (s.value) {
      out = add_index(out, scale_index(s.value, t.coef));
    } else {
      constant += t.coef * ((t.coef > 0) == upper ? s.bounds.hi : s.bounds.lo);
    }
  }
  return add_index(out, scopes_.put(index_const(constant)));
}

// One instance of the body for what is left after the full tiles: `value` is the outer digit (a
// constant in effect), the digits inside shrink to what covers the remainder.
void Emitter::emit_tail(int loop, int leaf, const UOp& value, int64_t full_tiles) {
  const Leaf& outer = k_.leaves[static_cast<size_t>(leaf)];
  const BaseRange& b = k_.bases[static_cast<size_t>(outer.base)];
  const std::vector<LeafState> saved = leaf_;
  bind(leaf, value, {full_tiles, full_tiles});
  int64_t rest = b.extent % b.tile;
  // Digits from the largest stride down: the first that the remainder fills only in part is cut,
  // those inside stay whole.
  std::vector<size_t> inner;
  for (size_t i = 0; i < k_.leaves.size(); ++i) {
    if (k_.leaves[i].base == outer.base && static_cast<int>(i) != leaf) inner.push_back(i);
  }
  std::ranges::sort(inner,
                    [&](size_t x, size_t y) { return k_.leaves[x].stride > k_.leaves[y].stride; });
  for (size_t i : inner) {
    if (k_.leaves[i].kind == Kind::Vector || k_.leaves[i].kind == Kind::Local) break;
    if (k_.leaves[i].unit_bit >= 0) break;
    const int64_t stride = k_.leaves[i].stride;
    leaf_[i].extent = std::min(leaf_[i].extent, (rest + stride - 1) / stride);
    leaf_[i].bounds = {0, leaf_[i].extent - 1};
    if (leaf_[i].extent > 1) break;
  }
  emit_body(loop);
  for (size_t i = 0; i < leaf_.size(); ++i) leaf_[i] = saved[i];
}

void Emitter::emit_thread_loop(int loop) {
  std::vector<int> threads;
  for (size_t i = 0; i < k_.leaves.size(); ++i) {
    if (k_.leaves[i].kind == Kind::Thread) threads.push_back(static_cast<int>(i));
  }
  int64_t total = 1;
  for (size_t i = threads.size(); i-- > 0;) {
    if (i == 0) limit_chunks(threads[0], total);
    total *= k_.leaves[static_cast<size_t>(threads[i])].extent;
  }
  chunks_ = total;
  UOp chunk = make(Op::Range, {scopes_.put(index_const(total))}, {{next_range_++, 1}});
  scopes_.open(chunk);
  open_work_items();
  int peeled = -1;
  UOp rest = chunk;
  for (size_t i = threads.size(); i-- > 0;) {
    const int64_t extent = k_.leaves[static_cast<size_t>(threads[i])].extent;
    UOp size = scopes_.put(index_const(extent));
    bind(threads[i], i == 0 ? rest : scopes_.put(Op::Mod, {rest, size}), {0, extent - 1});
    if (i > 0) rest = scopes_.put(Op::IDiv, {rest, size});
    if (!peels(threads[i])) continue;
    TG_CHECK(peeled < 0, "two peeled axes are threads");
    peeled = threads[i];
  }
  const auto emit_chunk = [&] {
    if (peeled < 0) return emit_body(loop);
    const BaseRange& b = k_.bases[static_cast<size_t>(k_.leaves[static_cast<size_t>(peeled)].base)];
    emit_guarded(loop, peeled, b.extent / b.tile);
  };
  emit_if_it_matters(threads, emit_chunk);
  close_work_items();
  scopes_.close(make(Op::End, {chunk}, {{1}}));
}

// A chunk outside the limits of its ranges does nothing. The launch knows the limit of the
// outermost one only (limit_chunks), so of the others the chunk asks.
void Emitter::emit_if_it_matters(std::span<const int> threads, FunctionRef<void()> emit_chunk) {
  std::vector<int> limited;
  UOp matters;
  for (const int leaf : threads) {
    if (!k_.work_items.empty() || (leaf == threads.front() && chunk_limit_)) continue;
    const LeafState& s = leaf_[static_cast<size_t>(leaf)];
    const LoopSpan span = loop_span(leaf, s.extent);
    UOp inside = span.end.is(Op::Const) ? UOp{} : scopes_.put(Op::CmpLt, {s.value, span.end});
    if (span.first) {
      const UOp before = scopes_.put(Op::CmpLt, {s.value, span.first});
      inside = both(inside, scopes_.put(Op::Xor, {before, scopes_.put(constant(1, DType::Bool))}));
    }
    if (!inside) continue;
    limited.push_back(leaf);
    matters = both(matters, inside);
  }
  if (!matters) return emit_chunk();
  const UOp head = make(Op::If, {matters}, {{next_range_++}});
  scopes_.open(head);
  // Pinned inside the condition, as in emit_guarded.
  for (const int leaf : limited) {
    LeafState& s = leaf_[static_cast<size_t>(leaf)];
    s.value = scopes_.put_here(make(Op::After, {s.value, head}));
  }
  emit_chunk();
  scopes_.close(make(Op::EndIf, {head}));
}

// Chunks count the outermost leaf's digits, each of them `times`: with a limit by variables alone,
// up to ⌈limit / stride⌉.
void Emitter::limit_chunks(int outermost, int64_t times) {
  const Leaf& l = k_.leaves[static_cast<size_t>(outermost)];
  const auto base = static_cast<size_t>(l.base);
  if (base >= k_.limits.size() || !k_.limits[base].limit) return;
  const bool first_digit = std::ranges::all_of(k_.leaves, [&](const Leaf& other) {
    return other.base != l.base || other.stride <= l.stride;
  });
  LoopBound limit = *k_.limits[base].limit;
  const bool by_variables =
      std::ranges::all_of(limit.over.terms, [](const auto& t) { return t.term.is(Op::Var); });
  if (!first_digit || !by_variables) return;
  limit.over.add_constant(limit.by * (l.stride - 1));
  limit.by *= l.stride;
  chunk_limit_ = std::move(limit);
  chunk_times_ = times;
}

// Inside the chunk loop a tail cannot follow the loop: each chunk asks which body it needs. The
// leaf's value is pinned inside the condition, so that nothing that relies on it is hoisted out.
void Emitter::emit_guarded(int loop, int leaf, int64_t full_tiles) {
  const LeafState outside = leaf_[static_cast<size_t>(leaf)];
  UOp limit = scopes_.put(index_const(full_tiles));
  UOp is_full = scopes_.put(Op::CmpLt, {outside.value, limit});
  auto guarded = [&](const UOp& condition, const auto& body) {
    UOp head = make(Op::If, {condition}, {{next_range_++}});
    scopes_.open(head);
    body(scopes_.put_here(make(Op::After, {outside.value, head})));
    scopes_.close(make(Op::EndIf, {head}));
  };
  guarded(is_full, [&](const UOp& value) {
    bind(leaf, value, {0, full_tiles - 1});
    emit_body(loop);
  });
  restart_reductions(loop, 0);
  UOp one = scopes_.put(constant(1, DType::Bool));
  guarded(scopes_.put(Op::Xor, {is_full, one}),
          [&](const UOp& value) { emit_tail(loop, leaf, value, full_tiles); });
  leaf_[static_cast<size_t>(leaf)] = outside;
}

void emit_linear(const ScheduledKernel& kernel, const LoopTree& tree, const Target& target,
                 LinearKernel& out) {
  Emitter(kernel, tree, target).run(out);
}

}  // namespace tg

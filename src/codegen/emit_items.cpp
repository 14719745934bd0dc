// What the items of the loop tree do: clear and update accumulators, store results. Copies of
// staged operands are emit_copy.cpp.
#include <algorithm>
#include <numeric>

#include "codegen/emitter.h"
#include "support/check.h"
#include "tg/ir/op.h"
#include "uop/shape.h"

namespace tg {

void Emitter::emit_item(const Item& item) {
  item_ = &item;
  switch (item.kind) {
    case Item::Kind::Clear:
      return emit_clear(production(item.production));
    case Item::Kind::Update:
      return emit_update(production(item.production));
    case Item::Kind::Gather:
      return emit_gather(production(item.production));
    case Item::Kind::Copy:
      return emit_copy(production(item.production));
    case Item::Kind::Store:
      return emit_store(item.node);
  }
}

// The production of `node` that the item in hand reads.
const Production& Emitter::read_here(const Node* node) const {
  for (int p : item_->needs) {
    if (production(p).node == node) return production(p);
  }
  TG_CHECK(false, "a {} is read by an item that does not need it", op_name(node->op));
}

// ---- reductions

int Emitter::lanes_of_reduce(const UOp& reduce) const {
  if (leaves_in_tile(reduce.node()) != 0) return static_cast<int>(k_.product->unit->c.registers());
  return lanes_in(deps(reduce.src(0)) | k_.closed_by(reduce.node()));
}

// In mixed radix.
size_t Emitter::position(LeafSet set, const Point& point) const {
  int64_t at = 0;
  for (size_t i = 0; i < k_.leaves.size(); ++i) {
    if ((set & unroll_) >> i & 1) at = at * leaf_[i].extent + point[i];
  }
  return static_cast<size_t>(at);
}

void Emitter::start(const Production& made) {
  if (auto it = acc_.find(&made); it != acc_.end() && !it->second.values.empty()) return;
  const UOp reduce = UOp::share(made.node);
  UOp identity =
      scopes_.put(constant(reduce_identity(static_cast<ReduceOp>(reduce.arg(0)), reduce.dtype())));
  identity = widen(identity, lanes_of_reduce(reduce));
  std::vector<UOp>& values = acc_[&made].values;
  for_points(results_of(reduce), [&](const Point&) { values.push_back(identity); });
}

// Folds all reduced unrolled points into the running values. Products are added by fma, one for
// every value before the next for any: the sums do not wait for each other, and what neighbouring
// values share is used while it is in a register.
void Emitter::fold_terms(const UOp& reduce, std::vector<UOp>& running) {
  const UOp v = reduce.src(0);
  const ReduceOp op = static_cast<ReduceOp>(reduce.arg(0));
  const int lanes = lanes_of_reduce(reduce);
  const bool fused = op == ReduceOp::Add && v.is(Op::Mul) && is_float(v.dtype());
  const std::vector<UOp> order = evaluation_order(fused ? v.srcs() : std::vector<UOp>{v});
  const UOp identity = constant(reduce_identity(op, v.dtype()));
  std::vector<std::vector<UOp>> terms(running.size());  // of each value, empty where there is none
  const auto fold = [&](const Point& at) {
    evaluate(order, at);
    const size_t to = position(reduce, at);
    UOp& term = terms[to].emplace_back();
    // x + 0 is x: no running sum is −0, for it began at 0.
    if (!fused && value(v) == identity) return;
    const UOp gate = overrun_gate(reduce.node(), at, lanes);
    if (fused) {
      const UOp a = widen(value(v.src(0)), lanes), b = widen(value(v.src(1)), lanes);
      if (!gate) {
        running[to] = scopes_.put(Op::Fma, {a, b, running[to]});
        return;
      }
      term = scopes_.put(Op::Mul, {a, b});
    } else {
      term = widen(value(v), lanes);
    }
    if (gate)
      term =
          scopes_.put(Op::Where, {widen(gate, lanes), term, widen(scopes_.put(identity), lanes)});
  };
  const LeafSet closed = k_.closed_by(reduce.node());
  for_points(closed, [&](const Point& red) {
    for_points(deps(reduce), [&](const Point& result) {
      Point at = result;
      for (size_t i = 0; i < at.size(); ++i) at[i] = (closed >> i & 1) != 0 ? red[i] : at[i];
      fold(at);
    });
  });
  for (size_t i = 0; i < running.size(); ++i) {
    if (const UOp sum = sum_of(op, std::move(terms[i]), closed))
      running[i] = scopes_.put(reduce_alu(op), {sum, running[i]});
  }
}

// One unrolled point after the other, each of them for all values: these do not wait for each
// other.
void Emitter::run_along(const UOp& reduce, Accumulator& acc) {
  const UOp v = reduce.src(0);
  const ReduceOp op = static_cast<ReduceOp>(reduce.arg(0));
  const int lanes = lanes_of_reduce(reduce);
  const std::vector<UOp> order = evaluation_order(std::array{v});
  const LeafSet along = k_.run_along(reduce.node()), results = results_of(reduce);
  acc.results.clear();
  for_points(deps(reduce), [&](const Point&) { acc.results.emplace_back(); });
  for_points(along, [&](const Point& step) {
    for_points(results, [&](const Point& result) {
      Point at = result;
      for (size_t i = 0; i < at.size(); ++i) at[i] = (along >> i & 1) != 0 ? step[i] : at[i];
      evaluate(order, at);
      UOp& value_so_far = acc.values[position(results, at)];
      value_so_far = scopes_.put(reduce_alu(op), {widen(value(v), lanes), value_so_far});
      acc.results[position(deps(reduce), at)] = value_so_far;
    });
  });
}

// A tree for each leaf, the innermost first: windows that overlap in an outer one share the sums of
// their rows.
UOp Emitter::sum_of(ReduceOp op, std::vector<UOp> terms, LeafSet closed) {
  const auto pair = [&](const UOp& a, const UOp& b) {
    return a && b ? scopes_.put(reduce_alu(op), {a, b}) : a ? a : b;
  };
  for (size_t leaf = k_.leaves.size(); leaf-- > 0;) {
    if (((closed & unroll_) >> leaf & 1) == 0) continue;
    const auto each = static_cast<size_t>(leaf_[leaf].extent);
    std::vector<UOp> sums;
    for (size_t first = 0; first < terms.size(); first += each) {
      const std::span<UOp> row(terms.data() + first, each);
      for (size_t n = each; n > 1; n = (n + 1) / 2) {
        for (size_t i = 0; i < n / 2; ++i) row[i] = pair(row[2 * i], row[2 * i + 1]);
        if (n % 2 != 0) row[n / 2] = row[n - 1];
      }
      sums.push_back(row[0]);
    }
    terms = std::move(sums);
  }
  return terms.front();
}

void Emitter::emit_update(const Production& made) {
  const UOp reduce = UOp::share(made.node);
  const bool in_memory = made.uses_array() && made.carried == 0;
  if (in_memory) {
    load_running(made);
  } else {
    start(made);
  }
  std::vector<UOp>& values = acc_.at(&made).values;
  if (k_.product && k_.product->reduce == made.node) {
    const MatrixUnit& unit = *k_.product->unit;
    unit.is_of_one()     ? emit_dots(made)
    : unit.reads_scratch ? emit_async_products(made)
                         : emit_products(made);
  } else if (is_running(made.node)) {
    run_along(reduce, acc_.at(&made));
  } else {
    fold_terms(reduce, values);
  }
  if (in_memory) store_running(made);
  if (!made.uses_array() && made.carried == 0) complete_tiles(made);
}

// ---- accumulators in scratch arrays

UOp Emitter::array_of(const Production& made) {
  UOp& array = arrays_[&made];
  if (array) return array;
  const UOp reduce = UOp::share(made.node);
  std::vector<Dim> extents;
  for (size_t i = 0; i < k_.leaves.size(); ++i) {
    const LeafSet bit = LeafSet{1} << i;
    if ((made.array_loops & bit) != 0 || (leaves_of(reduce) & unroll_ & bit) != 0)
      extents.push_back(k_.leaves[i].extent);
  }
  extents.push_back(lanes_of_reduce(reduce));
  array = alloc(reduce.dtype(), extents, work_items_.empty() ? Space::Scratch : Space::Reg);
  return array;
}

UOp Emitter::array_index(const Production& made, const Point& point) {
  const UOp reduce = UOp::share(made.node);
  UOp index = scopes_.put(index_const(0));
  int64_t stride = lanes_of_reduce(reduce);
  for (size_t i = k_.leaves.size(); i-- > 0;) {
    const LeafSet bit = LeafSet{1} << i;
    if ((made.array_loops & bit) != 0) {
      index = add_index(index, scale_index(leaf_[i].value, stride));
    } else if ((leaves_of(reduce) & unroll_ & bit) != 0) {
      index = add_index(index, scopes_.put(index_const(point[i] * stride)));
    } else {
      continue;
    }
    stride *= k_.leaves[i].extent;
  }
  return index;
}

// The pointer as seen from inside the innermost loop: what is read through it is read again in
// every iteration.
UOp Emitter::pinned(const UOp& ptr) {
  const UOp head = scopes_.innermost();
  if (!head) return ptr;
  return scopes_.put(Op::After, {ptr, head});
}

void Emitter::emit_clear(const Production& made) {
  const UOp reduce = UOp::share(made.node);
  const int lanes = lanes_of_reduce(reduce);
  acc_.erase(&made);
  UOp identity =
      scopes_.put(constant(reduce_identity(static_cast<ReduceOp>(reduce.arg(0)), reduce.dtype())));
  for_points(leaves_of(reduce), [&](const Point& p) {
    scopes_.put_here(make(Op::Store,
                          {pinned(array_of(made)), array_index(made, p), widen(identity, lanes)},
                          {{0, 0}}));
  });
}

void Emitter::load_running(const Production& made) {
  const UOp reduce = UOp::share(made.node);
  std::vector<UOp> values;
  const int lanes = lanes_of_reduce(reduce);
  for_points(leaves_of(reduce), [&](const Point& p) {
    values.push_back(scopes_.put_here(make(Op::Load, {pinned(array_of(made)), array_index(made, p)},
                                           {{lanes, dtype_size(reduce.dtype()) * lanes}})));
  });
  acc_[&made].values = std::move(values);
}

std::vector<UOp> Emitter::store_running(const Production& made) {
  const UOp reduce = UOp::share(made.node);
  std::vector<UOp> values = std::move(acc_.at(&made).values), stores;
  acc_.at(&made).values.clear();
  const int64_t align = dtype_size(reduce.dtype()) * lanes_of_reduce(reduce);
  for_points(leaves_of(reduce), [&](const Point& p) {
    stores.push_back(scopes_.put_here(
        make(Op::Store, {pinned(array_of(made)), array_index(made, p), values[position(reduce, p)]},
             {{0, align}})));
  });
  return stores;
}

// Rows of what a tile register holds are there in memory only.
void Emitter::complete_tiles(const Production& made) {
  if (leaves_in_tile(made.node) == 0) return;
  std::vector<UOp> src = store_running(made);
  src.insert(src.begin(), array_of(made));
  acc_.at(&made).ready = scopes_.put_here(make(Op::After, src));
}

UOp Emitter::row_of_tile(const Production& made, const Point& point) {
  const UnitProduct& product = *k_.product;
  const FragmentMap& c = product.unit->c;
  int64_t row = 0, at = 0;
  for (size_t i = 0; i < k_.leaves.size(); ++i) {
    const Leaf& leaf = k_.leaves[i];
    if ((product.leaves >> i & 1) != 0 && leaf.kind == Kind::Unroll)
      row += point[i] << leaf.unit_bit;
  }
  while (c.index(MatrixAxis::M, 0, at) != row || c.index(MatrixAxis::N, 0, at) != 0) ++at;
  const UOp index = add_index(array_index(made, point), scopes_.put(index_const(at)));
  const int64_t lanes = product.unit->n;
  return scopes_.put(Op::Load, {acc_.at(&made).ready, index},
                     {{lanes, lanes * dtype_size(made.node->dtype)}});
}

UOp Emitter::result_of(const UOp& reduce, const Point& point) {
  const Production& made = read_here(reduce.node());
  UOp v;
  if (leaves_in_tile(made.node) != 0) return row_of_tile(made, point);
  if (is_running(made.node)) return acc_.at(&made).results.at(position(deps(reduce), point));
  if (made.uses_array()) {
    const int lanes = lanes_of_reduce(reduce);
    const int64_t align = dtype_size(reduce.dtype()) * lanes;
    v = scopes_.put(Op::Load, {acc_.at(&made).ready, array_index(made, point)}, {{lanes, align}});
  } else {
    v = acc_.at(&made).values.at(position(reduce, point));
  }
  const bool across_lanes = (k_.closed_by(reduce.node()) & vector_) != 0 && made.parts < 0;
  return across_lanes ? scopes_.put(Op::VReduce, {v}, {{reduce.arg(0)}}) : v;
}

// ---- memory and stores

UOp Emitter::alloc(DType dtype, const std::vector<Dim>& extents, Space space) {
  std::vector<int64_t> arg = {next_alloc_++, static_cast<int64_t>(space)};
  arg.insert(arg.end(), extents.begin(), extents.end());
  if (space == Space::Scratch)
    scratch_bytes_ += (numel(extents) * dtype_size(dtype) + 63) / 64 * 64;
  return scopes_.put(make(Op::Alloc, {}, arg, dtype));
}

bool Emitter::may_overrun(size_t base, LeafSet closed) const {
  const UOp& value = k_.base_value[base];
  return (deps(value) & closed) != 0 && bounds_of(value).hi >= k_.bases[base].extent;
}

// Does `closing` iterate over points past the end of a tile?
bool Emitter::overruns(const Node* closing) const {
  for (size_t b = 0; b < k_.bases.size(); ++b) {
    if (may_overrun(b, k_.closed_by(closing))) return true;
  }
  return false;
}

// The points past the end of a tile: true where all bases that `closing` iterates over are inside.
// Empty if that is certain.
UOp Emitter::overrun_gate(const Node* closing, const Point& point, int lanes) {
  UOp gate;
  const LeafSet closed = k_.closed_by(closing);
  for (size_t b = 0; b < k_.bases.size(); ++b) {
    const BaseRange& base = k_.bases[b];
    if (!may_overrun(b, closed)) continue;
    gate = both(gate, is_below(Affine::of(k_.base_value[b]), base.extent, point, lanes));
  }
  return gate;
}

// The values of a store at all its points, made part of the list without storing them.
void Emitter::evaluate_stored(const Item& item) {
  item_ = &item;
  const Node* store = item.node;
  const UOp s = UOp::share(store);
  LeafSet set = deps(s);
  if (const auto end = end_of_.find(store); end != end_of_.end()) set |= k_.closed_by(end->second);
  std::vector<UOp> roots = operands(s);
  roots.push_back(s.src(1 + s.src_node(0)->n_dim));
  const std::vector<UOp> order = evaluation_order(roots);
  for_points(set, [&](const Point& p) { evaluate(order, p); });
}

void Emitter::emit_store(const Node* store) {
  const UOp s = UOp::share(store);
  if (s.src(0).numel() == 0) return;
  const AccessForm& form = form_of(s);
  const UOp v = s.src(1 + s.src_node(0)->n_dim);
  const auto found = end_of_.find(store);
  const Node* end = found == end_of_.end() ? nullptr : found->second;
  LeafSet set = deps(s);
  if (end != nullptr) set |= k_.closed_by(end);
  const int lanes = lanes_in(set);
  std::vector<UOp> roots = operands(s);
  roots.push_back(v);
  const std::vector<UOp> order = evaluation_order(roots);
  const UOp one = work_item_gate(set);
  int64_t step = 0;
  const bool plain = !one && s.arg(0) == 0 && !is_updated_in_turn(s.src_node(0));
  const bool whole = plain && !has_gate(form) && (end == nullptr || !overruns(end));
  // Rows that overlap would be written in another order.
  if (const int row = plain ? row_leaf(form.flat, lanes, step) : -1; row >= 0 && step >= lanes) {
    if (const auto limits = limits_of_square(form, end, row)) {
      for_points(set & ~(LeafSet{1} << row), [&](const Point& corner) {
        put_transposed(s, order, {corner, lanes, row, step}, *limits);
      });
      return;
    }
  }
  if (const int row = whole ? woven_leaf(form.flat, lanes) : -1; row >= 0) {
    for_points(set & ~(LeafSet{1} << row),
               [&](const Point& corner) { put_woven(s, order, corner, lanes, row); });
    return;
  }
  const auto gate_at = [&](const Point& p) {
    UOp gate = access_gate(form, p, lanes);
    if (end != nullptr) gate = both(gate, overrun_gate(end, p, lanes));
    return one ? both(gate, one) : gate;
  };
  if (one) stored_by_one_.push_back(s.src_node(0));
  const Neighbours row = lanes == 1 && s.arg(0) == 0 && !is_updated_in_turn(s.src_node(0))
                             ? unrolled_neighbours(form.flat, set, dtype_size(v.dtype()))
                             : Neighbours{};
  const LeafSet corners = row.leaf < 0 ? set : set & ~(LeafSet{1} << row.leaf);
  if (const auto x = exchange_of(form.flat, set, row, v.dtype())) {
    bool all = true;
    for_points(corners & ~(LeafSet{1} << x->places), [&](const Point& corner) {
      all = all && put_exchanged(s, order, corner, row, *x, gate_at);
    });
    if (all) return;
  }
  for_points(corners, [&](const Point& corner) {
    if (row.leaf >= 0 && put_neighbours(s, order, corner, row, gate_at)) return;
    for (int64_t i = 0; i < row.points; ++i) {
      const Point p = at_neighbour(corner, row, i);
      evaluate(order, p);
      std::vector<UOp> src = {scopes_.put(s.src(0)), emit_address(form.flat, p, lanes).index,
                              widen(value(v), lanes)};
      const UOp gate = gate_at(p);
      if (put_first_lanes(s, src, gate)) continue;
      if (gate) src.push_back(gate);
      put_store(s, std::move(src));
    }
    if (row.leaf >= 0) at_neighbour(corner, row, 0);
  });
}

// An unrolled axis along which a work-item's values are neighbours in memory, from a place on that
// is a multiple of as many.
Emitter::Neighbours Emitter::unrolled_neighbours(const Affine& flat, LeafSet set,
                                                 size_t element_bytes) const {
  constexpr int64_t kBytes = 16;
  if (work_items_.empty()) return {};
  const auto find = [&](const Affine::Term& t) {
    const int leaf = t.term.is(Op::Range) ? k_.leaf_of(t.term.node()) : -1;
    return leaf >= 0 && t.coef == 1 && ((set & unroll_) >> leaf & 1) != 0;
  };
  const auto along = std::ranges::find_if(flat.terms, find);
  if (along == flat.terms.end()) return {};
  const int leaf = k_.leaf_of(along->term.node());
  const int64_t points = leaf_[static_cast<size_t>(leaf)].extent,
                most = kBytes / static_cast<int64_t>(element_bytes);
  const int64_t together = std::gcd(points, most);
  const bool aligned =
      flat.constant % together == 0 && std::ranges::all_of(flat.terms, [&](const Affine::Term& t) {
        return t.term == along->term || t.coef % together == 0;
      });
  if (!aligned || together < 2) return {};
  return {leaf, points, together};
}

Emitter::Point Emitter::at_neighbour(const Point& corner, const Neighbours& row, int64_t i) {
  Point p = corner;
  if (row.leaf < 0) return p;
  p[static_cast<size_t>(row.leaf)] = i;
  leaf_[static_cast<size_t>(row.leaf)].bounds = {i, i};
  return p;
}

// Stores neighbours together, as vectors; not where they are stored under different conditions.
bool Emitter::put_neighbours(const UOp& s, const std::vector<UOp>& order, const Point& corner,
                             const Neighbours& row, FunctionRef<UOp(const Point&)> gate_at) {
  const UOp v = s.src(1 + s.src_node(0)->n_dim);
  const UOp gate = gate_at(at_neighbour(corner, row, 0));
  for (int64_t i = 1; i < row.points; ++i) {
    if (gate_at(at_neighbour(corner, row, i)) != gate) return false;
  }
  for (int64_t first = 0; first < row.points; first += row.together) {
    std::vector<UOp> values;
    for (int64_t i = first; i < first + row.together; ++i) {
      evaluate(order, at_neighbour(corner, row, i));
      values.push_back(value(v));
    }
    std::vector<UOp> src = {scopes_.put(s.src(0)),
                            emit_scalar_sum(form_of(s).flat, at_neighbour(corner, row, first)),
                            scopes_.put(make(Op::Stack, values, {}))};
    if (gate) src.push_back(gate);
    put_store(s, std::move(src));
  }
  at_neighbour(corner, row, 0);
  return true;
}

// The values of a square of points, which memory has the other way round.
void Emitter::put_transposed(const UOp& s, const std::vector<UOp>& order, const Square& square,
                             std::span<const Limit> limits) {
  const UOp v = s.src(1 + s.src_node(0)->n_dim);
  const std::vector<UOp> values =
      transposed(row_values(v, order, square.corner, square.row, square.lanes));
  const std::vector<UOp> places =
      row_addresses(form_of(s), square.corner, square.lanes, square.step);
  for (size_t k = 0; k < values.size(); ++k) {
    std::vector<UOp> src = {scopes_.put(s.src(0)), places[k], values[k]};
    if (const UOp gate = square_gate(square, limits, static_cast<int64_t>(k))) src.push_back(gate);
    put_store(s, std::move(src));
  }
}

// The values of a row of points, which lie between the lanes of each other, in vectors of the width
// that a register has.
void Emitter::put_woven(const UOp& s, const std::vector<UOp>& order, const Point& corner, int lanes,
                        int row) {
  const UOp v = s.src(1 + s.src_node(0)->n_dim);
  const int64_t most = lanes_of_register(v.dtype());
  Affine at = of_first_lane(form_of(s).flat);
  for (const UOp& part : woven(row_values(v, order, corner, row, lanes), most)) {
    put_store(s, {scopes_.put(s.src(0)), emit_scalar_sum(at, corner), part});
    at.add_constant(part.lanes());
  }
}

// Neighbours of which the first few are stored, a known number: in vectors of 4, 2 and 1 where that
// is cheaper than a mask.
bool Emitter::put_first_lanes(const UOp& s, std::span<const UOp> src, const UOp& gate) {
  const UOp &array = src[0], &first = src[1], &v = src[2];
  const int64_t kept = kept_lanes(gate);
  if (!stores_in_parts_ || kept < 0 || kept >= v.lanes() || first.lanes() > 1 || s.arg(0) != 0)
    return false;
  for (int64_t at = 0; at < kept;) {
    const auto size = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(kept - at)));
    std::vector<int64_t> lanes(static_cast<size_t>(size));
    std::iota(lanes.begin(), lanes.end(), at);
    const UOp part =
        size > 1 ? scopes_.put(Op::Shuffle, {v, v}, lanes) : scopes_.put(Op::Extract, {v}, {{at}});
    put_store(s, {array, add_index(first, scopes_.put(index_const(at))), part});
    at += size;
  }
  return true;
}

// Points of an axis that the store misses store the same again: needless at once, else behind what
// came between.
void Emitter::put_store(const UOp& s, std::vector<UOp> src) {
  UOp& last = last_update_[s.src_node(0)];
  UOp stored = make(Op::Store, src, {{s.arg(0), 0}});
  if (scopes_.is_here(stored)) {
    if (stored == last && s.arg(0) == 0) return;
    src[0] = scopes_.put(Op::After, {src[0], last});
    stored = make(Op::Store, src, {{s.arg(0), 0}});
  }
  last = scopes_.put_here(stored);
}

// The pointer through which an array is read. One that iterations update in turn is read again in
// each of them, and after each store.
UOp Emitter::array_now(const UOp& param) {
  const UOp ptr = scopes_.put(param);
  if (!is_updated_in_turn(param.node())) return ptr;
  const auto last = last_update_.find(param.node());
  if (last == last_update_.end() || !scopes_.is_here(last->second)) return pinned(ptr);
  return scopes_.put(Op::After, {ptr, last->second});
}

void Emitter::publish_updates(int loop, const UOp& end) {
  tree_.for_items({true, loop}, [&](const Item& item) {
    if (item.kind == Item::Kind::Store) last_update_[item.node->src()[0]] = end;
  });
}

}  // namespace tg

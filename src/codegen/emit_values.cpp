// Expressions and accesses: how a node of the kernel graph becomes linear nodes at one point of the
// unrolled axes. Addresses are affine sums with their constant last; an access whose index cannot
// be proven inside its array is gated (emit_gates.cpp).
#include <algorithm>
#include <array>
#include <bit>
#include <iterator>

#include "codegen/emitter.h"
#include "support/check.h"
#include "tg/ir/walk.h"
#include "uop/shape.h"

namespace tg {

// ---- what an expression needs

// Index arithmetic of accesses is opened into affine sums, so only the terms that are no plain
// ranges are evaluated as nodes.
std::vector<UOp> Emitter::operands(const UOp& u) {
  if (u.is(Op::Reduce) || u.is(Op::Stage) || u.is(Op::Range) || u.is(Op::Param)) return {};
  if (u.is(Op::Where) && holds_here(u.src(0))) return {u.src(1)};
  if (!u.is(Op::Load) && !u.is(Op::Store)) return u.srcs();
  const AccessForm& form = form_of(u);
  std::vector<UOp> out;
  std::ranges::remove_copy_if(form.conditions, std::back_inserter(out),
                              [this](const UOp& c) { return holds_here(c); });
  for (const AccessForm* f = &form; const Affine::Term& t : f->flat.terms) {
    if (!t.term.is(Op::Range)) out.push_back(t.term);
  }
  for (const Affine& d : form.dims) {
    for (const Affine::Term& t : d.terms) {
      if (!t.term.is(Op::Range)) out.push_back(t.term);
    }
  }
  return out;
}

std::vector<UOp> Emitter::evaluation_order(std::span<const UOp> roots) {
  std::vector<UOp> order;
  std::unordered_map<const Node*, bool> entered;
  struct Frame {
    UOp node;
    std::vector<UOp> needs;
    size_t next = 0;
  };
  std::vector<Frame> stack;
  for (const UOp& root : roots) {
    if (!entered.emplace(root.node(), true).second) continue;
    stack.push_back({root, operands(root)});
    while (!stack.empty()) {
      Frame& f = stack.back();
      if (f.next == f.needs.size()) {
        order.push_back(f.node);
        stack.pop_back();
        continue;
      }
      UOp child = f.needs[f.next++];
      if (entered.emplace(child.node(), true).second) stack.push_back({child, operands(child)});
    }
  }
  return order;
}

const Emitter::AccessForm& Emitter::form_of(const UOp& access) {
  auto [it, fresh] = forms_.try_emplace(access.node());
  AccessForm& f = it->second;
  if (!fresh) return f;
  f.access = access;
  const UOp ptr = access.src(0);
  std::vector<UOp> idx;
  for (int d = 0; d < ptr.ndim(); ++d) {
    idx.push_back(access.src(1 + d));
    f.dims.push_back(Affine::of(idx.back()));
  }
  f.flat = flat_index(idx, ptr.shape());
  if (!gate_is_bounds(access)) f.conditions = conjuncts(gate_of(access));
  return f;
}

// ---- intervals here and now: leaves are as wide as the loops that are open

namespace {
// where(a < b, a, b): closer bounds than a choice between two values has.
bool is_minimum(const Node* n) {
  if (n->op != Op::Where || n->src()[0]->op != Op::CmpLt) return false;
  const Node* less = n->src()[0];
  return less->src()[0] == n->src()[1] && less->src()[1] == n->src()[2];
}
}  // namespace

Interval Emitter::bounds_of(const UOp& expr) const {
  std::unordered_map<const Node*, Interval> known;
  std::vector<Interval> src;
  for (const Node* n : toposort(expr)) {
    Interval v;
    if (n->op == Op::Range) {
      v = leaf_[static_cast<size_t>(k_.leaf_of(n))].bounds;
    } else if (n->op == Op::Const && !is_float(n->dtype)) {
      v = {n->arg()[0], n->arg()[0]};
    } else if (n->op == Op::Cast && is_int(n->dtype) && known.at(n->src()[0]).bounded()) {
      v = n->dtype == DType::Index || dtype_size(n->dtype) >= 4 ? known.at(n->src()[0])
                                                                : Interval{};
    } else if (is_minimum(n)) {
      const Interval a = known.at(n->src()[1]), b = known.at(n->src()[2]);
      v = {std::min(a.lo, b.lo), std::min(a.hi, b.hi)};
    } else if (record(n->op).interval != nullptr) {
      src.clear();
      for (const Node* s : n->src()) src.push_back(known.at(s));
      v = record(n->op).interval(src, n->arg());
    }
    known.emplace(n, v);
  }
  return known.at(expr.node());
}

Interval Emitter::bounds_of(const Affine& index) const {
  Interval sum{index.constant, index.constant};
  for (const Affine::Term& t : index.terms) {
    const Interval b = t.term.is(Op::Range)
                           ? leaf_[static_cast<size_t>(k_.leaf_of(t.term.node()))].bounds
                           : bounds_of(t.term);
    const int64_t x = saturating_mul(b.lo, t.coef), y = saturating_mul(b.hi, t.coef);
    sum = {saturating_add(sum.lo, std::min(x, y)), saturating_add(sum.hi, std::max(x, y))};
  }
  return sum;
}

int Emitter::lanes_in(LeafSet set) const {
  const LeafSet v = set & vector_;
  TG_CHECK(std::popcount(v) <= 1, "a value with two axes of lanes");
  return v == 0 ? 1 : static_cast<int>(k_.leaves[static_cast<size_t>(std::countr_zero(v))].extent);
}

// ---- scalars and lanes

UOp Emitter::widen(const UOp& u, int lanes) {
  if (u.lanes() == lanes) return u;
  TG_CHECK(u.lanes() == 1, "{} lanes where {} are needed", u.lanes(), lanes);
  return scopes_.put(Op::Splat, {u}, {{lanes}});
}

UOp Emitter::add_index(const UOp& a, const UOp& b) {
  if (a.is(Op::Const) && b.is(Op::Const)) return scopes_.put(index_const(a.arg(0) + b.arg(0)));
  if (b.is(Op::Const) && b.arg(0) == 0) return a;
  if (a.is(Op::Const) && a.arg(0) == 0) return b;
  return scopes_.put(Op::Add, {a, b});
}

UOp Emitter::scale_index(const UOp& a, int64_t factor) {
  if (factor == 1) return a;
  if (a.is(Op::Const)) return scopes_.put(index_const(a.arg(0) * factor));
  return scopes_.put(Op::Mul, {a, scopes_.put(index_const(factor))});
}

UOp Emitter::leaf_value(int leaf, const Point& point) {
  const Leaf& l = k_.leaves[static_cast<size_t>(leaf)];
  if (in_fragment(leaf)) {
    const FragmentSum sum = fragment_sum(std::array{std::pair{leaf, int64_t{1}}});
    return add_index(sum.lanes, scopes_.put(index_const(sum.constant)));
  }
  switch (l.kind) {
    case Kind::Unroll:
      return scopes_.put(index_const(point[static_cast<size_t>(leaf)]));
    case Kind::Vector: {
      UOp zero = scopes_.put(index_const(0));
      return scopes_.put(Op::Ramp, {zero}, {{l.extent, 1}});
    }
    default:
      break;
  }
  const UOp v = leaf_[static_cast<size_t>(leaf)].value;
  TG_CHECK(static_cast<bool>(v), "leaf {} is used outside its loop", leaf);
  return v;
}

// What changes least often first, so that partial sums are hoisted: groups, work-items, loops from
// outermost to innermost; unrolled leaves and the constant last.
UOp Emitter::emit_scalar_sum(const Affine& index, const Point& point) {
  int64_t constant = index.constant;
  std::vector<std::pair<int, const Affine::Term*>> parts;
  std::vector<std::pair<int, int64_t>> in_unit;
  for (const Affine::Term& t : index.terms) {
    int order = t.term.is(Op::Range) ? k_.leaf_of(t.term.node()) : 64;
    if (order < 64 && in_fragment(order)) {
      in_unit.emplace_back(order, t.coef);
      continue;
    }
    if (order < 64) {
      const Kind kind = k_.leaves[static_cast<size_t>(order)].kind;
      if (kind == Kind::Vector) continue;
      if (kind == Kind::Unroll) {
        constant += t.coef * point[static_cast<size_t>(order)];
        continue;
      }
    }
    parts.emplace_back(order, &t);
  }
  // What a work-item is does not change with its loops; slots change with the outermost of those
  // that the index of a copy is made of.
  const auto place = [&](const auto& part) {
    const auto leaf = static_cast<size_t>(part.first);
    const Kind kind = part.first < 64 ? k_.leaves[leaf].kind : Kind::Serial;
    const int depth = kind == Kind::Thread  ? 0
                      : kind == Kind::Local ? 1
                      : kind == Kind::Slot  ? 2
                                            : 3;
    return std::pair(depth, part.first);
  };
  std::ranges::stable_sort(parts, {}, place);
  UOp sum = scopes_.put(index_const(0));
  if (!in_unit.empty()) {
    const FragmentSum part = fragment_sum(in_unit);
    sum = part.lanes;
    constant += part.constant;
  }
  for (const auto& [order, t] : parts) {
    UOp v = order < 64 ? leaf_value(order, point) : value(t->term);
    if (v.is(Op::Const)) {
      constant += t->coef * v.arg(0);
    } else {
      sum = add_index(sum, scale_index(v, t->coef));
    }
  }
  return add_index(sum, scopes_.put(index_const(constant)));
}

// Whether lanes are neighbours, by terms that say so.
bool Emitter::steps_by_lane(const Affine& index, int lanes) const {
  int64_t step = 0;
  for (const Affine::Term& t : index.terms) {
    if ((deps(t.term) & vector_) == 0) continue;
    if (!t.term.is(Op::Range)) return false;
    step += t.coef;
  }
  return lanes == 1 || step == 1;
}

Emitter::Address Emitter::emit_address(const Affine& index, const Point& point, int lanes) {
  int64_t lane_step = 0;
  bool opaque_lanes = false;
  Affine scalar{.constant = index.constant};
  for (const Affine::Term& t : index.terms) {
    const bool on_lanes = (deps(t.term) & vector_) != 0;
    if (!on_lanes) {
      scalar.terms.push_back(t);
    } else if (t.term.is(Op::Range)) {
      lane_step += t.coef;
    } else {
      opaque_lanes = true;
    }
  }
  UOp base = emit_scalar_sum(scalar, point);
  if (lanes == 1 || (!opaque_lanes && lane_step == 0)) return {base, false};
  if (!opaque_lanes && lane_step == 1) return {base, true};
  UOp sum =
      lane_step == 0 ? widen(base, lanes) : scopes_.put(Op::Ramp, {base}, {{lanes, lane_step}});
  for (const Affine::Term& t : index.terms) {
    if ((deps(t.term) & vector_) == 0 || t.term.is(Op::Range)) continue;
    UOp v = widen(value(t.term), lanes);
    if (t.coef != 1) v = scopes_.put(Op::Mul, {v, widen(scopes_.put(index_const(t.coef)), lanes)});
    sum = scopes_.put(Op::Add, {sum, v});
  }
  return {sum, false};
}

UOp Emitter::emit_index(const Affine& index, const Point& point, int lanes) {
  const Address a = emit_address(index, point, lanes);
  return a.contiguous ? scopes_.put(Op::Ramp, {a.index}, {{lanes, 1}}) : a.index;
}

// ---- accesses

UOp Emitter::pointer_of(const UOp& load) {
  return load.src(0).is(Op::Stage) ? copied_.at(&read_here(load.src_node(0)))
                                   : array_now(load.src(0));
}

// Of a copy that the work-items of a group share: the element of the whole vector in which unrolled
// points have neighbours, so that one access reads them all. Empty if there are none, if the vector
// is not known to be aligned, and for fragments, whose elements lie as a matrix unit wants them.
UOp Emitter::unrolled_vector(const UOp& load, const AccessForm& form, const UOp& ptr,
                             const Point& point) {
  constexpr int64_t kBytes = 16;
  const int64_t most = kBytes / static_cast<int64_t>(dtype_size(load.dtype()));
  if (work_items_.empty() || fragment_ || !load.src(0).is(Op::Stage) || most < 2 ||
      numel(load.src(0).shape()) % most != 0)
    return {};
  int64_t constant = form.flat.constant, neighbours = 1;
  Affine shared;
  for (const Affine::Term& t : form.flat.terms) {
    const int leaf = t.term.is(Op::Range) ? k_.leaf_of(t.term.node()) : -1;
    if (leaf >= 0 && k_.leaves[static_cast<size_t>(leaf)].kind == Kind::Unroll) {
      constant += t.coef * point[static_cast<size_t>(leaf)];
      if (std::abs(t.coef) == 1) neighbours += k_.leaves[static_cast<size_t>(leaf)].extent - 1;
    } else {
      if (t.coef % most != 0) return {};
      shared.add_term(t.term, t.coef);
    }
  }
  if (neighbours < most) return {};
  shared.add_constant(floor_div(constant, most) * most);
  const UOp vector = scopes_.put(Op::Load, {ptr, emit_scalar_sum(shared, point)}, {{most, 0}});
  return scopes_.put(Op::Extract, {vector}, {{floor_mod(constant, most)}});
}

UOp Emitter::emit_load(const UOp& load, const Point& point) {
  const AccessForm& form = form_of(load);
  LeafSet set = 0;
  for (const Affine& d : form.dims) {  // what cancels in the flat index may still decide the gate
    for (const Affine::Term& t : d.terms) set |= deps(t.term);
  }
  for (const UOp& c : form.conditions) set |= deps(c);
  const int lanes = lanes_in(set);
  UOp ptr = pointer_of(load);
  if (const auto spread = spread_load(form, point, lanes))
    return emit_spread(ptr, form, *spread, point, lanes);
  UOp gate = access_gate(form, point, lanes);
  // A work-item behind the end of a tile would read what another one writes.
  if (const auto end = end_writing_.find(load.src_node(0));
      end != end_writing_.end() && !work_items_.empty())
    gate = both(gate, overrun_gate(end->second, point, lanes));
  int64_t step = 0;
  if (const int row = gate ? -1 : row_leaf(form.flat, lanes, step);
      row >= 0 && all_rows_inside(form, row))
    return emit_transposed(ptr, form, point, lanes, row, step);
  if (lanes == 1 && !gate) {
    if (const UOp element = unrolled_vector(load, form, ptr, point)) return element;
  }
  Address a = emit_address(form.flat, point, lanes);
  const bool vector = a.contiguous || a.index.lanes() > 1 || (gate && gate.lanes() > 1);
  if (vector && !a.contiguous) a.index = widen(a.index, lanes);
  std::vector<UOp> src = {ptr, a.index};
  if (gate) src.push_back(gate);
  const int64_t arg[] = {vector ? lanes : 1, 0};
  return scopes_.put(make(Op::Load, src, arg));
}

// What unrolled points know of conditions and indices is known now; numbers are left to the device.
UOp Emitter::known_here(const UOp& u) {
  if (u.is(Op::Where) && value(u.src(0)).is(Op::Const))
    return value(u.src(value(u.src(0)).scalar().truthy() ? 1 : 2));
  if (is_float(u.dtype()) || record(u.op()).eval == nullptr) return {};
  std::vector<Scalar> src;
  for (int i = 0; i < u.n_src(); ++i) {
    const UOp v = value(u.src(i));
    if (!v.is(Op::Const) || is_float(v.dtype())) return {};
    src.push_back(v.scalar());
  }
  return scopes_.put(constant(record(u.op()).eval(src, u.dtype(), u.arg())));
}

UOp Emitter::evaluate_elementwise(const UOp& u, const Point& point) {
  if (u.is(Op::Where) && holds_here(u.src(0))) return value(u.src(1));
  if (const UOp known = known_here(u)) return known;
  if (const UOp mask = emit_spread_mask(u, point)) return mask;
  if (const auto said = index_comparison(u); said && !said->negated) {
    if (const UOp mask = lanes_below_zero(said->sum, point, lanes_in(deps(u)))) return mask;
  }
  if (const UOp spread = emit_spread_index(u, point)) return spread;
  int lanes = 1;
  for (int i = 0; i < u.n_src(); ++i) lanes = std::max(lanes, value(u.src(i)).lanes());
  std::vector<UOp> src;
  for (int i = 0; i < u.n_src(); ++i) src.push_back(widen(value(u.src(i)), lanes));
  return scopes_.put(make(u.op(), src, u.arg(), u.dtype()));
}

UOp Emitter::evaluate_node(const UOp& u, const Point& point) {
  switch (u.op()) {
    case Op::Const:
    case Op::Var:
      return scopes_.put(u);
    case Op::Range:
      return leaf_value(k_.leaf_of(u.node()), point);
    case Op::Load:
      return emit_load(u, point);
    case Op::Reduce:
      return result_of(u, point);
    default:
      return evaluate_elementwise(u, point);
  }
}

void Emitter::evaluate(const std::vector<UOp>& order, const Point& point) {
  if (!arms_.empty()) return evaluate_with_arms(order, point);
  for (const UOp& u : order) {
    if (!u.is(Op::Stage) && !u.is(Op::Param) && !u.is(Op::Store))
      values_[u.node()] = evaluate_node(u, point);
  }
}

}  // namespace tg

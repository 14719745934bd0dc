// The walk has an explicit stack and a memo by (node, indices, gate). See value_builder.h.
#include "schedule/value_builder.h"

#include <algorithm>
#include <cmath>

#include "kernel/affine.h"
#include "kernel/running_reductions.h"
#include "rules/valid.h"
#include "schedule/recognise.h"
#include "support/check.h"
#include "tg/ir/walk.h"
#include "uop/shape.h"

namespace tg {
namespace {

// Versions of a storage are one memory.
const Node* storage_of(const Node* x) {
  while (x->op == Op::After) x = x->src()[0];
  return x;
}

bool is_finite_for_finite_data(const UOp& v) {
  return std::ranges::all_of(toposort(v), [](const Node* n) {
    if (!is_float(n->dtype) || n->op == Op::Param) return true;
    switch (n->op) {
      case Op::Const:
        return std::isfinite(
            Scalar::of_bits(static_cast<uint64_t>(n->arg()[0]), n->dtype).as_double());
      case Op::Load:
      case Op::Cast:
      case Op::Add:
      case Op::Mul:
      case Op::Max:
      case Op::Where:
      case Op::Reduce:
        return true;
      default:
        return false;
    }
  });
}

// A load that is gated by the condition is zero outside by itself, in any dtype. A product with
// such a factor is taken to be zero too, as if the array had a border of zeros, if the other factor
// is no more than sums and products of data: log(0) or 1/0 would make it NaN.
bool is_zero_outside(const UOp& v, const UOp& condition) {
  if (v.is(Op::Mul)) {
    return (is_zero_outside(v.src(0), condition) && is_finite_for_finite_data(v.src(1))) ||
           (is_zero_outside(v.src(1), condition) && is_finite_for_finite_data(v.src(0)));
  }
  if (v.is(Op::Cast)) return is_zero_outside(v.src(0), condition);
  if (!v.is(Op::Load) || v.n_src() == 1 + v.src_node(0)->n_dim) return false;
  const std::vector<UOp> have = conjuncts(v.src(v.n_src() - 1));
  return std::ranges::all_of(
      conjuncts(condition), [&](const UOp& c) { return std::ranges::find(have, c) != have.end(); });
}

// Quotients and remainders in the indices of an access.
size_t count_divisions(std::span<const UOp> indices) {
  size_t count = 0;
  for (const UOp& u : indices) {
    count += static_cast<size_t>(std::ranges::count_if(
        toposort(u), [](const Node* n) { return n->op == Op::IDiv || n->op == Op::Mod; }));
  }
  return count;
}

// Σ_r Σ_q v = Σ_{r,q} v, also where the inner sum stands under conditions with 0 outside.
UOp reduce_over(const UOp& v, ReduceOp op, std::vector<UOp> ranges) {
  auto same = [&](const UOp& u) {
    return u.is(Op::Reduce) && u.arg(0) == static_cast<int64_t>(op);
  };
  auto join = [&](const UOp& inner) {
    for (int i = 1; i < inner.n_src(); ++i) ranges.push_back(inner.src(i));
  };
  if (same(v)) {
    join(v);
    return reduce_over(v.src(0), op, ranges);
  }
  UOp inner = v, condition;
  while (op == ReduceOp::Add && inner.is(Op::Where) && inner.src(2).is_const(0)) {
    condition = both_gates(condition, inner.src(0));
    inner = inner.src(1);
  }
  if (condition && same(inner)) {
    join(inner);
    const UOp term = inner.src(0), zero = v.src(2);
    return reduce_over(is_zero_outside(term, condition) ? term : where(condition, term, zero), op,
                       ranges);
  }
  return reduce_ranges(v, op, ranges);
}

}  // namespace

std::vector<UOp> ValueBuilder::fresh_indices(std::span<const Dim> shape) {
  std::vector<UOp> idx;
  for (Dim d : shape) idx.push_back(fresh_index(d));
  return idx;
}

UOp ValueBuilder::fresh_index(Dim extent) {
  return extent == 1 ? index_const(0) : range(extent, next_range_++);
}

UOp ValueBuilder::compute(const Node* x, const std::vector<UOp>& idx) {
  root_ = x;
  return value_of({x, {idx, {}}});
}

UOp ValueBuilder::read(const Node* x, const std::vector<UOp>& idx, const UOp& gate) {
  root_ = nullptr;
  return value_of({x, {idx, gate}});
}

UOp ValueBuilder::storage(const Node* x) {
  const Node* base = storage_of(x);
  size_t slot = static_cast<size_t>(std::ranges::find(storage_, base) - storage_.begin());
  if (slot == storage_.size()) storage_.push_back(base);
  return param(static_cast<int>(slot), Shape(base->shape().begin(), base->shape().end()),
               base->dtype);
}

UOp ValueBuilder::exists(const Node* x, const std::vector<UOp>& idx) {
  UOp gate;
  for (size_t a = 0; a < x->n_limit; ++a) {
    if (x->limit(a) == nullptr) continue;
    gate = both_gates(gate, simplify_(lt(idx[a], UOp::share(x->limit(a)))));
  }
  return gate && gate.is_const(1) ? UOp{} : gate;
}

BuiltKernel ValueBuilder::finish(const UOp& ptr, const std::vector<UOp>& at, const UOp& v,
                                 const std::vector<UOp>& loops, const UOp& gate, Combine combine) {
  std::vector<UOp> ranges;
  for (const UOp& i : loops) {
    if (i.is(Op::Range)) ranges.push_back(i);
  }
  UOp root = end(store_at(ptr, at, v, gate, combine), ranges);
  const UOp whole = recognise_reductions(sink(std::span(&root, 1)));
  BuiltKernel out;
  std::unordered_map<const Node*, UOp> renumber;
  for (const Node* n : toposort(whole)) {
    if (n->op != Op::Param) continue;
    renumber.emplace(n, param(static_cast<int>(out.storage.size()),
                              Shape(n->shape().begin(), n->shape().end()), n->dtype));
    out.storage.push_back(storage_[static_cast<size_t>(n->arg()[0])]);
  }
  out.ast = substitute(whole, renumber);
  return out;
}

UOp ValueBuilder::value_of(const Request& request) {
  std::vector<Request> stack{request};
  std::vector<Request> missing;
  while (!stack.empty()) {
    const Request top = stack.back();
    if (memo_.contains(top)) {
      stack.pop_back();
      continue;
    }
    missing.clear();
    UOp v = try_build(top, missing);
    if (v) {
      memo_.emplace(top, v);
      stack.pop_back();
    } else {
      stack.insert(stack.end(), missing.begin(), missing.end());
    }
  }
  return memo_.at(request);
}

const UOp* ValueBuilder::known(const Request& r, std::vector<Request>& missing) const {
  auto it = memo_.find(r);
  if (it != memo_.end()) return &it->second;
  missing.push_back(r);
  return nullptr;
}

// The value, or empty with the requests that must be answered first.
UOp ValueBuilder::try_build(const Request& r, std::vector<Request>& missing) {
  const Node* x = r.node;
  if (ends_here(x)) return load_from(x, r.at);
  if (x->op == Op::Const)
    return constant(Scalar::of_bits(static_cast<uint64_t>(x->arg()[0]), x->dtype));
  if (x->op == Op::Var) return UOp::share(x);
  if (x->op == Op::Iota) return cast(r.at.idx[static_cast<size_t>(x->arg()[0])], x->dtype);
  if (in_group(x->op, kMovement)) return build_movement(r, missing);
  if (x->op == Op::Reduce) return build_reduce(r, missing);
  if (x->op == Op::Scan) return build_scan(r, missing);
  if (x->op == Op::Gather) return build_gather(r, missing);
  if (x->op == Op::Detach || x->op == Op::Contiguous) {
    const UOp* v = known({x->src()[0], r.at}, missing);
    return v == nullptr ? UOp{} : *v;
  }
  TG_CHECK(in_group(x->op, kElementwise), "{} in a kernel", op_name(x->op));
  std::vector<UOp> src;
  for (const Node* s : x->src()) {
    if (const UOp* v = known({s, r.at}, missing)) src.push_back(*v);
  }
  return missing.empty() ? make(x->op, src, x->arg(), x->dtype) : UOp{};
}

// The gate stays only if an index could leave the array without it, or wraps around without it:
// (l − k) mod n, where the gate says 0 ≤ l − k < n, is affine under the gate and not outside.
UOp ValueBuilder::load_from(const Node* x, const IndexedRead& at) {
  const UOp ptr = storage(x);
  if (!at.gate) return load(ptr, at.idx);
  bool inside = true;
  for (size_t d = 0; d < at.idx.size() && inside; ++d) {
    const Interval b = simplify_.bounds_of(at.idx[d]);
    inside = b.lo >= 0 && b.hi < ptr.dim(static_cast<int>(d));
  }
  if (inside && count_divisions(at.idx) == 0) return load(ptr, at.idx);
  const std::vector<UOp> under = simplify_under(at.gate, at.idx);
  if (inside && count_divisions(under) == count_divisions(at.idx)) return load(ptr, at.idx);
  return load(ptr, under, at.gate);
}

UOp ValueBuilder::build_movement(const Request& r, std::vector<Request>& missing) {
  UOp inside;
  const IndexedRead below = map_read(r.node, r.at, simplify_, inside);
  const UOp* v = known({r.node->src()[0], below}, missing);
  if (v == nullptr) return {};
  if (!inside) return *v;
  const bool states_fill = r.node->op == Op::Pad || r.node->op == Op::Shear;
  const Scalar fill =
      states_fill ? Scalar::of_bits(static_cast<uint64_t>(r.node->arg().back()), r.node->dtype)
                  : Scalar::of_int(0, r.node->dtype);
  const bool zero = fill == Scalar::of_int(0, fill.dtype());
  if (zero && is_zero_outside(*v, inside)) return *v;
  return where(inside, *v, constant(fill));
}

UOp ValueBuilder::build_reduce(const Request& r, std::vector<Request>& missing) {
  const Node* x = r.node;
  const ReduceOp op = static_cast<ReduceOp>(x->arg()[0]);
  auto [it, fresh] = red_ranges_.try_emplace(x);
  if (fresh) {
    for (int64_t a : x->arg().subspan(1))
      it->second.push_back(range(x->src()[0]->shape()[static_cast<size_t>(a)], next_range_++));
  }
  Request below{x->src()[0], r.at};
  for (size_t i = 0; i < it->second.size(); ++i)
    below.at.idx[static_cast<size_t>(x->arg()[i + 1])] = it->second[i];
  const UOp* v = known(below, missing);
  return v == nullptr ? UOp{} : reduce_over(*v, op, it->second);
}

UOp ValueBuilder::build_scan(const Request& r, std::vector<Request>& missing) {
  const Node* x = r.node;
  const auto axis = static_cast<size_t>(x->arg()[1]);
  auto [it, fresh] = red_ranges_.try_emplace(x);
  if (fresh) it->second.push_back(range(x->shape()[axis], next_range_++));
  Request below{x->src()[0], r.at};
  below.at.idx[axis] = it->second.front();
  const UOp* v = known(below, missing);
  if (v == nullptr) return {};
  return prefix(*v, static_cast<ReduceOp>(x->arg()[0]), r.at.idx[axis], it->second.front());
}

UOp ValueBuilder::build_gather(const Request& r, std::vector<Request>& missing) {
  const Node* x = r.node;
  const size_t axis = static_cast<size_t>(x->arg()[0]);
  const UOp* idx = known({x->src()[1], r.at}, missing);
  if (idx == nullptr) return {};
  const Dim extent = x->src()[0]->shape()[axis];
  Request below{x->src()[0], r.at};
  below.at.idx[axis] = simplify_(cast(*idx, DType::Index));
  const Interval b = simplify_.bounds_of(below.at.idx[axis]);
  UOp inside;
  if (b.hi >= extent) inside = lt(below.at.idx[axis], index_const(extent));
  if (b.lo < 0) inside = both_gates(inside, lt(index_const(-1), below.at.idx[axis]));
  below.at.gate = both_gates(below.at.gate, inside);
  const UOp* v = known(below, missing);
  if (v == nullptr) return {};
  if (!inside || is_zero_outside(*v, inside)) return *v;
  return where(inside, *v, constant(Scalar::of_int(0, x->dtype)));
}

}  // namespace tg

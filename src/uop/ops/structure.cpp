// Records of reductions, memory, effects, scheduling marks, and of the ops that only lowered code has.
#include <algorithm>

#include "support/check.h"
#include "tg/ir/text.h"
#include "tg/ir/uop.h"
#include "uop/ops/records.h"
#include "uop/shape.h"
#include "uop/type_rules.h"

namespace tg::ops {
namespace {

// Tensor form: argument op, axes…, one source. Ranged form: argument op, sources value, ranges…. Running: arguments op, number
// of ranges that it goes along, which stand before those that it closes.
void reduce_type(const NodeSpec& in, DerivedType& out) {
  type_rule::inherit(in, out);
  out.dtype = in.src[0]->dtype;
  if (in.src.size() > 1) return;
  for (int64_t a : in.arg.subspan(1)) {
    if (a < 0 || a >= static_cast<int64_t>(out.shape->size())) {
      user_error<IndexError>("reduce", fmt::format("axis {} is outside shape {}", a, format_shape(*out.shape)));
    }
    (*out.shape)[static_cast<size_t>(a)] = 1;
    TG_CHECK(in.src[0]->limit(static_cast<size_t>(a)) == nullptr, "reduce over axis {} of variable size", a);
  }
}

Grads grad_reduce(const GradContext& g) {
  UOp x = g.y.src(0);
  if (!is_float(x.dtype())) return {UOp{}};
  const Shape shape = x.shape_vec();
  UOp dy = expand(g.dy, shape), zero = const_like(x, 0.0), one = const_like(x, 1.0);
  const IntSpan axes = g.y.arg().subspan(1);
  UOp y = expand(g.y, shape);
  switch (static_cast<ReduceOp>(g.y.arg(0))) {
    case ReduceOp::Add: return {dy};
    case ReduceOp::Max: {
      UOp hit = where(eq(x, y), one, zero);
      return {dy * hit / expand(reduce(hit, ReduceOp::Add, axes), shape)};
    }
    case ReduceOp::Mul: break;
  }
  // The product of the others: y/x without zeros; with one zero only that place has a slope; with more, none.
  UOp is_zero = eq(x, zero);
  UOp zeros = expand(reduce(where(is_zero, one, zero), ReduceOp::Add, axes), shape);
  UOp others = expand(reduce(where(is_zero, one, x), ReduceOp::Mul, axes), shape);
  UOp at_zero = where(eq(zeros, one), others, zero);
  UOp elsewhere = where(eq(zeros, zero), others / where(is_zero, one, x), zero);
  return {dy * where(is_zero, at_zero, elsewhere)};
}

void scan_type(const NodeSpec& in, DerivedType& out) {
  type_rule::inherit(in, out);
  out.dtype = in.src[0]->dtype;
  if (in.arg[1] < 0 || in.arg[1] >= static_cast<int64_t>(out.shape->size())) {
    user_error<IndexError>("scan", fmt::format("axis {} is outside shape {}", in.arg[1], format_shape(*out.shape)));
  }
}

// From each place on to the end of the axis.
UOp scan_back(const UOp& x, int axis) {
  const int64_t axes[] = {axis};
  return flip(scan(flip(x, axes), ReduceOp::Add, axis), axes);
}

// y is where x first reached it, or reached it again: only there x has a part in it.
UOp grad_running_max(const UOp& x, const UOp& y, const UOp& dy, int axis) {
  const UOp at = iota(x.shape_vec(), axis, DType::Int64);
  const UOp reached = where(eq(x, y) | ne(x, x), at, const_like(at, int64_t{0}));
  return scatter(const_like(x, 0.0), scan(reached, ReduceOp::Max, axis), dy, axis, Combine::Add);
}

// yᵢ = Π_{k≤i} x_k, so ∂yᵢ/∂x_j = yᵢ / x_j for j ≤ i, as long as no zero stands before i. At the first zero it is the product
// that leaves it out; behind it every product has that zero.
UOp grad_running_product(const UOp& x, const UOp& y, const UOp& dy, int axis) {
  const UOp zero = const_like(x, 0.0), one = const_like(x, 1.0), is_zero = eq(x, zero);
  const UOp count = scan(cast(is_zero, DType::Int32), ReduceOp::Add, axis), none = const_like(count, int64_t{0});
  const UOp first = is_zero & eq(count, const_like(count, int64_t{1}));
  const UOp left_out = scan(where(first, one, x), ReduceOp::Mul, axis);
  const UOp before = scan_back(dy * y, axis) / where(is_zero, one, x);
  return where(eq(count, none), before, where(first, scan_back(dy * left_out, axis), zero));
}

Grads grad_scan(const GradContext& g) {
  const UOp x = g.y.src(0);
  if (!is_float(x.dtype())) return {UOp{}};
  const int axis = static_cast<int>(g.y.arg(1));
  switch (static_cast<ReduceOp>(g.y.arg(0))) {
    case ReduceOp::Add: return {scan_back(g.dy, axis)};
    case ReduceOp::Max: return {grad_running_max(x, g.y, g.dy, axis)};
    case ReduceOp::Mul: break;
  }
  return {grad_running_product(x, g.y, g.dy, axis)};
}

// Sources: value, ranges…. The result is an array over the stated extents, else over the ranges', which must be known.
void stage_type(const NodeSpec& in, DerivedType& out) {
  out.dtype = in.src[0]->dtype;
  out.space = static_cast<Space>(in.arg[1]);
  if (in.arg.size() > 2) {
    out.shape->assign(in.arg.begin() + 2, in.arg.end());
    return;
  }
  for (const Node* r : in.src.subspan(1)) {
    TG_CHECK(r->op == Op::Range && r->src()[0]->op == Op::Const, "stage over {}", op_name(r->op));
    out.shape->push_back(r->src()[0]->arg()[0]);
  }
}

// Ranged form: pointer, one index an axis, gate?. Lowered form (argument lanes, alignment): pointer, flat index, gate?.
void load_type(const NodeSpec& in, DerivedType& out) {
  const Node* ptr = in.src[0];
  TG_CHECK(ptr->space != Space::Value, "load from a value ({})", op_name(ptr->op));
  out.dtype = ptr->dtype;
  const size_t n_idx = in.arg.empty() ? ptr->n_dim : 1;
  TG_CHECK(in.src.size() == 1 + n_idx || in.src.size() == 2 + n_idx, "load of {} with {} sources",
           format_shape(ptr->shape()), in.src.size());
  if (!in.arg.empty()) out.lanes = static_cast<uint16_t>(in.arg[0]);
}

// Tensor form: view, value. Ranged form (argument combine): pointer, indices, value, gate?. Lowered form (argument combine,
// alignment): pointer, flat index, value, gate?.
void store_type(const NodeSpec& in, DerivedType& out) {
  type_rule::effect(in, out);
  const Node* ptr = in.src[0];
  // A window may be cut out of a border: whether it names storage is for the maker of the graph to know.
  const bool window = in.arg.empty() && in_group(ptr->op, kMovement);
  if (ptr->space == Space::Value && !window) {
    user_error<ArgumentError>("store", fmt::format("the target is a value ({}), no storage", op_name(ptr->op)),
                              "Hint: realize() the tensor before, or assign() to it.");
  }
  const size_t n_idx = in.arg.empty() ? 0 : in.arg.size() == 1 ? ptr->n_dim : 1;
  const Node* value = in.src[1 + n_idx];
  if (in.arg.empty() && !std::ranges::equal(ptr->shape(), value->shape())) {
    user_error<ShapeError>("store", fmt::format("shapes differ: target {}, value {}", format_shape(ptr->shape()),
                                                format_shape(value->shape())));
  }
  for (size_t a = 0; in.arg.empty() && a < std::min(ptr->n_limit, value->n_limit); ++a) {
    const Node *there = ptr->limit(a), *here = value->limit(a);
    if (there == nullptr || here == nullptr || there == here) continue;
    user_error<ShapeError>("store", fmt::format("axis {} has the sizes {} and {}", a, print_expr(there), print_expr(here)));
  }
  if (ptr->dtype != value->dtype) {
    user_error<DTypeError>("store", fmt::format("dtypes differ: target {}, value {}", dtype_name(ptr->dtype),
                                                dtype_name(value->dtype)),
                           "Hint: cast the value.");
  }
}

void alloc_type(const NodeSpec& in, DerivedType& out) {
  out.dtype = in.dtype;
  out.space = static_cast<Space>(in.arg[1]);
  out.shape->assign(in.arg.begin() + 2, in.arg.end());
}

void copy_type(const NodeSpec& in, DerivedType& out) {
  if (!in.arg.empty() && (in.arg[0] < 0 || in.arg[0] >= in.src[0]->n_dim)) {
    user_error<IndexError>("copy", fmt::format("axis {} is outside shape {}", in.arg[0], format_shape(in.src[0]->shape())));
  }
  out.shape->assign(in.src[0]->shape().begin(), in.src[0]->shape().end());
  out.limits->assign(in.src[0]->limits().begin(), in.src[0]->limits().end());
  out.dtype = in.src[0]->dtype;
}

void value_type(const NodeSpec& in, DerivedType& out) {
  type_rule::inherit(in, out);
  out.dtype = in.src[0]->dtype;
}

void carry_type(const NodeSpec& in, DerivedType& out) {
  out.dtype = in.src[1]->dtype;
  out.lanes = in.src[1]->lanes;
}

// The k-th carried value of an END: its sources are the range, then the next values.
void out_type(const NodeSpec& in, DerivedType& out) {
  const Node* next = in.src[0]->src()[static_cast<size_t>(in.arg[0]) + 1];
  out.dtype = next->dtype;
  out.lanes = next->lanes;
}

void splat_type(const NodeSpec& in, DerivedType& out) {
  TG_CHECK(in.src[0]->lanes == 1, "splat of {} lanes", in.src[0]->lanes);
  out.dtype = in.src[0]->dtype;
  out.lanes = static_cast<uint16_t>(in.arg[0]);
}

void stack_type(const NodeSpec& in, DerivedType& out) {
  out.dtype = in.src[0]->dtype;
  out.lanes = static_cast<uint16_t>(in.src.size());
}

void shuffle_type(const NodeSpec& in, DerivedType& out) {
  out.dtype = in.src[0]->dtype;
  out.lanes = static_cast<uint16_t>(in.arg.size());
}

// Each work-item's part of the sum, as it had it in source 2.
void mma_type(const NodeSpec& in, DerivedType& out) {
  TG_CHECK(in.arg.size() == 1, "mma with {} arguments", in.arg.size());
  out.dtype = in.src[2]->dtype;
  out.lanes = in.src[2]->lanes;
}

void mma_async_type(const NodeSpec& in, DerivedType& out) {
  TG_CHECK(in.arg.size() == 3, "mma_async with {} arguments", in.arg.size());
  out.dtype = in.src[4]->dtype;
  out.lanes = in.src[4]->lanes;
}

void load_rows_type(const NodeSpec& in, DerivedType& out) {
  TG_CHECK(in.arg.size() == 3, "load_rows with {} arguments", in.arg.size());
  TG_CHECK(in.src[0]->space != Space::Value, "load_rows from a value ({})", op_name(in.src[0]->op));
  out.dtype = in.src[0]->dtype;
  out.lanes = static_cast<uint16_t>(in.arg[0]);
}

void async_copy_type(const NodeSpec& in, DerivedType& out) {
  type_rule::effect(in, out);
  TG_CHECK(in.src.size() >= 4, "async_copy with {} sources", in.src.size());
  const Node *to = in.src[0], *from = in.src[2];
  TG_CHECK(to->dtype == from->dtype, "async_copy of {} into {}", dtype_name(from->dtype), dtype_name(to->dtype));
}

void sink_type(const NodeSpec&, DerivedType& out) { out.dtype = DType::Void; }

void lane_type(const NodeSpec& in, DerivedType& out) { out.dtype = in.src[0]->dtype; }

Grads grad_custom(const GradContext& g) {
  auto* const function = static_cast<CustomGradient*>(g.y.node()->resource);
  TG_CHECK(function != nullptr, "with_gradient {} without its function", g.y.arg(0));
  Grads grads = {UOp{}};
  for (UOp& dx : function->backward(g.y, g.dy)) grads.push_back(std::move(dx));
  return grads;
}
Grads grad_pass(const GradContext& g) { return {g.dy}; }
// A gradient that lives nowhere may stay so, and what lived nowhere asks for no device.
Grads grad_copy(const GradContext& g) {
  const DeviceId there = g.y.src_node(0)->device;
  return {there == 0 || g.dy.device() == 0 ? g.dy : copy_to(g.dy, there)};
}

}  // namespace

constinit const OpRecord kReduce = {.op = Op::Reduce, .name = "reduce", .arity = -1, .arg = ArgKind::Ints, .groups = 0,
    .doc = "Combines all values along axes, which stay with extent 1 (tensor form), or over ranges (ranged form). "
           "Argument: add, mul or max; then the axes. A running one (ranged form) has the number of ranges that it goes along, its "
           "first ones, for a second argument: at each point of them it is what was combined up to there.",
    .type = reduce_type, .grad = &grad_reduce};
constinit const OpRecord kScan = {.op = Op::Scan, .name = "scan", .arity = 1, .arg = ArgKind::Ints, .groups = 0,
    .doc = "Each value combined with all before it along an axis. Arguments: add, mul or max; the axis.", .type = scan_type,
    .grad = &grad_scan};
constinit const OpRecord kStage = {.op = Op::Stage, .name = "stage", .arity = -1, .arg = ArgKind::Ints, .groups = 0,
    .doc = "An array of the value over the ranges, kept in a space; read by load. Argument: id, space, extents if they are not the "
           "ranges'.",
    .type = stage_type, .grad = kNotDifferentiable};
constinit const OpRecord kLoad = {.op = Op::Load, .name = "load", .arity = -1, .arg = ArgKind::Ints, .groups = 0,
    .doc = "The element at the indices; 0 where the gate is false, and then no memory is touched.", .type = load_type,
    .grad = kNotDifferentiable};
constinit const OpRecord kStore = {.op = Op::Store, .name = "store", .arity = -1, .arg = ArgKind::Ints,
    .groups = kEffect, .doc = "Writes a value to a view or address, if the gate is true.", .type = store_type,
    .grad = kNotDifferentiable};
constinit const OpRecord kAfter = {.op = Op::After, .name = "after", .arity = -1, .arg = ArgKind::None, .groups = 0,
    .doc = "Source 0, once the effects in the other sources are done.", .type = type_rule::same_as_src0,
    .grad = kNotDifferentiable};
constinit const OpRecord kEnd = {.op = Op::End, .name = "end", .arity = -1, .arg = ArgKind::Ints, .groups = kEffect,
    .doc = "Ranged form: closes the ranges around an effect. Lowered form (argument 1): closes one loop; sources are the "
           "range, then the next values of its carries.",
    .type = type_rule::effect, .grad = kNotDifferentiable};
constinit const OpRecord kSink = {.op = Op::Sink, .name = "sink", .arity = -1, .arg = ArgKind::Ints, .groups = kEffect,
    .doc = "Collects roots, which may live on different devices. Argument of a kernel: the loops that were asked "
    "for, as of a contiguous.", .type = sink_type, .grad = kNotDifferentiable};
constinit const OpRecord kCopy = {.op = Op::Copy, .name = "copy", .arity = 1, .arg = ArgKind::Ints, .groups = 0,
    .doc = "The same values on another device, or on several: whole on each, or split along the axis that is the argument.",
    .type = copy_type, .grad = &grad_copy};
constinit const OpRecord kContiguous = {.op = Op::Contiguous, .name = "contiguous", .arity = 1, .arg = ArgKind::Ints,
    .groups = 0, .doc = "The same values in storage of their own. Argument: a clone's number, which tells clones apart "
    "until scheduling; or 0 and the loops that were asked for (kernel/asked_loops.h).", .type = value_type, .grad = &grad_pass};
constinit const OpRecord kDetach = {.op = Op::Detach, .name = "detach", .arity = 1, .arg = ArgKind::None, .groups = 0,
    .doc = "The same values; gradients stop here.", .type = value_type, .grad = kZeroGrad};

constinit const OpRecord kWithGradient = {.op = Op::WithGradient, .name = "with_gradient", .arity = -1, .arg = ArgKind::Ints,
    .groups = 0, .doc = "Source 0, whose gradient flows to the other sources by a function of its own. Argument: the "
    "function's number. Only before scheduling.",
    .type = value_type, .grad = &grad_custom};

constinit const OpRecord kCarry = {.op = Op::Carry, .name = "carry", .arity = 2, .arg = ArgKind::Ints,
    .groups = kLowered, .doc = "A value carried by a loop: sources range, initial value. Argument: id in the kernel.",
    .type = carry_type, .grad = kNotDifferentiable};
constinit const OpRecord kOut = {.op = Op::Out, .name = "out", .arity = 1, .arg = ArgKind::Ints, .groups = kLowered,
    .doc = "Final value of the k-th carry that an end closes. Argument: k.", .type = out_type,
    .grad = kNotDifferentiable};
constinit const OpRecord kAlloc = {.op = Op::Alloc, .name = "alloc", .arity = 0, .arg = ArgKind::Ints,
    .groups = kLowered | kStatesType, .doc = "Memory of one thread or group of work-items (scratch), or of one work-item (reg). Argument: id, space, extents.",
    .type = alloc_type, .grad = kNotDifferentiable};
constinit const OpRecord kSplat = {.op = Op::Splat, .name = "splat", .arity = 1, .arg = ArgKind::Ints,
    .groups = kLowered, .doc = "A scalar in every lane. Argument: lanes.", .type = splat_type,
    .grad = kNotDifferentiable};
constinit const OpRecord kRamp = {.op = Op::Ramp, .name = "ramp", .arity = 1, .arg = ArgKind::Ints,
    .groups = kLowered, .doc = "base, base+step, ... Argument: lanes, step.", .type = splat_type,
    .grad = kNotDifferentiable};
constinit const OpRecord kStack = {.op = Op::Stack, .name = "stack", .arity = -1, .arg = ArgKind::None,
    .groups = kLowered, .doc = "A vector of scalars.", .type = stack_type, .grad = kNotDifferentiable};
constinit const OpRecord kShuffle = {.op = Op::Shuffle, .name = "shuffle", .arity = 2, .arg = ArgKind::Ints,
    .groups = kLowered, .doc = "Lanes picked from two vectors laid end to end. Argument: for each lane, which.",
    .type = shuffle_type, .grad = kNotDifferentiable};
constinit const OpRecord kExtract = {.op = Op::Extract, .name = "extract", .arity = 1, .arg = ArgKind::Ints,
    .groups = kLowered, .doc = "One lane. Argument: which.", .type = lane_type, .grad = kNotDifferentiable};
constinit const OpRecord kVReduce = {.op = Op::VReduce, .name = "vreduce", .arity = 1, .arg = ArgKind::Ints,
    .groups = kLowered, .doc = "All lanes combined into a scalar, halving each time. Argument: add, mul or max.",
    .type = lane_type, .grad = kNotDifferentiable};
constinit const OpRecord kIf = {.op = Op::If, .name = "if", .arity = 1, .arg = ArgKind::Ints,
    .groups = kLowered | kEffect, .doc = "What follows, up to the matching endif, runs if the scalar is true.",
    .type = type_rule::effect, .grad = kNotDifferentiable};
constinit const OpRecord kEndIf = {.op = Op::EndIf, .name = "endif", .arity = 1, .arg = ArgKind::None,
    .groups = kLowered | kEffect, .doc = "Ends an if.", .type = type_rule::effect, .grad = kNotDifferentiable};
constinit const OpRecord kBarrier = {.op = Op::Barrier, .name = "barrier", .arity = -1, .arg = ArgKind::Ints,
    .groups = kLowered | kEffect, .doc = "Every work-item of the group arrives before any goes on, and sees what the others did "
           "before; sources are effects that it waits for. Argument: id in the kernel.",
    .type = type_rule::effect, .grad = kNotDifferentiable};
constinit const OpRecord kMma = {.op = Op::Mma, .name = "mma", .arity = 3, .arg = ArgKind::Symbol,
    .groups = kLowered, .doc = "a · b + c by a matrix unit, together by all work-items of a subgroup, each of which brings its "
           "fragments of the three and has that of the result. Argument: the unit's name (src/target/matrix_unit.h).",
    .type = mma_type, .grad = kNotDifferentiable};
constinit const OpRecord kSubgroupShuffle = {.op = Op::SubgroupShuffle, .name = "subgroup_shuffle", .arity = 1, .arg = ArgKind::Ints,
    .groups = kLowered, .doc = "The value that another work-item of the subgroup has here: the one whose place in the group is this "
           "one's xor the argument, a power of two below the subgroup's size.",
    .type = lane_type, .grad = kNotDifferentiable};
constinit const OpRecord kAsyncCopy = {.op = Op::AsyncCopy, .name = "async_copy", .arity = -1, .arg = ArgKind::Ints,
    .groups = kLowered | kEffect, .doc = "Begins to copy elements from source 2 at index 3 to source 0 at index 1, zeros where the "
           "gate is false; who began it may go on. It is there for the work-item after an async_wait, for others after a barrier "
           "behind that. Argument: elements, proven alignment in bytes.",
    .type = async_copy_type, .grad = kNotDifferentiable};
constinit const OpRecord kAsyncWait = {.op = Op::AsyncWait, .name = "async_wait", .arity = -1, .arg = ArgKind::Ints,
    .groups = kLowered | kEffect, .doc = "What this work-item began to copy since the last async_wait is a batch; waits until all but "
           "the last batches have arrived; sources are effects that it waits for. Arguments: how many may be on their way, id in the "
           "kernel.",
    .type = type_rule::effect, .grad = kNotDifferentiable};
constinit const OpRecord kMmaAsync = {.op = Op::MmaAsync, .name = "mma_async", .arity = 5, .arg = ArgKind::Symbol,
    .groups = kLowered, .doc = "a · b + c by a matrix unit that reads both factors from scratch by itself: from sources 0 and 2 at "
           "the indices 1 and 3, in swizzled rows (src/target/matrix_unit.h). It may read them, and change the result, until an "
           "mma_wait says that it is done. Arguments: the unit's name; for either factor 1 if its rows run across the terms, 0 if "
           "along them.",
    .type = mma_async_type, .grad = kNotDifferentiable};
constinit const OpRecord kLoadRows = {.op = Op::LoadRows, .name = "load_rows", .arity = 2, .arg = ArgKind::Ints,
    .groups = kLowered, .doc = "Rows of a matrix in memory, one behind the other in the lanes, from source 0 at index 1 on. Arguments: "
           "lanes, those of a row, how many elements a row begins behind the one before it.",
    .type = load_rows_type, .grad = kNotDifferentiable};
constinit const OpRecord kMmaWait = {.op = Op::MmaWait, .name = "mma_wait", .arity = -1, .arg = ArgKind::Ints,
    .groups = kLowered | kEffect, .doc = "What this work-item began by mma_async since the last mma_wait is a batch; waits until all "
           "but the last batches are done; sources are effects that it waits for. Arguments: how many may be under way, id in the "
           "kernel.",
    .type = type_rule::effect, .grad = kNotDifferentiable};

}  // namespace tg::ops

// Records of the movement operations: they change indices, never values, and never copy. Each one's gradient is its adjoint
// index map. Windows are EXPAND and SHEAR, so that a convolution's indices stay affine both forwards and backwards.
#include <algorithm>
#include <limits>

#include "support/check.h"
#include "tg/ir/interval.h"
#include "tg/ir/text.h"
#include "tg/ir/uop.h"
#include "uop/limits.h"
#include "uop/ops/records.h"
#include "uop/shape.h"
#include "uop/type_rules.h"

namespace tg::ops {
namespace {

using Words = std::span<const int64_t>;

std::span<const Dim> shape_of(const NodeSpec& in) { return in.src[0]->shape(); }

// Shape is set by the caller; everything else is the source's. A view keeps its source's space: it names the same storage.
void view_type(const NodeSpec& in, DerivedType& out) {
  type_rule::inherit(in, out);
  out.dtype = in.src[0]->dtype;
  out.space = in.src[0]->space;
  out.shape->clear();
  out.limits->clear();
}

// An axis of the source whose size is an expression, and which this op cannot treat.
[[noreturn]] void refuse_limit(const NodeSpec& in, size_t axis, std::string_view what, std::string_view hint) {
  user_error<ShapeError>(op_name(in.op), fmt::format("axis {} has the variable size {} and cannot be {}", axis,
                                                     print_expr(in.src[0]->limit(axis)), what), hint);
}

// The result's axes are the source's.
void keep_limits(const NodeSpec& in, DerivedType& out) {
  out.limits->assign(in.src[0]->limits().begin(), in.src[0]->limits().end());
}

// The axis of the reshaped array that is axis `a` of the source, or -1.
int64_t same_axis(std::span<const Dim> from, std::span<const Dim> to, size_t a) {
  Dim before = 1, reached = 1;
  for (size_t i = 0; i < a; ++i) before *= from[i];
  for (size_t j = 0; j < to.size(); ++j) {
    if (reached == before && to[j] == from[a]) return static_cast<int64_t>(j);
    reached *= to[j];
  }
  return -1;
}

void reshape_type(const NodeSpec& in, DerivedType& out) {
  view_type(in, out);
  out.shape->assign(in.arg.begin(), in.arg.end());
  if (numel(*out.shape) == numel(shape_of(in))) {
    for (size_t a = 0; a < in.src[0]->n_limit; ++a) {
      if (in.src[0]->limit(a) == nullptr) continue;
      const int64_t to = same_axis(shape_of(in), *out.shape, a);
      if (to < 0) refuse_limit(in, a, "split or merged", "Hint: keep it as an axis of its own.");
      type_rule::join_limit(in, out, static_cast<size_t>(to), in.src[0]->limit(a));
    }
    return;
  }
  user_error<ShapeError>("reshape",
                         fmt::format("the number of elements must stay the same: {} has {}, {} has {}",
                                     format_shape(shape_of(in)), numel(shape_of(in)), format_shape(*out.shape),
                                     numel(*out.shape)));
}

void permute_type(const NodeSpec& in, DerivedType& out) {
  view_type(in, out);
  auto shape = shape_of(in);
  std::vector<bool> seen(shape.size(), false);
  bool valid = in.arg.size() == shape.size();
  for (size_t i = 0; valid && i < in.arg.size(); ++i) {
    const int64_t a = in.arg[i];
    valid = a >= 0 && a < static_cast<int64_t>(shape.size()) && !seen[static_cast<size_t>(a)];
    if (!valid) break;
    seen[static_cast<size_t>(a)] = true;
    out.shape->push_back(shape[static_cast<size_t>(a)]);
    if (in.src[0]->n_limit != 0) out.limits->push_back(in.src[0]->limits()[static_cast<size_t>(a)]);
  }
  if (valid) return;
  user_error<ArgumentError>("permute", fmt::format("order must name each axis once: {} for shape {}",
                                                   format_shape(in.arg), format_shape(shape)));
}

void expand_type(const NodeSpec& in, DerivedType& out) {
  view_type(in, out);
  auto shape = shape_of(in);
  bool valid = in.arg.size() == shape.size();
  for (size_t i = 0; valid && i < shape.size(); ++i) valid = shape[i] == in.arg[i] || shape[i] == 1;
  if (!valid) {
    user_error<ShapeError>("expand", fmt::format("only axes of size 1 can be stretched: {} to {}",
                                                 format_shape(shape), format_shape(in.arg)),
                           "Hint: reshape to add axes of size 1 first.");
  }
  out.shape->assign(in.arg.begin(), in.arg.end());
  numel(*out.shape);
  for (size_t i = 0; i < in.src[0]->n_limit; ++i) {
    if (in.src[0]->limit(i) != nullptr && shape[i] != in.arg[i]) refuse_limit(in, i, "stretched", "");
  }
  keep_limits(in, out);
}

void pad_type(const NodeSpec& in, DerivedType& out) {
  view_type(in, out);
  out.space = Space::Value;
  auto shape = shape_of(in);
  TG_CHECK(in.arg.size() == 2 * shape.size() + 1, "pad has {} words for {}", in.arg.size(), format_shape(shape));
  for (size_t i = 0; i < shape.size(); ++i) {
    const int64_t lo = in.arg[2 * i], hi = in.arg[2 * i + 1];
    if (lo < 0 || hi < 0) {
      user_error<ArgumentError>("pad", fmt::format("padding must not be negative: ({}, {}) on axis {}", lo, hi, i),
                                "Hint: use shrink to crop.");
    }
    out.shape->push_back(saturating_add(saturating_add(shape[i], lo), hi));
    if (out.shape->back() == std::numeric_limits<int64_t>::max()) {
      user_error<ShapeError>("pad", fmt::format("({}, {}) on axis {} of shape {} gives more elements than can be counted", lo,
                                                hi, i, format_shape(shape)));
    }
    TG_CHECK(in.src[0]->limit(i) == nullptr || lo + hi == 0, "axis {} of variable size is padded", i);
  }
  numel(*out.shape);
  keep_limits(in, out);
}

void shrink_type(const NodeSpec& in, DerivedType& out) {
  view_type(in, out);
  auto shape = shape_of(in);
  TG_CHECK(in.arg.size() == 2 * shape.size(), "shrink has {} words for {}", in.arg.size(), format_shape(shape));
  for (size_t i = 0; i < shape.size(); ++i) {
    const int64_t begin = in.arg[2 * i], length = in.arg[2 * i + 1];
    if (begin < 0 || length < 0 || begin > shape[i] - length) {
      user_error<IndexError>("shrink", fmt::format("[{}, {}) is outside axis {} of {}", begin, begin + length, i,
                                                   format_shape(shape)));
    }
    out.shape->push_back(length);
    if (in.src[0]->limit(i) == nullptr || length == shape[i]) continue;
    refuse_limit(in, i, fmt::format("cut to [{}, {})", begin, begin + length), "Hint: slice it with x[{...}].");
  }
  keep_limits(in, out);
}

void flip_type(const NodeSpec& in, DerivedType& out) {
  view_type(in, out);
  auto shape = shape_of(in);
  for (int64_t a : in.arg) {
    if (a < 0 || a >= static_cast<int64_t>(shape.size())) {
      user_error<IndexError>("flip", fmt::format("axis {} is outside shape {}", a, format_shape(shape)));
    }
    const auto axis = static_cast<size_t>(a);
    if (in.src[0]->limit(axis) != nullptr) refuse_limit(in, axis, "reversed", "Hint: index it with a tensor.");
  }
  out.shape->assign(shape.begin(), shape.end());
  keep_limits(in, out);
}

void shear_type(const NodeSpec& in, DerivedType& out) {
  view_type(in, out);
  out.space = Space::Value;
  auto shape = shape_of(in);
  const int64_t i = in.arg[0], k = in.arg[1], n = static_cast<int64_t>(shape.size());
  TG_CHECK(in.arg.size() == 6 && i >= 0 && i < n && k >= 0 && k < n && i != k, "shear axes {} and {} of {}", i, k,
           format_shape(shape));
  if (in.src[0]->limit(static_cast<size_t>(i)) != nullptr) {
    refuse_limit(in, static_cast<size_t>(i), "read through windows", "");
  }
  out.shape->assign(shape.begin(), shape.end());
  (*out.shape)[static_cast<size_t>(i)] = in.arg[4];
  numel(*out.shape);
  keep_limits(in, out);
}

void check_scalar_index(const NodeSpec& in, std::string_view what) {
  TG_CHECK(in.src[1]->n_dim == 0 && in.src[1]->dtype == DType::Index, "{}: the {} is {}{}", op_name(in.op), what,
           dtype_name(in.src[1]->dtype), format_shape(in.src[1]->shape()));
  TG_CHECK(in.arg[0] >= 0 && in.arg[0] < in.src[0]->n_dim, "{}: axis {} of {}", op_name(in.op), in.arg[0],
           format_shape(shape_of(in)));
}

void offset_type(const NodeSpec& in, DerivedType& out) {
  check_scalar_index(in, "begin");
  view_type(in, out);
  const auto axis = static_cast<size_t>(in.arg[0]);
  TG_CHECK(in.arg[1] >= 0 && in.src[0]->limit(axis) == nullptr, "offset on axis {} of {}", axis,
           format_shape(shape_of(in)));
  out.shape->assign(shape_of(in).begin(), shape_of(in).end());
  (*out.shape)[axis] = in.arg[1];
  numel(*out.shape);
  keep_limits(in, out);
}

// The size that is the whole extent is none.
void limit_type(const NodeSpec& in, DerivedType& out) {
  check_scalar_index(in, "size");
  view_type(in, out);
  const auto axis = static_cast<size_t>(in.arg[0]);
  out.shape->assign(shape_of(in).begin(), shape_of(in).end());
  keep_limits(in, out);
  out.limits->resize(out.shape->size(), nullptr);
  const bool whole = in.src[1]->op == Op::Const && in.src[1]->arg()[0] == (*out.shape)[axis];
  (*out.limits)[axis] = whole ? nullptr : in.src[1];
}

bool equal_but_axis(std::span<const Dim> a, std::span<const Dim> b, int64_t axis) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (static_cast<int64_t>(i) != axis && a[i] != b[i]) return false;
  }
  return true;
}

void check_index(const NodeSpec& in, const Node* x, const Node* idx, int64_t axis) {
  if (!is_int(idx->dtype)) {
    user_error<DTypeError>(op_name(in.op),
                           fmt::format("the index must have an integer dtype, got {}", dtype_name(idx->dtype)));
  }
  TG_CHECK(axis >= 0 && axis < x->n_dim, "axis {} of {}", axis, format_shape(x->shape()));
  if (equal_but_axis(x->shape(), idx->shape(), axis)) return;
  user_error<ShapeError>(op_name(in.op), fmt::format("shapes must agree except on axis {}: {} and index {}", axis,
                                                     format_shape(x->shape()), format_shape(idx->shape())));
}

void gather_type(const NodeSpec& in, DerivedType& out) {
  check_index(in, in.src[0], in.src[1], in.arg[0]);
  view_type(in, out);
  out.space = Space::Value;
  out.shape->assign(in.src[1]->shape().begin(), in.src[1]->shape().end());
  const auto axis = static_cast<size_t>(in.arg[0]);
  TG_CHECK(in.src[0]->limit(axis) == nullptr, "gather along axis {} of variable size", axis);
  for (const Node* s : in.src) {
    for (size_t a = 0; a < s->n_limit; ++a) type_rule::join_limit(in, out, a, s->limit(a));
  }
}

void scatter_type(const NodeSpec& in, DerivedType& out) {
  const Node *base = in.src[0], *idx = in.src[1], *v = in.src[2];
  check_index(in, base, idx, in.arg[0]);
  if (!std::ranges::equal(idx->shape(), v->shape())) {
    user_error<ShapeError>("scatter", fmt::format("index and values differ in shape: {} and {}",
                                                  format_shape(idx->shape()), format_shape(v->shape())));
  }
  if (base->dtype != v->dtype) {
    user_error<DTypeError>("scatter", fmt::format("base and values differ in dtype: {} and {}",
                                                  dtype_name(base->dtype), dtype_name(v->dtype)));
  }
  view_type(in, out);
  out.space = Space::Value;
  out.shape->assign(base->shape().begin(), base->shape().end());
  TG_CHECK(idx->n_limit == 0 && v->n_limit == 0, "scatter of values of variable size");
  keep_limits(in, out);
}

// ---- gradients
Grads grad_reshape(const GradContext& g) { return {reshape(g.dy, g.y.src(0).shape_vec())}; }

Grads grad_permute(const GradContext& g) {
  std::vector<int64_t> inverse(g.y.arg().size());
  for (size_t i = 0; i < inverse.size(); ++i) inverse[static_cast<size_t>(g.y.arg()[i])] = static_cast<int64_t>(i);
  return {permute(g.dy, inverse)};
}

// Sums over the stretched axes; small floats accumulate in float32.
Grads grad_expand(const GradContext& g) {
  UOp x = g.y.src(0);
  std::vector<int64_t> axes;
  for (int i = 0; i < x.ndim(); ++i) {
    if (x.dim(i) != g.y.dim(i)) axes.push_back(i);
  }
  const bool small = dtype_size(g.dy.dtype()) < 4;
  UOp dy = small ? cast(g.dy, DType::Float32) : g.dy;
  return {cast(reduce(dy, ReduceOp::Add, axes), g.dy.dtype())};
}

Grads grad_pad(const GradContext& g) {
  UOp x = g.y.src(0);
  std::vector<int64_t> window;
  for (int i = 0; i < x.ndim(); ++i) {
    window.push_back(g.y.arg(2 * i));
    window.push_back(x.dim(i));
  }
  return {shrink(g.dy, window)};
}

Grads grad_shrink(const GradContext& g) {
  UOp x = g.y.src(0);
  std::vector<int64_t> pairs;
  for (int i = 0; i < x.ndim(); ++i) {
    const int64_t begin = g.y.arg(2 * i), length = g.y.arg(2 * i + 1);
    pairs.push_back(begin);
    pairs.push_back(x.dim(i) - begin - length);
  }
  return {pad(g.dy, pairs)};
}

Grads grad_flip(const GradContext& g) { return {flip(g.dy, g.y.arg())}; }

// out[i,k] = x[i + d·k + off, k] has the adjoint dx[j,k] = dout[j − d·k − off, k].
Grads grad_shear(const GradContext& g) {
  UOp x = g.y.src(0);
  const int i = static_cast<int>(g.y.arg(0)), k = static_cast<int>(g.y.arg(1));
  return {shear(g.dy, i, k, -g.y.arg(2), -g.y.arg(3), x.dim(i), Scalar::of_int(0, g.dy.dtype()))};
}

// Reads outside give 0, so the same op the other way round is its adjoint.
Grads grad_offset(const GradContext& g) {
  const int axis = static_cast<int>(g.y.arg(0));
  return {offset(delimited(g.dy, 0.0), axis, -g.y.src(1), g.y.src(0).dim(axis)), UOp{}};
}

// Sizes of gradients are fitted to those of values where they are summed (autodiff/gradient.cpp).
Grads grad_limit(const GradContext& g) { return {g.dy, UOp{}}; }

Grads grad_gather(const GradContext& g) {
  UOp x = g.y.src(0);
  UOp zeros = full(x.shape_vec(), Scalar::of_int(0, g.dy.dtype()));
  return {scatter(zeros, g.y.src(1), g.dy, static_cast<int>(g.y.arg(0)), Combine::Add), UOp{}};
}

// Of the values that meet, all that are the largest share the gradient.
Grads grad_scatter_max(const GradContext& g, int axis) {
  UOp x = g.y.src(0), idx = g.y.src(1), v = g.y.src(2);
  const DType t = g.dy.dtype();
  UOp of_x = eq(x, g.y), of_v = eq(v, gather(g.y, idx, axis));
  UOp share = g.dy / scatter(cast(of_x, t), idx, cast(of_v, t), axis, Combine::Add);
  return {where(of_x, share, const_like(share, 0.0)), UOp{},
          where(of_v, gather(share, idx, axis), const_like(v, 0.0))};
}

// dy times the product of the others: that of all that are not 0, divided by the factor itself; a
// factor 0 has it if it is the only one.
Grads grad_scatter_mul(const GradContext& g, int axis) {
  UOp x = g.y.src(0), idx = g.y.src(1), v = g.y.src(2);
  const auto is_zero = [](const UOp& f) { return eq(f, const_like(f, 0.0)); };
  const auto nonzero = [&](const UOp& f) { return where(is_zero(f), const_like(f, 1.0), f); };
  UOp product = scatter(nonzero(x), idx, nonzero(v), axis, Combine::Mul);
  UOp zeros = scatter(cast(is_zero(x), DType::Int32), idx, cast(is_zero(v), DType::Int32), axis,
                      Combine::Add);
  const auto slope = [&](const UOp& f, const UOp& all, const UOp& n, const UOp& dy) {
    UOp flat = const_like(f, 0.0), none = eq(n, const_like(n, int64_t{0}));
    UOp alone = where(eq(n, const_like(n, int64_t{1})), all, flat);
    return dy * where(is_zero(f), alone, where(none, all / nonzero(f), flat));
  };
  return {slope(x, product, zeros, g.dy), UOp{},
          slope(v, gather(product, idx, axis), gather(zeros, idx, axis), gather(g.dy, idx, axis))};
}

// Of several values set at one place the last one stays: only it receives the gradient.
Grads grad_scatter(const GradContext& g) {
  const int axis = static_cast<int>(g.y.arg(0));
  UOp idx = g.y.src(1), dy_at = gather(g.dy, idx, axis);
  switch (static_cast<Combine>(g.y.arg(1))) {
    case Combine::Add: return {g.dy, UOp{}, dy_at};
    case Combine::Mul: return grad_scatter_mul(g, axis);
    case Combine::Max: return grad_scatter_max(g, axis);
    case Combine::Set: break;
  }
  UOp zeros = full(idx.shape_vec(), Scalar::of_int(0, g.dy.dtype()));
  UOp order = iota(idx.shape_vec(), axis, DType::Int64);
  UOp nobody = full(g.y.shape_vec(), Scalar::of_int(-1, DType::Int64));
  UOp last = gather(scatter(nobody, idx, order, axis, Combine::Set), idx, axis);
  return {scatter(g.dy, idx, zeros, axis, Combine::Set), UOp{}, where(eq(last, order), dy_at, zeros)};
}

}  // namespace

constinit const OpRecord kReshape = {.op = Op::Reshape, .name = "reshape", .arity = 1, .arg = ArgKind::Ints,
    .groups = kMovement, .doc = "The same elements in row-major order under other extents. Argument: the extents.",
    .type = reshape_type, .grad = &grad_reshape};
constinit const OpRecord kPermute = {.op = Op::Permute, .name = "permute", .arity = 1, .arg = ArgKind::Ints,
    .groups = kMovement, .doc = "Axes in another order. Argument: for each output axis, the input axis.",
    .type = permute_type, .grad = &grad_permute};
constinit const OpRecord kExpand = {.op = Op::Expand, .name = "expand", .arity = 1, .arg = ArgKind::Ints,
    .groups = kMovement, .doc = "Stretches axes of extent 1. Argument: the new extents.", .type = expand_type,
    .grad = &grad_expand};
constinit const OpRecord kPad = {.op = Op::Pad, .name = "pad", .arity = 1, .arg = ArgKind::Ints,
    .groups = kMovement, .doc = "A border of a constant. Argument: (lo, hi) for each axis, then the fill's bits.",
    .type = pad_type, .grad = &grad_pad};
constinit const OpRecord kShrink = {.op = Op::Shrink, .name = "shrink", .arity = 1, .arg = ArgKind::Ints,
    .groups = kMovement, .doc = "A window. Argument: (begin, length) for each axis.", .type = shrink_type,
    .grad = &grad_shrink};
constinit const OpRecord kFlip = {.op = Op::Flip, .name = "flip", .arity = 1, .arg = ArgKind::Ints,
    .groups = kMovement, .doc = "Reverses axes. Argument: the axes.", .type = flip_type, .grad = &grad_flip};
constinit const OpRecord kShear = {.op = Op::Shear, .name = "shear", .arity = 1, .arg = ArgKind::Ints,
    .groups = kMovement,
    .doc = "Sliding window: out[..i..k..] = x[..i + d*k + off..k..], fill outside. Argument: axis i, axis k, d, off, "
           "new extent of axis i, the fill's bits.",
    .type = shear_type, .grad = &grad_shear};
constinit const OpRecord kOffset = {.op = Op::Offset, .name = "offset", .arity = 2, .arg = ArgKind::Ints,
    .groups = kMovement,
    .doc = "A window whose place is known at the launch: out[..i..] = x[..begin + i..]; places outside read 0 and are not written. "
           "Sources: x, begin. Argument: axis, length.",
    .type = offset_type, .grad = &grad_offset};
constinit const OpRecord kLimit = {.op = Op::Limit, .name = "limit", .arity = 2, .arg = ArgKind::Ints,
    .groups = kMovement,
    .doc = "Only the first n elements along the axis exist; the value of the others is anything. With the extent as n, all do. "
           "Sources: x, n. Argument: axis.",
    .type = limit_type, .grad = &grad_limit};
constinit const OpRecord kGather = {.op = Op::Gather, .name = "gather", .arity = 2, .arg = ArgKind::Ints,
    .groups = 0, .doc = "out[i..] = x[.. idx[i..] at the axis ..]; 0 outside. Argument: the axis.",
    .type = gather_type, .grad = &grad_gather};
constinit const OpRecord kScatter = {.op = Op::Scatter, .name = "scatter", .arity = 3, .arg = ArgKind::Ints,
    .groups = 0,
    .doc = "base with v[p] combined at idx[p] along the axis, in index order. Argument: the axis, the combination.",
    .type = scatter_type, .grad = &grad_scatter};

}  // namespace tg::ops

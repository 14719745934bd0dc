// Reductions over any axes, and the row functions made of them (softmax and its relatives).
#include <limits>

#include "rules/index.h"
#include "tensor/ops.h"
#include "uop/limits.h"

namespace tg {
namespace {

using namespace ops_detail;

UOp drop_axes(const UOp& reduced, const UOp& x, std::span<const int64_t> axes, bool keepdim) {
  return keepdim ? reduced : reshape(reduced, without_axes(x.shape(), axes));
}

void need_elements(std::string_view fn, const UOp& x, std::span<const int64_t> axes) {
  for (int64_t a : axes) {
    if (x.dim(static_cast<int>(a)) != 0) continue;
    user_error<ArgumentError>(
        fn, fmt::format("axis {} of shape {} is empty and has no {}", a, text(x.shape()), fn));
  }
}

UOp max_of(const UOp& x, std::span<const int64_t> axes) { return reduce(x, ReduceOp::Max, axes); }

UOp min_of(const UOp& x, std::span<const int64_t> axes) {
  return order_reversed(max_of(order_reversed(x), axes));
}

Tensor accumulate(std::string_view fn, ReduceOp op, const Tensor& t, const ReduceOptions& o) {
  UOp x = node_of(t, fn);
  const auto axes = axes_of(fn, o.axis, x.shape());
  const DType result = o.dtype.value_or(sum_dtype(x.dtype()));
  UOp y = cast(reduce(cast(x, compute_float(result)), op, axes), result);
  return wrap(drop_axes(y, x, axes, o.keepdim));
}

// How many elements each sum over the axes has, less `less`, at least 0: a float of the shape and
// dtype of `sum`.
UOp count_like(const UOp& sum, const UOp& x, std::span<const int64_t> axes, double less = 0) {
  UOp n = index_const(1);
  for (int64_t a : axes) n = n * size_of(x, static_cast<int>(a));
  n = simplify_index(n);
  if (n.is(Op::Const)) {
    return const_like(sum, std::max(0.0, static_cast<double>(n.arg(0)) - less));
  }
  UOp count = cast(n, sum.dtype()) - constant(less, sum.dtype());
  count = maximum(count, constant(0.0, sum.dtype()));
  return expand(reshape(count, Shape(sum.shape().size(), 1)), sum.shape_vec());
}

UOp mean_of(const UOp& x, std::span<const int64_t> axes) {
  UOp s = reduce(x, ReduceOp::Add, axes);
  return s / count_like(s, x, axes);
}

// The first place where x reaches the extreme: the largest of n − i over the places that do.
Tensor first_place(std::string_view fn, const Tensor& t, const ArgOptions& o, bool largest) {
  UOp x = node_of(t, fn);
  const Shape shape = x.shape_vec();
  const int axis = o.axis ? scanned_axis_of(fn, *o.axis, shape) : 0;
  if (!o.axis || shape.empty()) x = reshape(x, {x.numel()});
  const std::vector<int64_t> axes = {axis};
  need_elements(fn, x, axes);
  if (!largest) x = order_reversed(x);
  const Dim n = x.dim(axis);
  const UOp hit = is_largest(x, expand(max_of(x, axes), x.shape_vec()));
  UOp i = iota(x.shape_vec(), axis, place_dtype(n));
  UOp from_end = where(hit, const_like(i, n) - i, const_like(i, int64_t{0}));
  UOp best = max_of(from_end, axes);
  UOp place = const_like(best, n) - best;
  if (o.axis && !shape.empty()) return wrap(drop_axes(place, x, axes, o.keepdim));
  return wrap(reshape(place, o.keepdim ? Shape(shape.size(), 1) : Shape{}));
}

struct Row {
  UOp x;
  std::vector<int64_t> axes;
  DType result;
};

Row row_of(std::string_view fn, const Tensor& t, int64_t axis, const std::optional<DType>& asked) {
  UOp x = float_node(t, fn);
  const DType result = asked.value_or(x.dtype());
  if (!is_float(result)) {
    user_error<DTypeError>(fn, fmt::format("needs a float dtype, got {}", dtype_name(result)));
  }
  if (dtype_size(result) > dtype_size(x.dtype())) x = cast(x, result);
  x = cast(x, compute_float(result));
  return {x, axes_of(fn, axis, x.shape()), result};
}

UOp shifted(const Row& row) {
  return row.x - expand(detached_max(row.x, row.axes), row.x.shape_vec());
}

}  // namespace

Tensor Tensor::sum(const ReduceOptions& o) const {
  return accumulate("sum", ReduceOp::Add, *this, o);
}
Tensor Tensor::prod(const ReduceOptions& o) const {
  return accumulate("prod", ReduceOp::Mul, *this, o);
}

Tensor Tensor::max(const ReduceOptions& o) const {
  UOp x = node_of(*this, "max");
  const auto axes = axes_of("max", o.axis, x.shape());
  return wrap(drop_axes(max_of(x, axes), x, axes, o.keepdim));
}

Tensor Tensor::min(const ReduceOptions& o) const {
  UOp x = node_of(*this, "min");
  const auto axes = axes_of("min", o.axis, x.shape());
  return wrap(drop_axes(min_of(x, axes), x, axes, o.keepdim));
}

Tensor Tensor::mean(const ReduceOptions& o) const {
  UOp x = float_node(*this, "mean");
  const auto axes = axes_of("mean", o.axis, x.shape());
  UOp y = tg::cast(mean_of(tg::cast(x, compute_float(x.dtype())), axes), x.dtype());
  return wrap(drop_axes(y, x, axes, o.keepdim));
}

Tensor Tensor::var(const VarOptions& o) const {
  UOp given = float_node(*this, "var");
  const auto axes = axes_of("var", o.axis, given.shape());
  UOp x = tg::cast(given, compute_float(given.dtype()));
  UOp centred = x - tg::expand(mean_of(x, axes), x.shape_vec());
  UOp s = reduce(centred * centred, ReduceOp::Add, axes);
  UOp divisor = count_like(s, x, axes, static_cast<double>(o.correction));
  UOp y = tg::cast(s / divisor, given.dtype());
  return wrap(drop_axes(y, x, axes, o.keepdim));
}

std::pair<Tensor, Tensor> Tensor::var_mean(const VarOptions& o) const {
  return {var(o), mean({.axis = o.axis, .keepdim = o.keepdim})};
}

std::pair<Tensor, Tensor> Tensor::std_mean(const VarOptions& o) const {
  return {std(o), mean({.axis = o.axis, .keepdim = o.keepdim})};
}

Tensor Tensor::std(const VarOptions& o) const { return var(o).sqrt(); }

Tensor Tensor::any(const ReduceOptions& o) const {
  UOp x = node_of(ne(0), "any");
  const auto axes = axes_of("any", o.axis, x.shape());
  return wrap(drop_axes(max_of(x, axes), x, axes, o.keepdim));
}

Tensor Tensor::all(const ReduceOptions& o) const {
  UOp x = node_of(ne(0), "all");
  const auto axes = axes_of("all", o.axis, x.shape());
  return wrap(drop_axes(min_of(x, axes), x, axes, o.keepdim));
}

Tensor Tensor::argmax(const ArgOptions& o) const { return first_place("argmax", *this, o, true); }
Tensor Tensor::argmin(const ArgOptions& o) const { return first_place("argmin", *this, o, false); }

Tensor Tensor::softmax(int64_t axis, std::optional<DType> dtype) const {
  const Row row = row_of("softmax", *this, axis, dtype);
  UOp e = ops_detail::exp(shifted(row));
  // One division a row: the sum is at least 1, so that its reciprocal is as good.
  const UOp sum = reduce(e, ReduceOp::Add, row.axes);
  UOp y = e * tg::expand(const_like(sum, 1.0) / sum, e.shape_vec());
  return wrap(tg::cast(y, row.result));
}

Tensor Tensor::log_softmax(int64_t axis, std::optional<DType> dtype) const {
  const Row row = row_of("log_softmax", *this, axis, dtype);
  UOp m = shifted(row);
  UOp s = reduce(ops_detail::exp(m), ReduceOp::Add, row.axes);
  return wrap(tg::cast(m - tg::expand(ops_detail::log(s), m.shape_vec()), row.result));
}

Tensor Tensor::softmin(int64_t axis, std::optional<DType> dtype) const {
  return wrap(-float_node(*this, "softmin")).softmax(axis, dtype);
}

// A vector of zeros has no direction: its norm counts as 1, with slope 0, before eps.
Tensor Tensor::normalize(const NormalizeOptions& o) const {
  if (std::isnan(o.p)) user_error<ArgumentError>("normalize", "p must be a number, got nan");
  const Tensor x = wrap(float_node(*this, "normalize"));
  const ReduceOptions row = {.axis = axis_of("normalize", o.axis, shape()), .keepdim = true};
  const auto norm = [&]() -> Tensor {
    if (o.p == 0) return (x != 0).cast(x.dtype()).sum(row);
    if (std::isinf(o.p)) return o.p > 0 ? x.abs().max(row) : x.abs().min(row);
    const Tensor total = (o.p == 2 ? x.square() : x.abs().pow(o.p)).sum(row);
    const Tensor none = total == 0;
    return none.where(0.0, none.where(1.0, total).pow(1 / o.p));
  };
  return x / norm().clamp_min(o.eps);
}

Tensor Tensor::logsumexp(const ReduceOptions& o) const {
  UOp given = float_node(*this, "logsumexp");
  const auto axes = axes_of("logsumexp", o.axis, given.shape());
  need_elements("logsumexp", given, axes);
  UOp x = tg::cast(given, compute_float(given.dtype()));
  UOp m = detached_max(x, axes);
  // An infinite maximum would give inf − inf.
  UOp safe = tg::where(tg::eq(magnitude(m), const_like(m, std::numeric_limits<double>::infinity())),
                       const_like(m, 0.0), m);
  UOp s = reduce(ops_detail::exp(x - tg::expand(safe, x.shape_vec())), ReduceOp::Add, axes);
  return wrap(drop_axes(tg::cast(ops_detail::log(s) + safe, given.dtype()), x, axes, o.keepdim));
}

}  // namespace tg

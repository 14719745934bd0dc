// Reductions, softmax, running sums and places of extremes.
#include <algorithm>
#include <numeric>

#include "frontend/onnx/ops/common.h"
#include "frontend/onnx/table.h"

namespace tg::onnx {
namespace {

using Reduced = Tensor (*)(const Tensor& x, const ReduceOptions& options);

// The axes of a reduction by attribute or input. None given: all, or each element for itself, which
// is what is left of a number without axes, too.
template <Reduced F>
Values reduce_op(const Node& n) {
  const Tensor x = n.tensor(0);
  std::vector<int64_t> axes = axes_of(n, 1).value_or(std::vector<int64_t>{});
  const bool keep = n.flag("keepdims", true);
  if (axes.empty() && !n.flag("noop_with_empty_axes")) {
    axes.resize(static_cast<size_t>(x.ndim()));
    std::iota(axes.begin(), axes.end(), 0);
  }
  axes = n.axes(axes, x.ndim());
  const Tensor wide = wide_floats(x);  // squares and sums overflow before the result does
  if (axes.empty()) return {F(wide.unsqueeze(-1), {.axis = -1}).cast(x.dtype())};
  return {F(wide, {.axis = axes, .keepdim = keep}).cast(x.dtype())};
}

Tensor sum(const Tensor& x, const ReduceOptions& o) { return x.sum(o); }
Tensor l1(const Tensor& x, const ReduceOptions& o) { return x.abs().sum(o); }
Tensor l2(const Tensor& x, const ReduceOptions& o) { return x.square().sum(o).sqrt(); }
Tensor log_sum(const Tensor& x, const ReduceOptions& o) { return x.sum(o).log(); }
// Of nothing −∞; what is safe from overflow needs a maximum.
Tensor log_sum_exp(const Tensor& x, const ReduceOptions& o) {
  return x.numel() == 0 ? x.sum(o).log() : x.logsumexp(o);
}
Tensor sum_square(const Tensor& x, const ReduceOptions& o) { return x.square().sum(o); }
Tensor mean_over(const Tensor& x, const ReduceOptions& o) { return x.mean(o); }
Tensor prod(const Tensor& x, const ReduceOptions& o) { return x.prod(o); }
Tensor greatest(const Tensor& x, const ReduceOptions& o) { return x.max(o); }
Tensor least(const Tensor& x, const ReduceOptions& o) { return x.min(o); }

template <bool kMax>
Values place_of(const Node& n) {
  Tensor x = n.tensor(0);
  const int64_t axis = n.axis(n.integer("axis", 0), x.ndim());
  const bool last = n.flag("select_last_index");
  if (last) x = x.flip(axis);
  const ArgOptions options{.axis = axis, .keepdim = n.flag("keepdims", true)};
  Tensor out = (kMax ? x.argmax(options) : x.argmin(options)).cast(DType::Int64);
  if (last) out = Tensor(x.size(axis) - 1).cast(DType::Int64) - out;
  return {out};
}

// Until version 13 the axes from `axis` on were one.
template <bool kLog, bool kHard>
Values softmax_op(const Node& n) {
  const Tensor x = n.tensor(0);
  const auto apply = [](const Tensor& t, int64_t axis) {
    if (kHard) {
      const Tensor places = t.argmax({.axis = axis, .keepdim = true}).cast(DType::Int64);
      Shape shape(static_cast<size_t>(t.ndim()), 1);
      shape[static_cast<size_t>(axis)] = t.size(axis);
      const Tensor all = Tensor::arange(static_cast<double>(t.size(axis)),
                                        {.dtype = DType::Int64, .device = t.device()});
      return (all.reshape(shape) == places).cast(t.dtype());
    }
    return kLog ? t.log_softmax(axis) : t.softmax(axis);
  };
  if (n.version() >= 13) return {apply(x, n.axis(n.integer("axis", -1), x.ndim()))};
  const int64_t axis = n.axis(n.integer("axis", 1), x.ndim());
  const Shape shape = x.shape();
  const Shape front(shape.begin(), shape.begin() + axis);
  return {apply(x.reshape({elements_of(front), -1}), 1).reshape(shape)};
}

Values cumprod_op(const Node& n) {
  Tensor x = n.tensor(0);
  const int64_t axis = n.axis(n.integer(1), x.ndim());
  const bool reverse = n.flag("reverse");
  if (reverse) x = x.flip(axis);
  if (n.flag("exclusive")) {
    // All one place further: a 1 comes first, the last element has no successor.
    std::vector<std::pair<int64_t, int64_t>> pairs(static_cast<size_t>(x.ndim()));
    pairs[static_cast<size_t>(axis)] = {1, -1};
    x = x.pad(pairs, Tensor(1).cast(x.dtype()));
  }
  const Tensor products = x.cumprod(axis).cast(x.dtype());
  return {reverse ? products.flip(axis) : products};
}

Values cumsum_op(const Node& n) {
  Tensor x = n.tensor(0);
  const int64_t axis = n.axis(n.integer(1), x.ndim());
  const DType dtype = x.dtype();
  const bool reverse = n.flag("reverse");
  if (reverse) x = x.flip(axis);
  Tensor sums = x.cumsum(axis).cast(dtype);
  if (n.flag("exclusive")) sums = sums - x;
  return {reverse ? sums.flip(axis) : sums};
}

Values top_k(const Node& n) {
  const Tensor x = n.tensor(0);
  const int64_t axis = n.axis(n.integer("axis", -1), x.ndim());
  const int64_t k = n.version() >= 10 ? n.integer(1) : n.required_integer("k");
  n.require(k >= 0 && k <= x.size(axis), "k is larger than the axis");
  const auto [values, places] = x.topk(k, axis, n.flag("largest", true));
  return {values, places.cast(DType::Int64)};
}

}  // namespace

std::span<const Operator> reduction_operators() {
  constexpr std::string_view kReduce = "axes keepdims noop_with_empty_axes";
  static const std::vector<Operator> rows = {
      {"ArgMax", {1, 11, 12, 13}, "axis keepdims select_last_index", place_of<true>},
      {"ArgMin", {1, 11, 12, 13}, "axis keepdims select_last_index", place_of<false>},
      {"CumProd", {26}, "exclusive reverse", cumprod_op},
      {"CumSum", {11, 14}, "exclusive reverse", cumsum_op},
      {"Hardmax", {1, 11, 13}, "axis", softmax_op<false, true>},
      {"LogSoftmax", {1, 11, 13}, "axis", softmax_op<true, false>},
      {"ReduceL1", {1, 11, 13, 18}, kReduce, reduce_op<l1>},
      {"ReduceL2", {1, 11, 13, 18}, kReduce, reduce_op<l2>},
      {"ReduceLogSum", {1, 11, 13, 18, 28}, kReduce, reduce_op<log_sum>},
      {"ReduceLogSumExp", {1, 11, 13, 18, 28}, kReduce, reduce_op<log_sum_exp>},
      {"ReduceMax", {1, 11, 12, 13, 18, 20}, kReduce, reduce_op<greatest>},
      {"ReduceMean", {1, 11, 13, 18}, kReduce, reduce_op<mean_over>},
      {"ReduceMin", {1, 11, 12, 13, 18, 20}, kReduce, reduce_op<least>},
      {"ReduceProd", {1, 11, 13, 18}, kReduce, reduce_op<prod>},
      {"ReduceSum", {1, 11, 13}, kReduce, reduce_op<sum>},
      {"ReduceSumSquare", {1, 11, 13, 18}, kReduce, reduce_op<sum_square>},
      {"Softmax", {1, 11, 13}, "axis", softmax_op<false, false>},
      {"TopK", {1, 10, 11, 24}, "axis k largest sorted", top_k},
  };
  return rows;
}

}  // namespace tg::onnx

// Pools: windows, then the reduction that names the pool; where a maximum stands, and putting
// values there.
#include <algorithm>

#include "tensor/ops.h"
#include "tg/ir/interval.h"
#include "uop/limits.h"

namespace tg {
namespace {

using namespace ops_detail;

WindowSpec spec_of(std::string_view fn, const UOp& x, const PoolOptions& o) {
  const size_t n = o.kernel_size.list.size();
  if (n == 0 || n > x.shape().size()) {
    user_error<ArgumentError>(fn, fmt::format("kernel_size {} does not fit shape {}",
                                              text(o.kernel_size.list), text(x.shape())));
  }
  WindowSpec s;
  s.kernel = per_axis(fn, "kernel_size", o.kernel_size, n, 1);
  s.stride = o.stride.list.empty() ? s.kernel : per_axis(fn, "stride", o.stride, n, 1);
  s.dilation = per_axis(fn, "dilation", o.dilation, n, 1);
  s.pad = per_axis_pairs(fn, o.padding, n);
  s.ceil_mode = o.ceil_mode;
  return s;
}

// Reduces the last `n` axes and drops them.
UOp reduce_kernel(const UOp& w, ReduceOp op, size_t n) {
  std::vector<int64_t> axes;
  for (size_t i = w.shape().size() - n; i < w.shape().size(); ++i)
    axes.push_back(static_cast<int64_t>(i));
  return reshape(reduce(w, op, axes), without_axes(w.shape(), axes));
}

UOp largest_of_windows(std::string_view fn, const UOp& x, const WindowSpec& s) {
  UOp w = windows(fn, x, s, reduce_identity(ReduceOp::Max, x.dtype()));
  return reduce_kernel(w, ReduceOp::Max, s.kernel.size());
}

// How many elements each window averages: without count_include_pad only those of the input, else
// also the padding, but never what hangs over the padded end.
UOp window_sizes(const UOp& x, WindowSpec s, std::span<const Dim> out, bool count_pad) {
  const size_t n = s.kernel.size();
  Shape counted(x.shape().end() - static_cast<int64_t>(n), x.shape().end());
  if (count_pad) {
    for (size_t i = 0; i < n; ++i)
      counted[i] = saturating_add(counted[i], s.pad[2 * i] + s.pad[2 * i + 1]);
  }
  // The same windows over a field of ones: padding that counts became part of it, so the windows
  // start at its edge.
  UOp ones = full(counted, Scalar::of_int(1, x.dtype()));
  for (size_t i = 0; i < n && !count_pad; ++i) {  // what does not exist is not counted
    const int axis = x.ndim() - static_cast<int>(n - i);
    ones = limited(ones, static_cast<int>(i), size_of(x, axis));
  }
  if (count_pad) s.pad.assign(2 * n, 0);
  s.count.assign(out.begin(), out.end());
  return reduce_kernel(windows("avg_pool2d", ones, s, Scalar::of_int(0, x.dtype())), ReduceOp::Add,
                       n);
}

// Where `largest` stands first in each window, among all elements of the pooled axes; the first NaN
// where that is the largest. Elements are ranked by how many follow them, themselves included, so
// that the first has the highest rank, and padding has none.
UOp first_places(std::string_view fn, const UOp& x, const WindowSpec& s, const UOp& largest) {
  const size_t axes = s.kernel.size();
  const auto extents = x.shape().last(axes);
  const Dim count = tg::numel(extents);
  const UOp place = iota({count}, 0, place_dtype(count));
  const UOp rank = reshape(const_like(place, count) - place, {extents.begin(), extents.end()});
  const UOp values = windows(fn, x, s, reduce_identity(ReduceOp::Max, x.dtype()));
  const UOp ranks =
      broadcast_to(windows(fn, rank, s, Scalar::of_int(0, rank.dtype())), values.shape_vec());
  Shape kept = largest.shape_vec();
  kept.resize(kept.size() + axes, 1);
  const UOp hit = is_largest(values, expand(reshape(largest, kept), values.shape_vec()));
  const UOp best =
      reduce_kernel(where(hit, ranks, const_like(ranks, int64_t{0})), ReduceOp::Max, axes);
  return const_like(best, count) - best;
}

}  // namespace

Tensor Tensor::max_pool2d(const PoolOptions& o) const {
  UOp x = node_of(*this, "max_pool2d");
  const WindowSpec s = spec_of("max_pool2d", x, o);
  return wrap(largest_of_windows("max_pool2d", x, s));
}

std::pair<Tensor, Tensor> Tensor::max_pool2d_with_indices(const PoolOptions& o) const {
  constexpr std::string_view kFn = "max_pool2d_with_indices";
  const UOp x = node_of(*this, kFn);
  const WindowSpec s = spec_of(kFn, x, o);
  for (size_t i = 1; i <= s.kernel.size(); ++i)
    need_plain_axis(kFn, x, x.ndim() - static_cast<int>(i));
  const UOp largest = largest_of_windows(kFn, x, s);
  return {wrap(largest), wrap(first_places(kFn, x, s, largest))};
}

Tensor Tensor::max_unpool2d(const Tensor& indices, const UnpoolOptions& o) const {
  constexpr std::string_view kFn = "max_unpool2d";
  const UOp x = node_of(*this, kFn), places = node_of(indices, kFn);
  const size_t n = o.kernel_size.list.size();
  if (n == 0 || n > x.shape().size()) {
    user_error<ArgumentError>(kFn, fmt::format("kernel_size {} does not fit shape {}",
                                               text(o.kernel_size.list), text(x.shape())));
  }
  need_plain_axes(kFn, x);
  if (places.shape_vec() != x.shape_vec()) {
    user_error<ShapeError>(kFn, fmt::format("needs a place for each value: {} and indices {}",
                                            text(x.shape()), text(places.shape())));
  }
  need_integers(kFn, places);
  const auto kernel = per_axis(kFn, "kernel_size", o.kernel_size, n, 1);
  const auto stride = o.stride.list.empty() ? kernel : per_axis(kFn, "stride", o.stride, n, 1);
  const auto dilation = per_axis(kFn, "dilation", o.dilation, n, 1);
  const auto padding = per_axis(kFn, "padding", o.padding, n, 0);
  Shape spatial = o.output_size;
  if (spatial.empty()) {
    for (size_t a = 0; a < n; ++a) {
      const Dim windows = x.shape().last(n)[a];
      spatial.push_back((windows - 1) * stride[a] + dilation[a] * (kernel[a] - 1) + 1 -
                        2 * padding[a]);
    }
  }
  if (spatial.size() < n || std::ranges::any_of(spatial, [](Dim d) { return d < 0; })) {
    user_error<ArgumentError>(
        kFn, fmt::format("the result cannot have the sizes {} on {} axes", text(spatial), n));
  }
  spatial.erase(spatial.begin(), spatial.end() - static_cast<std::ptrdiff_t>(n));
  Shape lead(x.shape().begin(), x.shape().end() - static_cast<std::ptrdiff_t>(n)), whole = lead;
  const auto axis = static_cast<int64_t>(lead.size());
  lead.push_back(tg::numel(spatial));
  whole.insert(whole.end(), spatial.begin(), spatial.end());
  const Tensor flat = zeros(lead, {.dtype = dtype(), .device = device()});
  const auto merged = static_cast<int64_t>(n);
  return flat.scatter(axis, indices.flatten(-merged), flatten(-merged)).reshape(whole);
}

Tensor Tensor::avg_pool2d(const PoolOptions& o) const {
  UOp given = float_node(*this, "avg_pool2d");
  const WindowSpec s = spec_of("avg_pool2d", given, o);
  UOp x = tg::cast(given, compute_float(given.dtype()));
  UOp total = reduce_kernel(windows("avg_pool2d", x, s, Scalar::of_int(0, x.dtype())),
                            ReduceOp::Add, s.kernel.size());
  double elements = 1;
  for (int64_t k : s.kernel) elements *= static_cast<double>(k);
  const auto out = total.shape().last(s.kernel.size());
  const bool varies = s.ceil_mode || !o.count_include_pad;
  UOp size = varies ? broadcast_to(window_sizes(x, s, out, o.count_include_pad), total.shape_vec())
                    : const_like(total, elements);
  return wrap(tg::cast(total / size, given.dtype()));
}

}  // namespace tg

// Pools: windows, then the reduction that names the pool.
#include "tensor/ops.h"
#include "tg/ir/interval.h"

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
  if (count_pad) s.pad.assign(2 * n, 0);
  s.count.assign(out.begin(), out.end());
  return reduce_kernel(windows("avg_pool2d", ones, s, Scalar::of_int(0, x.dtype())), ReduceOp::Add,
                       n);
}

}  // namespace

Tensor Tensor::max_pool2d(const PoolOptions& o) const {
  UOp x = node_of(*this, "max_pool2d");
  const WindowSpec s = spec_of("max_pool2d", x, o);
  UOp w = windows("max_pool2d", x, s, reduce_identity(ReduceOp::Max, x.dtype()));
  return wrap(reduce_kernel(w, ReduceOp::Max, s.kernel.size()));
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

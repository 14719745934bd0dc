// Scans: each element combined with all before it. How they run: schedule/place_scans.h. Here
// stands what cummax and cummin need besides, and logcumsumexp, whose monoid is no single
// operation.
#include <limits>

#include "schedule/blocked_scan.h"
#include "tensor/math.h"
#include "uop/devices.h"

namespace tg {
namespace {

using namespace ops_detail;

// log Σeˣ, in which −∞ in place of what comes later counts for nothing.
UOp log_sum_prefix(const UOp& w, int axis) {
  const std::vector<int64_t> axes = {axis};
  UOp m = detached_max(w, axes);
  UOp base = where(is_inf(m), const_like(m, 0.0), m);
  UOp s = reduce(ops_detail::exp(w - expand(base, w.shape_vec())), ReduceOp::Add, axes);
  return ops_detail::log(s) + base;
}

constexpr Dim kLogSumBlock = 4;  // each combination of two is two exponentials and a logarithm

bool is_single(const UOp& x) { return x.ndim() == 0 || x.numel() == 0; }

UOp scanned(const UOp& x, ReduceOp op, int axis) { return is_single(x) ? x : scan(x, op, axis); }

Tensor accumulated(std::string_view fn, const Tensor& t, int64_t axis, ReduceOp op) {
  UOp x = node_of(t, fn);
  const int a = scanned_axis_of(fn, axis, x.shape());
  const DType result = sum_dtype(x.dtype()), c = compute_float(result);
  return wrap(cast(scanned(cast(x, c), op, a), result));
}

// The running extreme, and the latest place at which it was reached, to which its gradient goes.
std::pair<Tensor, Tensor> extreme(std::string_view fn, const Tensor& t, int64_t axis,
                                  bool largest) {
  UOp x = node_of(t, fn);
  const int a = scanned_axis_of(fn, axis, x.shape());
  if (x.ndim() == 0) return {t, wrap(placed(constant(0, DType::Int32), x.device()))};
  const UOp ordered = largest ? x : order_reversed(x), key = detach(ordered);
  const UOp best = scanned(ordered, ReduceOp::Max, a);
  const UOp hit = is_largest(key, detach(best));
  UOp i = iota(x.shape_vec(), a, place_dtype(x.dim(a)));
  UOp place = scanned(where(hit, i, const_like(i, int64_t{0})), ReduceOp::Max, a);
  return {wrap(largest ? best : order_reversed(best)), wrap(place)};
}

}  // namespace

Tensor Tensor::cumsum(int64_t axis) const {
  return accumulated("cumsum", *this, axis, ReduceOp::Add);
}

Tensor Tensor::cumprod(int64_t axis) const {
  return accumulated("cumprod", *this, axis, ReduceOp::Mul);
}

std::pair<Tensor, Tensor> Tensor::cummax(int64_t axis) const {
  return extreme("cummax", *this, axis, true);
}

std::pair<Tensor, Tensor> Tensor::cummin(int64_t axis) const {
  return extreme("cummin", *this, axis, false);
}

Tensor Tensor::logcumsumexp(int64_t axis) const {
  UOp x = float_node(*this, "logcumsumexp");
  const int a = scanned_axis_of("logcumsumexp", axis, x.shape());
  const DType c = compute_float(x.dtype());
  const ScanMonoid m = {Scalar::of_double(-std::numeric_limits<double>::infinity(), c),
                        log_sum_prefix, ops_detail::logaddexp, kLogSumBlock};
  if (is_single(x)) return wrap(x);
  return wrap(tg::cast(blocked_scan(tg::cast(x, c), a, m), x.dtype()));
}

}  // namespace tg

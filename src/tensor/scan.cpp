// Scans: each element combined with all before it. How: schedule/blocked_scan.h. Here stand the
// monoids, and what cummax and cummin need besides.
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

UOp scan(const UOp& x, int axis, const ScanMonoid& m) {
  return x.ndim() == 0 || x.numel() == 0 ? x : blocked_scan(x, axis, m);
}

template <ReduceOp op>
ScanMonoid monoid(DType t, UOp (*combine)(const UOp&, const UOp&)) {
  return {reduce_identity(op, t), reduced_prefix<op>, combine};
}

template <ReduceOp op>
Tensor accumulated(std::string_view fn, const Tensor& t, int64_t axis,
                   UOp (*combine)(const UOp&, const UOp&)) {
  UOp x = node_of(t, fn);
  const int a = scanned_axis_of(fn, axis, x.shape());
  const DType result = sum_dtype(x.dtype()), c = compute_float(result);
  return wrap(cast(scan(cast(x, c), a, monoid<op>(c, combine)), result));
}

// The latest place at which the running extreme was reached; the values are read from there, so the
// gradient goes to that place alone.
std::pair<Tensor, Tensor> extreme(std::string_view fn, const Tensor& t, int64_t axis,
                                  bool largest) {
  UOp x = node_of(t, fn);
  const int a = scanned_axis_of(fn, axis, x.shape());
  if (x.ndim() == 0) return {t, wrap(placed(constant(0, DType::Int32), x.device()))};
  UOp key = detach(largest ? x : order_reversed(x));
  UOp best = scan(key, a, monoid<ReduceOp::Max>(key.dtype(), tg::maximum));
  UOp hit = eq(key, best);
  if (is_float(key.dtype())) hit = hit | ne(key, key);
  const DType counter =
      x.dim(a) > std::numeric_limits<int32_t>::max() ? DType::Int64 : DType::Int32;
  UOp i = iota(x.shape_vec(), a, counter);
  UOp place = scan(where(hit, i, const_like(i, int64_t{0})), a,
                   monoid<ReduceOp::Max>(counter, tg::maximum));
  return {wrap(gather(x, place, a)), wrap(place)};
}

}  // namespace

Tensor Tensor::cumsum(int64_t axis) const {
  return accumulated<ReduceOp::Add>("cumsum", *this, axis, tg::operator+);
}

Tensor Tensor::cumprod(int64_t axis) const {
  return accumulated<ReduceOp::Mul>("cumprod", *this, axis, tg::operator*);
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
                        log_sum_prefix, ops_detail::logaddexp};
  return wrap(tg::cast(scan(tg::cast(x, c), a, m), x.dtype()));
}

}  // namespace tg

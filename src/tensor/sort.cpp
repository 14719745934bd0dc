// Order along an axis: sort, argsort, topk, unique. How rows are sorted: ordering.cpp. Here axes
// are brought into rows and back; values are read at the places found, so that their gradient goes
// there.
#include <numeric>

#include "tensor/ops.h"
#include "tensor/ordering.h"
#include "tensor/symbolic.h"
#include "uop/devices.h"
#include "uop/limits.h"

namespace tg {
namespace {

using namespace ops_detail;

// The order of axes with `axis` at the end; its own inverse where the two are swapped.
std::vector<int64_t> with_last(const UOp& x, int axis) {
  std::vector<int64_t> order(x.shape().size());
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[static_cast<size_t>(axis)], order.back());
  return order;
}

// The places of the first `k` along an axis, of x's shape but for that axis. What does not exist of
// a row comes last.
UOp ordered_places(const UOp& x, int axis, Dim k, bool descending) {
  SortKeys keys = sort_keys(detach(x), descending);
  const int64_t none = largest_key(keys.bits);
  const auto swapped = with_last(x, axis);
  UOp rows = permute(delimited(keys.value, Scalar::of_int(none, keys.value.dtype())), swapped);
  Shape shape = rows.shape_vec();
  const Dim n = shape.back();
  keys.value = reshape(rows, {n == 0 ? 0 : x.numel() / n, n});
  shape.back() = k;
  UOp places = k == n ? places_in_order(keys) : first_places(keys, k);
  return permute(reshape(places, shape), swapped);
}

UOp places_of(const UOp& x, int axis, bool descending) {
  if (x.ndim() == 0) return placed(constant(0, DType::Int32), x.device());
  if (x.numel() == 0) return iota(x.shape_vec(), axis, DType::Int32);
  return with_limits_of(ordered_places(x, axis, x.dim(axis), descending), x.node());
}

}  // namespace

Tensor Tensor::argsort(int64_t axis, bool descending) const {
  UOp x = node_of(*this, "argsort");
  return wrap(places_of(x, scanned_axis_of("argsort", axis, x.shape()), descending));
}

std::pair<Tensor, Tensor> Tensor::sort(int64_t axis, bool descending) const {
  UOp x = node_of(*this, "sort");
  const int a = scanned_axis_of("sort", axis, x.shape());
  UOp places = places_of(x, a, descending);
  return {x.ndim() == 0 ? *this : wrap(tg::gather(x, places, a)), wrap(places)};
}

std::pair<Tensor, Tensor> Tensor::topk(int64_t k, int64_t axis, bool largest) const {
  UOp x = node_of(*this, "topk");
  const int a = scanned_axis_of("topk", axis, x.shape());
  const Dim n = x.ndim() == 0 ? 1 : x.dim(a);
  if (k < 0 || k > n) {
    user_error<ArgumentError>("topk",
                              fmt::format("k must lie between 0 and {}, the length of axis {} of "
                                          "shape {}, got {}",
                                          n, a, text(x.shape()), k));
  }
  if (x.ndim() == 0) {
    if (k == 1) return sort(axis, largest);
    const UOp none = tg::shrink_axis(tg::reshape(x, {1}), 0, 0, 0);
    return {wrap(none), wrap(iota({0}, 0, DType::Int32))};
  }
  symbolic_slice("topk", x, a, 0, k);  // so many must exist
  Shape shape = x.shape_vec();
  shape[static_cast<size_t>(a)] = k;
  UOp places =
      tg::numel(shape) == 0 ? iota(shape, a, DType::Int32) : ordered_places(x, a, k, largest);
  return {wrap(tg::gather(x, places, a)), wrap(places)};
}

// The mask is computed now if nobody says how many there are: what it is made of is kept.
Tensor Tensor::unique(const MaskedSelectOptions& o) const {
  UOp x = tg::detach(node_of(*this, "unique"));
  const Dim n = x.numel();
  Tensor sorted = wrap(tg::reshape(x, {n})).sort().first;
  if (n == 0) return sorted.masked_select(sorted.ne(sorted), o);
  if (!o.size) sorted.realize();
  UOp s = node_of(sorted, "unique");
  const std::vector<int64_t> border = {1, 0};
  UOp before = tg::pad(tg::shrink_axis(s, 0, 0, n - 1), border);
  UOp first = iota({n}, 0, place_bits(n) > 31 ? DType::Int64 : DType::Int32);
  first = tg::eq(first, const_like(first, int64_t{0}));
  return sorted.masked_select(wrap(first | tg::ne(s, before)), o);
}

}  // namespace tg

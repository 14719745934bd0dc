// Scans: each element combined with all before it. The axis is cut into blocks of 32. Within a
// block every prefix is reduced on its own, with the identity in place of what comes later; the
// blocks' totals are scanned in the same way, and what stands before a block is combined with it. A
// level does 32 combinations an element, the next one has a 32nd of the elements: O(33·n) in all,
// parallel over blocks, and the rounding errors of a sum grow with the depth, not the length.
#include <limits>

#include "tensor/math.h"

namespace tg {
namespace {

using namespace ops_detail;

constexpr Dim kBlock = 32;

/// What is scanned with.
struct Monoid {
  Scalar identity;
  UOp (*of_prefix)(const UOp& w);  ///< reduces the last axis, which keeps size 1
  UOp (*combine)(const UOp& earlier, const UOp& later);
};

template <ReduceOp op>
UOp reduced_prefix(const UOp& w) {
  return reduce(w, op, {{int64_t{w.ndim() - 1}}});
}

// log Σeˣ, in which −∞ in place of what comes later counts for nothing.
UOp log_sum_prefix(const UOp& w) {
  const std::vector<int64_t> last = {w.ndim() - 1};
  UOp m = detached_max(w, last);
  UOp base = where(is_inf(m), const_like(m, 0.0), m);
  UOp s = reduce(ops_detail::exp(w - expand(base, w.shape_vec())), ReduceOp::Add, last);
  return ops_detail::log(s) + base;
}

// Prefixes along the last axis, each reduced on its own: [..., n] → [..., n, n] → [..., n].
UOp scan_prefixes(const UOp& x, const Monoid& m) {
  Shape wide = x.shape_vec();
  const Dim n = wide.back();
  const int axis = x.ndim() - 1;
  wide.insert(wide.end() - 1, 1);
  UOp row = reshape(x, wide);
  wide[static_cast<size_t>(axis)] = n;
  UOp later = lt(iota(wide, axis, DType::Int32), iota(wide, axis + 1, DType::Int32));
  UOp w = where(later, full(wide, m.identity), expand(row, wide));
  return reshape(m.of_prefix(w), x.shape_vec());
}

// The part [begin, begin + length) of the last axis.
UOp last_part(const UOp& x, Dim begin, Dim length) {
  std::vector<int64_t> window;
  for (int i = 0; i + 1 < x.ndim(); ++i) window.insert(window.end(), {0, x.dim(i)});
  window.insert(window.end(), {begin, length});
  return shrink(x, window);
}

UOp last_padded(const UOp& x, Dim before, Dim after, const Scalar& fill) {
  std::vector<int64_t> border(2 * x.shape().size(), 0);
  border[border.size() - 2] = before;
  border.back() = after;
  return pad(x, border, fill);
}

// Along the last axis. Each level of blocks is contiguous: it is read by the next one, and by the
// result.
UOp scan_last(const UOp& x, const Monoid& m) {
  std::vector<UOp> levels;
  UOp level = x;
  while (level.dim(level.ndim() - 1) > kBlock) {
    const Dim n = level.dim(level.ndim() - 1), blocks = (n + kBlock - 1) / kBlock;
    Shape cut = level.shape_vec();
    cut.back() = blocks;
    cut.push_back(kBlock);
    UOp inner =
        scan_prefixes(reshape(last_padded(level, 0, blocks * kBlock - n, m.identity), cut), m);
    levels.push_back(inner);
    cut.pop_back();
    level = contiguous(reshape(last_part(inner, kBlock - 1, 1), cut));
  }
  UOp result = scan_prefixes(level, m);
  for (size_t i = levels.size(); i-- > 0;) {
    const UOp& inner = levels[i];
    const Dim blocks = inner.dim(inner.ndim() - 2);
    Shape column = inner.shape_vec();
    column.back() = 1;
    UOp before = contiguous(last_padded(last_part(result, 0, blocks - 1), 1, 0, m.identity));
    UOp all = m.combine(expand(reshape(before, column), inner.shape_vec()), inner);
    Shape flat(column.begin(), column.end() - 1);
    flat.back() = blocks * kBlock;
    const Dim n = i == 0 ? x.dim(x.ndim() - 1) : levels[i - 1].dim(levels[i - 1].ndim() - 2);
    result = last_part(reshape(all, flat), 0, n);
  }
  return result;
}

UOp scan(const UOp& x, int axis, const Monoid& m) {
  if (x.ndim() == 0 || x.numel() == 0) return x;
  std::vector<int64_t> order;
  for (int i = 0; i < x.ndim(); ++i) {
    if (i != axis) order.push_back(i);
  }
  order.push_back(axis);
  std::vector<int64_t> back(order.size());
  for (size_t i = 0; i < order.size(); ++i)
    back[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
  return permute(scan_last(permute(x, order), m), back);
}

template <ReduceOp op>
Monoid monoid(DType t, UOp (*combine)(const UOp&, const UOp&)) {
  return {reduce_identity(op, t), reduced_prefix<op>, combine};
}

// A scalar has the one axis that it is.
int scan_axis(std::string_view fn, int64_t axis, const UOp& x) {
  if (x.ndim() == 0 && (axis == 0 || axis == -1)) return 0;
  return axis_of(fn, axis, x.shape());
}

template <ReduceOp op>
Tensor accumulated(std::string_view fn, const Tensor& t, int64_t axis,
                   UOp (*combine)(const UOp&, const UOp&)) {
  UOp x = node_of(t, fn);
  const int a = scan_axis(fn, axis, x);
  const DType result = sum_dtype(x.dtype()), c = compute_float(result);
  return wrap(cast(scan(cast(x, c), a, monoid<op>(c, combine)), result));
}

// The latest place at which the running extreme was reached; the values are read from there, so the
// gradient goes to that place alone.
std::pair<Tensor, Tensor> extreme(std::string_view fn, const Tensor& t, int64_t axis,
                                  bool largest) {
  UOp x = node_of(t, fn);
  const int a = scan_axis(fn, axis, x);
  if (x.ndim() == 0) return {t, Tensor::full({}, 0, {.dtype = DType::Int32, .buffer = false})};
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
  const int a = scan_axis("logcumsumexp", axis, x);
  const DType c = compute_float(x.dtype());
  const Monoid m = {Scalar::of_double(-std::numeric_limits<double>::infinity(), c), log_sum_prefix,
                    ops_detail::logaddexp};
  return wrap(tg::cast(scan(tg::cast(x, c), a, m), x.dtype()));
}

}  // namespace tg

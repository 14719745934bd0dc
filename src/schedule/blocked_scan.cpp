// See blocked_scan.h.
#include "schedule/blocked_scan.h"

namespace tg {
namespace {

// Prefixes along the last axis, each reduced on its own: [..., n] → [..., n, n] → [..., n].
UOp scan_prefixes(const UOp& x, const ScanMonoid& m) {
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

UOp last_part(const UOp& x, Dim begin, Dim length) {
  return shrink_axis(x, x.ndim() - 1, begin, length);
}

UOp last_padded(const UOp& x, Dim before, Dim after, const Scalar& fill) {
  std::vector<int64_t> border(2 * x.shape().size(), 0);
  border[border.size() - 2] = before;
  border.back() = after;
  return pad(x, border, fill);
}

// Along the last axis. Each level of blocks is contiguous: it is read by the next one, and by the
// result.
UOp scan_last(const UOp& x, const ScanMonoid& m) {
  std::vector<UOp> levels;
  UOp level = x;
  while (level.dim(level.ndim() - 1) > kScanBlock) {
    const Dim n = level.dim(level.ndim() - 1), blocks = (n + kScanBlock - 1) / kScanBlock;
    Shape cut = level.shape_vec();
    cut.back() = blocks;
    cut.push_back(kScanBlock);
    UOp inner =
        scan_prefixes(reshape(last_padded(level, 0, blocks * kScanBlock - n, m.identity), cut), m);
    levels.push_back(inner);
    cut.pop_back();
    level = contiguous(reshape(last_part(inner, kScanBlock - 1, 1), cut));
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
    flat.back() = blocks * kScanBlock;
    const Dim n = i == 0 ? x.dim(x.ndim() - 1) : levels[i - 1].dim(levels[i - 1].ndim() - 2);
    result = last_part(reshape(all, flat), 0, n);
  }
  return result;
}

}  // namespace

int scan_levels(Dim n) {
  int levels = 0;
  for (; n > kScanBlock; n = (n + kScanBlock - 1) / kScanBlock) ++levels;
  return levels;
}

UOp blocked_scan(const UOp& x, int axis, const ScanMonoid& m) {
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

}  // namespace tg

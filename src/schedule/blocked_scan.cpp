// See blocked_scan.h.
#include "schedule/blocked_scan.h"

namespace tg {
namespace {

// Prefixes along `axis`, each reduced on its own: [..., n, ...] → [..., n, n, ...] → [..., n, ...].
UOp scan_prefixes(const UOp& x, int axis, const ScanMonoid& m) {
  Shape wide = x.shape_vec();
  const Dim n = x.dim(axis);
  wide.insert(wide.begin() + axis, 1);
  UOp row = reshape(x, wide);
  wide[static_cast<size_t>(axis)] = n;
  UOp later = lt(iota(wide, axis, DType::Int32), iota(wide, axis + 1, DType::Int32));
  UOp w = where(later, full(wide, m.identity), expand(row, wide));
  return reshape(m.of_prefix(w, axis + 1), x.shape_vec());
}

}  // namespace

UOp padded_axis(const UOp& x, int axis, Dim before, Dim after, const Scalar& fill) {
  std::vector<int64_t> border(2 * x.shape().size(), 0);
  border[2 * static_cast<size_t>(axis)] = before;
  border[2 * static_cast<size_t>(axis) + 1] = after;
  return pad(x, border, fill);
}

Shape cut_axis(const UOp& x, int axis, Dim blocks, Dim length) {
  Shape shape = x.shape_vec();
  shape[static_cast<size_t>(axis)] = length;
  shape.insert(shape.begin() + axis, blocks);
  return shape;
}

int scan_levels(Dim n) {
  int levels = 0;
  for (; n > kScanBlock; n = (n + kScanBlock - 1) / kScanBlock) ++levels;
  return levels;
}

// Each level of blocks is contiguous: it is read by the next one, and by the result. Axes stay
// where they are, so that what is contiguous in `x` is so in the levels.
UOp blocked_scan(const UOp& x, int axis, const ScanMonoid& m) {
  std::vector<UOp> levels;  // with the blocks along `axis`, their elements along the next
  UOp level = x;
  while (level.dim(axis) > m.block) {
    const Dim n = level.dim(axis), blocks = (n + m.block - 1) / m.block;
    const Shape cut = cut_axis(level, axis, blocks, m.block);
    const UOp whole = padded_axis(level, axis, 0, blocks * m.block - n, m.identity);
    const UOp inner = scan_prefixes(reshape(whole, cut), axis + 1, m);
    levels.push_back(inner);
    Shape totals = level.shape_vec();
    totals[static_cast<size_t>(axis)] = blocks;
    level = contiguous(reshape(shrink_axis(inner, axis + 1, m.block - 1, 1), totals));
  }
  UOp result = scan_prefixes(level, axis, m);
  for (size_t i = levels.size(); i-- > 0;) {
    const UOp& inner = levels[i];
    const Dim blocks = inner.dim(axis), n = i == 0 ? x.dim(axis) : levels[i - 1].dim(axis);
    const UOp before =
        contiguous(padded_axis(shrink_axis(result, axis, 0, blocks - 1), axis, 1, 0, m.identity));
    const UOp column = reshape(before, cut_axis(before, axis, blocks, 1));
    Shape flat = before.shape_vec();
    flat[static_cast<size_t>(axis)] = blocks * m.block;
    const UOp all = m.combine(expand(column, inner.shape_vec()), inner);
    result = shrink_axis(reshape(all, flat), axis, 0, n);
  }
  return result;
}

}  // namespace tg

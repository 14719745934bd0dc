// Scans as tensor graphs: each element combined with all before it, in
// O(n). What cumsum and its
// relatives are made of, and what recognise_scans.h puts in place of masked sums.
#pragma once

#include "tg/ir/uop.h"

namespace tg {

/// `x` with a border of `fill` along `axis`.
UOp padded_axis(const UOp& x, int axis, Dim before, Dim after, const Scalar& fill);
/// The shape of `x` with `axis` cut into `blocks` of `length`.
Shape cut_axis(const UOp& x, int axis, Dim blocks, Dim length);

/// Elements of a block, if combining two of them is one operation: a scan of at most so many is one
/// kernel that does n²/2 combinations.
inline constexpr Dim kScanBlock = 32;

/// What is scanned with.
struct ScanMonoid {
  Scalar identity;
  UOp (*of_prefix)(const UOp& w, int axis);  ///< reduces the axis, which keeps size 1
  UOp (*combine)(const UOp& earlier, const UOp& later);
  Dim block = kScanBlock;  ///< elements of a block: fewer where combining takes long
};

/// Reduces with `op`: ScanMonoid::of_prefix.
template <ReduceOp op>
UOp reduced_prefix(const UOp& w, int axis) {
  return reduce(w, op, {{int64_t{axis}}});
}

/// Levels of blocks of kScanBlock that a scan of `n` elements has.
int scan_levels(Dim n);

/// out[…, i, …] = x[…, 0, …] ∘ … ∘ x[…, i, …] along `axis`; shape of `x`. The axis is cut into
/// blocks. Within a block every prefix is reduced on its own, with the identity in
/// place of what comes later; the blocks' totals are scanned in the same way, and what stands
/// before a block is combined with it. With blocks of b a level does b combinations an element, and
/// the next one has a bth of the elements: O((b + 2)·n) in all, parallel over blocks, and the
/// rounding errors of a sum grow with the depth, not the length. `x` must have elements.
UOp blocked_scan(const UOp& x, int axis, const ScanMonoid& m);

}  // namespace tg

// Scans as tensor graphs: each element combined with all before it, in O(33·n). What cumsum and its
// relatives are made of, and what recognise_scans.h puts in place of masked sums.
#pragma once

#include "tg/ir/uop.h"

namespace tg {

/// `x` with a border of `fill` along `axis`.
UOp padded_axis(const UOp& x, int axis, Dim before, Dim after, const Scalar& fill);
/// The shape of `x` with `axis` cut into `blocks` of `length`.
Shape cut_axis(const UOp& x, int axis, Dim blocks, Dim length);

/// What is scanned with.
struct ScanMonoid {
  Scalar identity;
  UOp (*of_prefix)(const UOp& w, int axis);  ///< reduces the axis, which keeps size 1
  UOp (*combine)(const UOp& earlier, const UOp& later);
};

/// Reduces with `op`: ScanMonoid::of_prefix.
template <ReduceOp op>
UOp reduced_prefix(const UOp& w, int axis) {
  return reduce(w, op, {{int64_t{axis}}});
}

/// Extent of the blocks: a scan of at most so many elements is one kernel that does n²/2
/// combinations.
inline constexpr Dim kScanBlock = 32;
/// Levels of blocks that a scan of `n` elements has.
int scan_levels(Dim n);

/// out[…, i, …] = x[…, 0, …] ∘ … ∘ x[…, i, …] along `axis`; shape of `x`. The axis is cut into
/// blocks of kScanBlock. Within a block every prefix is reduced on its own, with the identity in
/// place of what comes later; the blocks' totals are scanned in the same way, and what stands
/// before a block is combined with it. A level does 32 combinations an element, the next one has a
/// 32nd of the elements: O(33·n) in all, parallel over blocks, and the rounding errors of a sum
/// grow with the depth, not the length. `x` must have elements.
UOp blocked_scan(const UOp& x, int axis, const ScanMonoid& m);

}  // namespace tg

// Prefix sums that users write as masked sums: `(j <= i).where(x, 0).sum(j)`, products with a
// triangle of ones, `tril().sum()`. Recognised, they become the scan that cumsum uses: work that
// grows with n instead of n². Works on the tensor graph, before it is decided what is stored.
// Internal to src/schedule.
#pragma once

#include <optional>
#include <vector>

#include "target/target.h"
#include "tg/ir/uop.h"

namespace tg {

/// The value of a REDUCE as a scan, if its terms are, for an axis i that stays and an axis j that
/// it sums over,
///   where(j ≤ i + c & d, f, 0)  or  where(j ≥ i + c & d, f, 0),   f and d free of i, c a constant,
/// in any spelling that recognise.h knows: comparisons of integers that cannot wrap, products with
/// flags. Empty for anything else: conditions with two bounds, with data or with multiples of an
/// index, other reductions than sums. Linear in the nodes below the sum; expressions of more than a
/// few hundred nodes are left alone.
std::optional<UOp> masked_sum_as_scan(const UOp& reduce);

/// Equal roots, in which such sums are scans wherever that is less work by the target's model. The
/// same roots if there are none.
std::vector<UOp> recognise_scans(std::span<const UOp> roots, const Target& target);

}  // namespace tg

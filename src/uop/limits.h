// Sizes that are known at the launch only. The extents of a node are plain numbers: the most that
// there can be. An axis may also have a limit, a scalar expression of variables: so many of its
// elements exist, the others hold anything and nobody may tell what. Limits follow from the sources
// as extents do (type_rules.h). LIMIT sets one; whatever lets elements of one index meet those of
// another (reductions, borders, gathers) first fills what does not exist, by delimited(): the
// builders of uop.h do so on their own. For everything below the tensor graph LIMIT is therefore no
// more than another name, and a plan serves all values of its variables.
#pragma once

#include <string>

#include "tg/ir/uop.h"

namespace tg {

/// `x` of whose axis only the first `size` elements exist, 0 ≤ size ≤ extent; all, if `size` is the
/// constant extent. Returns `x` itself if nothing changes.
UOp limited(const UOp& x, int axis, const UOp& size);
/// The whole extent of `axis`, or of all axes: `fill` stands where no element exists.
UOp delimited(const UOp& x, int axis, const Scalar& fill);
UOp delimited(const UOp& x, const Scalar& fill);
UOp delimited(const UOp& x, double fill);
/// `x` with exactly the limits of `like`, an array of equal shape: what must exist and does not is
/// 0.
UOp with_limits_of(const UOp& x, const Node* like);

/// How many elements exist along an axis: the limit, or the extent as a constant.
UOp size_of(const UOp& x, int axis);
/// The value of a scalar of dtype Index, by the values of the BINDs below it. ArgumentError names a
/// variable without value.
int64_t bound_value(const Node* size);
/// The extents, with the values of the limits where there are any.
Shape bound_shape(const Node* n);
/// "[2,n + 1,64]".
std::string format_sizes(const Node* n);

}  // namespace tg

// Reductions that need no loop: sums over a range of which at most one term, or a known number of
// equal terms, is not zero. User code writes gathers as one-hot products and triangles as
// comparisons of iotas; recognised, they cost what they mean. Internal to src/schedule; called on
// every kernel as it is built.
#pragma once

#include "tg/ir/uop.h"

namespace tg {

/// An equal kernel graph in which these have been replaced, as often as they apply (n the extent of
/// r):
/// - unused, where v does not depend on r: Σ_r v → n·v; max_r v → v
/// - one-hot, where e does not depend on r:
///   Σ_r where(r == e & c, f(r), 0) → where(0 ≤ e < n & c(e), f(e), 0)
/// - bounds, where v and c do not depend on r:
///   Σ_r where(lo ≤ r < hi & c, v, 0) → where(c, v·clamp(min(hi, n) − max(lo, 0), 0, n), 0)
///
/// A product with a 0/1 factor cast from a comparison counts as a `where` with 0 outside: x·0 is
/// taken to be 0 for every x. Sums are recognised in float and integer dtypes; comparisons in
/// integer ones whose operands cannot overflow.
UOp recognise_reductions(const UOp& kernel);

}  // namespace tg

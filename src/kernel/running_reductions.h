// Prefixes as running reductions. A kernel says what a scan is as the masked reduction that defines
// it, n² terms for n results:
//
//     out[i] = ⊕_{j<n} (i < j ? identity : f(j))
//
// Where the loop over i runs in order, that is one value that every point of i combines with f(i):
//
//     out[i] = out[i−1] ⊕ f(i)
//
// REDUCE with a second argument says so (running_reduce() in tg/ir/uop.h). Passes before this one
// see the definition, and need no rule for it; what comes behind keeps the order of i. Which scans
// are cut into blocks first is decided in schedule/place_scans.h.
#pragma once

#include "target/target.h"
#include "tg/ir/uop.h"

namespace tg {

/// Whether kernels of the target have loops that run in order, as those of processors do. Others
/// have thousands of work-items to keep busy, and compute every prefix for itself.
inline bool runs_in_order(const Target& target) { return target.max_group_size == 0; }

/// ⊕_{j<n} (i < j ? identity : v): what stands before a place of `i` and at it. `v` depends on `j`,
/// a range as long as `i` is, and not on `i`.
UOp prefix(const UOp& v, ReduceOp op, const UOp& i, const UOp& j);

/// An equal kernel, whose prefixes are running reductions if all go along one range that stores run
/// over, that no reduction closes and whose order decides nothing else. The same kernel if there
/// are none.
UOp running_reductions(const UOp& kernel);

}  // namespace tg

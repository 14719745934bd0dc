// What a target cannot do, in terms of what it can: exp2, log2, sin, threefry, max and fma by other
// ops; bfloat16, half and fp8 arithmetic by float32 that is rounded after each operation. It works
// on the elementwise and memory nodes of ranged and lowered graphs, whatever their lanes; index
// arithmetic, loops and schedules are not its concern (src/codegen, src/rules).
#pragma once

#include <span>
#include <vector>

#include "target/target.h"
#include "tg/ir/uop.h"

namespace tg {

/// The graph of `root` with only ops and arithmetic dtypes of `target`; a node that needs nothing
/// is kept as it is. Values of a dtype without arithmetic become float32 values which that dtype
/// can hold, and lie in memory as before; the root of such a dtype is converted back. Results round
/// as the records' evaluation does, but for sums inside one REDUCE or VREDUCE, which are rounded
/// once. Float16 is cast to and from float32 by CAST, which every target has. Throws InternalError
/// naming op and dtype where nothing helps. One memoised walk, O(nodes).
UOp decompose(const UOp& root, const Target& target);

/// The same for many roots, which share what they share.
std::vector<UOp> decompose(std::span<const UOp> roots, const Target& target);

}  // namespace tg

// Ranges as fine as the accesses of a kernel ask: where an index holds r div c or r mod c, as
// merged heads, pixel shuffles and flattened loops have it, r becomes two loops, and the index a
// plain sum of them, from which strides and axis classes can be read (src/codegen/kernel_facts.h).
// The opposite, loops joined where no access tells them apart: merge_axes.h.
#pragma once

#include "tg/ir/uop.h"

namespace tg {

/// An equal kernel with ranges split so that as many divisions and remainders as possible vanish
/// from its indices and gates. A range is split at c only if the division that asks for it is
/// solved by that, and if c divides its extent; or, if sums are stored along it, where the last
/// round may run on inside all arrays that are read, and is stored up to the extent. Divisors that
/// form no chain leave the access to the smaller array as it is. Returns `kernel` itself if nothing
/// is to be split. O(nodes · ranges).
UOp refine_ranges(const UOp& kernel);

}  // namespace tg

// How a read of a movement op becomes a read of its source: the index maps that make movement free.
// Used by fusion decisions and by the construction of kernels, which both let indices flow from
// outputs to inputs.
#pragma once

#include <span>
#include <vector>

#include "rules/index.h"
#include "tg/ir/uop.h"

namespace tg {

/// One read: an index for each axis, and a condition under which the value is wanted (empty:
/// always).
struct IndexedRead {
  std::vector<UOp> idx;
  UOp gate;
};

/// `read` of the movement op `x` as a read of its source. `inside` becomes the condition under
/// which the source has the element (PAD, SHEAR), else empty; it is part of the result's gate too.
IndexedRead map_read(const Node* x, const IndexedRead& read, IndexSimplifier& simplify,
                     UOp& inside);

/// Whether an index of the read, also where its gate holds, has a quotient or remainder of a sum of
/// some of `ranges` and of others.
bool mixes(const IndexedRead& read, std::span<const Node* const> ranges);

}  // namespace tg

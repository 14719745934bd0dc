// Fewer, longer loops: neighbouring axes that every access walks as one are joined, and so are the
// dimensions of arrays that they go through. A tensor of any rank that is only read and written in
// order ends as one long axis, which is what lanes want.
#pragma once

#include "tg/ir/uop.h"

namespace tg {

/// An equal kernel with axes joined where all accesses allow it; the same one, if loops of its axes
/// were asked for.
UOp merge_axes(const UOp& kernel);

}  // namespace tg

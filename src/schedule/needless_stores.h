// Stores that change nothing: of what the place holds already, and of what the next store of the
// whole array replaces before anybody has read it. Internal to src/schedule.
#pragma once

#include "tg/ir/uop.h"

namespace tg {

/// The graph (a SINK) without them. A version that only such stores made is the one before.
/// O(nodes).
UOp without_needless_stores(const UOp& graph);

}  // namespace tg

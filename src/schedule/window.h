// Views that name memory: chains of movement ops of which every element is an element of the
// storage below, so that assigning to the view writes the storage and assigning to the storage
// shows in the view. A border (PAD) or an overlap (EXPAND, a window of SHEAR) makes a chain name
// values instead, unless what it adds is cut away again, as in a slice with a step.
#pragma once

#include "tg/ir/uop.h"

namespace tg {

/// The storage (BUFFER, PARAM or AFTER) under a chain of movement ops and DETACH none of whose
/// elements is a fill value, else null. O(chain) for chains without PAD and SHEAR.
const Node* storage_below(const Node* view);

/// Are the elements of such a chain different elements of the storage, so that it can be assigned?
bool is_injective(const Node* view);

}  // namespace tg

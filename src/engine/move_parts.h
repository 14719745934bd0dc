// Movement of a value that is split over several devices: as movement of its parts where no element
// changes its device, else with the copies that it takes. See partition.h.
#pragma once

#include "engine/spread.h"

namespace tg {

/// The movement op `n` of `x`, which is what its first source became. Lies along axis_of(n).
Spread moved_parts(const Node* n, const Spread& x);

/// Is the op just itself on each part, so that a chain of such ops names the elements of the
/// storage below it?
bool moves_within_parts(const Node* n, int axis_before, int axis_after);

}  // namespace tg

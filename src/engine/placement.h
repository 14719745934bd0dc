// Where values live that no operand gives a device: constants, counting patterns, and what is
// computed from them alone. A graph may use one of them on several devices; each gets its own.
// Internal to src/engine.
#pragma once

#include <vector>

#include "uop/uop.h"

namespace tg {

/// `roots` with all that stands under a value of a device on that device, so that what the
/// scheduler stores of it is stored where it is read. Roots without a device, and what only they
/// are computed from, stay without: they are the default device's, `otherwise`. The source of a
/// COPY is not the copy's. Returns `roots` themselves where nothing is to be done. O(nodes ·
/// devices).
std::vector<UOp> placed(std::span<const UOp> roots, DeviceId otherwise);

}  // namespace tg

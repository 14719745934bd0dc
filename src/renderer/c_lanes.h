// Ops that make vectors of scalars, move lanes, or make scalars of vectors.
#pragma once

#include <span>

#include "renderer/c_value.h"

namespace tg {

/// RAMP, STACK, SHUFFLE, EXTRACT or VREDUCE `u` of the given values. A one-lane result is a scalar.
CValue c_lanes(CUnit& u, const UOp& op, std::span<const CValue> src);

}  // namespace tg

// Arrays laid end to end. The scheduler turns what is built here into one store a piece. Sizes that
// are expressions, and promotion: src/tensor/join.cpp.
#pragma once

#include <span>

#include "tg/ir/uop.h"

namespace tg {

/// The pieces, at least one, joined along `axis`; equal in everything else, and none with a
/// variable size along it.
UOp joined(std::span<const UOp> pieces, int axis);

}  // namespace tg

// Factors of a product that a matrix unit reads from scratch by itself: how their copies lie there.
// What the layout is: SwizzledRows in src/target/matrix_unit.h; the copies: stage.h; how the unit
// is told where they are: emit_factors.cpp.
#pragma once

#include "codegen/scheduled_kernel.h"

namespace tg {

/// One of the two dimensions of a copy: what is read along it inside of the copy, and its extent.
struct FactorDimension {
  const Affine* inner;
  int64_t extent;
};

/// How the copy of an operand with these dimensions lies, that depends on the leaves `deps`;
/// nothing if no unit reads it by itself. Throws ArgumentError if a unit would, but not a copy like
/// this.
std::optional<FactorRows> factor_rows(const ScheduledKernel& k, LeafSet deps,
                                      std::span<const FactorDimension> dimensions, DType dtype);

}  // namespace tg

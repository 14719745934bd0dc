// Flat, row-major element indices as sums over axes: what strides, contiguity and footprints are
// read from. The sums themselves are src/rules/affine.h.
#pragma once

#include "rules/affine.h"

namespace tg {

/// The affine form of the row-major element index of `idx` in an array of `extents`.
Affine flat_index(std::span<const UOp> idx, std::span<const Dim> extents);
/// Coefficient of `term`, 0 if it does not occur as a term of its own.
int64_t coef_of(const Affine& a, const UOp& term);

}  // namespace tg

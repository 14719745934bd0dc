// Factors of contractions that are widened, though an instruction of a processor takes what they were
// widened from: these stay part of the contraction's kernel, whose copies of them are in the
// instruction's dtype (codegen/contraction_unit.h). What is stored is decided in fusion.cpp.
#pragma once

#include <span>
#include <unordered_set>

#include "target/target.h"
#include "tg/ir/uop.h"

namespace tg {

/// The CASTs among `order`, a graph in order, of which both factors of a sum of products are made by
/// movement alone and whose values a dot instruction or tile registers of the target hold.
///
///     Σ cast(a, float32)·cast(b, float32) of fp8 and int8: both, if there is a unit of bfloat16
///
/// O(nodes · units).
std::unordered_set<const Node*> widened_factors(std::span<const Node* const> order,
                                                const Target& target);

}  // namespace tg

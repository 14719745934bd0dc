// The schedule of a contraction whose products go to tile registers (AMX): the loops around a few
// tiles of sums, and where the copies stand that these read. Which instruction takes the products:
// contraction_unit.h. Contractions of ordinary instructions and of dot instructions:
// heuristics_contraction.cpp.
#pragma once

#include "codegen/contraction_unit.h"

namespace tg {

/// How much of the time of `products` on tile registers would not be spent on copying the factors,
/// 0 to 1: elements that lie across memory are copied one by one. share_of_others() if they take no
/// products like these.
double share_of_products(const UnitProducts& products);

/// What ordinary instructions do in the time of the target's tile registers; 1 if it has none.
double share_of_others(const Target& target);

/// The schedule of `products` by the tile registers of `fit`, from `products.schedule`, which is
/// plain.
KernelSchedule schedule_tile_registers(const UnitProducts& products, const UnitFit& fit);

}  // namespace tg

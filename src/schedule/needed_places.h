// Where the elements of an array matter to a kernel that reads it. What is read and then left out
// by a choice, as the upper triangle of scores is by a causal mask, need not have been computed:
// the kernel that stores it is told (trim_stores.cpp). Internal to src/schedule.
#pragma once

#include <optional>
#include <vector>

#include "tg/ir/uop.h"

namespace tg {

/// Conditions that hold together wherever an element matters: comparisons of its places along the
/// axes, each the variable place(axis).
using PlaceConditions = std::vector<UOp>;
UOp place(size_t axis);

/// By slot: the conditions that hold wherever any load of the array matters; nothing for arrays
/// that are not loaded. Only loads at loops' own indices have some. Linear in the nodes of the
/// kernel.
std::vector<std::optional<PlaceConditions>> needed_places(const UOp& kernel);

/// Those that both have.
PlaceConditions common_conditions(const PlaceConditions& a, const PlaceConditions& b);

}  // namespace tg

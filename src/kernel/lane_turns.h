// When quotients of what lanes count repeat. Sixteen lanes of i div 3 lie elsewhere among their
// neighbours in each of three vectors, and in the fourth as in the first: three vectors that are
// computed together know for each lane which neighbour it takes (codegen/emit_spread.cpp). Fusion,
// scatters and schedules ask here whether that is worth it.
#pragma once

#include <cstdint>

#include "tg/ir/uop.h"

namespace tg {

/// Most vectors that are computed together for the quotients of their lanes.
inline constexpr int64_t kMostLaneTurns = 32;

/// Vectors until what repeats after `period` places of an axis of `extent` (all positive) does so
/// from lane 0 on; all vectors of the axis if it does not before; 0 if these are more than
/// kMostLaneTurns. `lanes`: a power of two, at least 1.
int64_t lane_turns(int64_t period, int64_t extent, int lanes);

/// The least number T of places along `range` after which an index has grown by a constant, for all
/// values of the range: 6 for (i + i div 2) div 9. 0 if there is none that is seen: data, or a
/// divisor that is no constant. O(nodes).
int64_t period_of(const UOp& index, const UOp& range);

}  // namespace tg

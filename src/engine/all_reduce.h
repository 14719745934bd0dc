// One value from one of each device, combined, on every device. Each device gets the same bits,
// whatever their order: sums are added up in the order of the members, or, in a ring, in an order
// that each chunk has for all.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/spread.h"

namespace tg {

enum class AllReduce : uint8_t {
  OneStep,  ///< every device reads all the others: n − 1 times the bytes, a copy each
  Ring,     ///< chunks go round twice: 2 (n − 1) / n times the bytes in 2 (n − 1) steps
};

/// Which takes less time, by the bytes of the value and what a launch and a byte cost on the
/// devices of `group`; the option RING decides without asking (0: never a ring, 2: always).
AllReduce cheaper_all_reduce(DeviceId group, int64_t bytes);

/// `terms.parts` combined; the result lies whole on each member. `terms.axis` says nothing. What
/// travels is rounded to `wire`, if that is another dtype than that of the terms.
Spread all_reduced(const Spread& terms, ReduceOp op, AllReduce way, DType wire);
/// The cheaper way.
Spread all_reduced(const Spread& terms, ReduceOp op, DType wire);

}  // namespace tg

// A value over several devices as one node a device, and how it gets from one way of lying there to
// another: what is not where it is wanted is copied, and nothing else. How values lie: sharding.h;
// who asks: partition.h.
#pragma once

#include <span>
#include <vector>

#include "engine/sharding.h"
#include "tg/ir/uop.h"

namespace tg {

/// The parts of a value, by member of its group: equal pieces along `axis`, or all of it each time.
struct Spread {
  DeviceId group = 0;
  int axis = kWhole;
  std::vector<UOp> parts;
};

/// Piece `k` of `count` equal ones along `axis`; `x` itself for kWhole.
UOp piece_of(const UOp& x, int axis, size_t k, size_t count);

/// `x`, which lives nowhere or on one device, on all of a group.
Spread spread(const UOp& x, DeviceId group, int axis);
/// The same values on `group` along `axis`: each member takes the pieces that it lacks from those
/// that have them.
Spread moved_to(const Spread& x, DeviceId group, int axis);
/// The whole value on one device.
UOp collected(const Spread& x, DeviceId device);

/// Elements [begin, begin + length) along the axis of the parts on `device`; `fill` where that is
/// outside.
UOp window_of(const Spread& x, Dim begin, Dim length, const Scalar& fill, DeviceId device);

}  // namespace tg

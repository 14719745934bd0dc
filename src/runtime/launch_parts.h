// A captured sequence in parts, for devices that run a range of commands at once and can let a
// command wait for the one before it: a part is as much as needs no barrier of the queue.
#pragma once

#include <vector>

#include "runtime/device.h"

namespace tg {

/// Calls `first` to `first + count` of a sequence.
struct LaunchPart {
  size_t first = 0, count = 0;
};

/// Launches of one call in a row are a part, each behind the one before; the calls of a launch of
/// several are a part of their own, and wait for nothing within it. Each part runs after the one
/// before.
struct LaunchParts {
  explicit LaunchParts(const CallSequence& sequence);
  std::vector<LaunchPart> parts;
  std::vector<bool> waits;  ///< by call: for the one before it in its part
};

}  // namespace tg

// What a process holds: nodes of graphs and memory of devices. The listener in live_check.cpp,
// which every test executable is linked with, compares it before and after each test; this header
// is for tests of the listener itself.
#pragma once

#include <cstdint>
#include <string>

namespace tg::test {

struct LiveCounts {
  int64_t nodes = 0;         ///< in the interner
  int64_t node_bytes = 0;    ///< of these nodes
  int64_t device_bytes = 0;  ///< handed out by the allocators of all opened devices
};

/// Counts after the engine's caches have been emptied. What the executable does not link is zero.
LiveCounts live_counts();

/// "3 live nodes more, 240 bytes of nodes more"; empty if the counts are equal.
/// Fewer than before is a difference too: somebody freed what was not theirs.
std::string live_difference(const LiveCounts& before, const LiveCounts& after);

}  // namespace tg::test

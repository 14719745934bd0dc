// How much memory all devices together have handed out. Allocators report here; the limits and the
// caches of one device are in its own allocator.
#pragma once

#include <cstdint>

namespace tg {

struct MemoryUse {
  int64_t in_use = 0;  ///< bytes
  int64_t peak = 0;    ///< most at once since the start or the last reset_memory_peak()
};

/// Adds to what is in use; negative when memory comes back. Thread-safe.
void count_memory(int64_t bytes);
MemoryUse memory_use();
/// The peak starts from what is in use now.
void reset_memory_peak();

}  // namespace tg

// What the process has run so far: launches, arithmetic, traffic, time, memory. For programs that
// monitor themselves; DEBUG=1 prints the same.
#pragma once

#include <cstdint>
#include <string_view>

#include "tg/export.h"

namespace tg {

/// Totals over all devices and threads, since the start of the process or the last reset().
struct GlobalCounters {
  int64_t kernels = 0;   ///< run, and copies between devices
  int64_t launches = 0;  ///< of these kernels: small ones that are independent share one
  int64_t ops = 0;       ///< floating-point operations of these kernels, by their graphs
  int64_t bytes = 0;     ///< memory that they read and wrote, each element once
  double seconds = 0;  ///< of kernels, by their device's clock; measured only with DEBUG of 2 or
                       ///< more, or with PROFILE
  int64_t memory_in_use = 0;  ///< bytes handed out by devices now; not changed by reset()
  int64_t peak_memory = 0;    ///< most of that at once

  /// The totals now. Thread-safe; each number is consistent by itself.
  TG_API static GlobalCounters read();
  /// The part of `kernels` that ran on `device`, named as in Tensor::device(); a copy between
  /// devices counts for its target. Tells whether everything ran where it should. Thread-safe.
  TG_API static int64_t kernels_on(std::string_view device);
  /// Resets all totals to 0, and the peak to the memory in use. Thread-safe.
  TG_API static void reset();
};

}  // namespace tg

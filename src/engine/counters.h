// What the engine has run: totals for tests, statistics and DEBUG=1.
#pragma once

#include <cstdint>
#include <string_view>

namespace tg {

/// Totals of this process since the start or the last reset_counters().
struct EngineCounters {
  int64_t kernels = 0;    ///< run, and copies between devices
  int64_t launches = 0;   ///< of these kernels; the members of a batch are one launch
  int64_t flops = 0;      ///< floating-point operations, by the kernel graphs
  int64_t bytes = 0;      ///< compulsory memory traffic
  int64_t compiled = 0;   ///< kernels handed to a compiler
  int64_t scheduled = 0;  ///< graphs scheduled (schedule cache misses)
  int64_t version_copies =
      0;  ///< old versions that these schedules copy because a store replaces them too early
  double kernel_seconds = 0;  ///< time of kernels (Device::timed); measured when DEBUG ≥ 2
};

EngineCounters counters();
/// Those of EngineCounters::kernels that ran on the device of this name.
int64_t kernels_on(std::string_view device);
void reset_counters();

}  // namespace tg

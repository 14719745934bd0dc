// The public view of the engine's totals and of the memory of all devices.
#include "engine/counters.h"
#include "runtime/memory_use.h"
#include "tg/counters.h"

namespace tg {

GlobalCounters GlobalCounters::read() {
  const EngineCounters engine = counters();
  const MemoryUse memory = memory_use();
  return {.kernels = engine.kernels,
          .launches = engine.launches,
          .ops = engine.flops,
          .bytes = engine.bytes,
          .seconds = engine.kernel_seconds,
          .memory_in_use = memory.in_use,
          .peak_memory = memory.peak};
}

int64_t GlobalCounters::kernels_on(std::string_view device) { return tg::kernels_on(device); }

void GlobalCounters::reset() {
  reset_counters();
  reset_memory_peak();
}

}  // namespace tg

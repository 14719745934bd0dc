// One set of totals under one lock, which each run takes once.
#include "engine/counters.h"

#include <mutex>

#include "engine/state.h"

namespace tg {
namespace {

struct Totals {
  std::mutex lock;
  EngineCounters values;
};

Totals& totals() {
  static auto* t = new Totals;
  return *t;
}

}  // namespace

EngineCounters counters() {
  std::lock_guard guard(totals().lock);
  return totals().values;
}

void reset_counters() {
  std::lock_guard guard(totals().lock);
  totals().values = {};
}

void count_compiled(int64_t kernels) {
  std::lock_guard guard(totals().lock);
  totals().values.compiled += kernels;
}

void count_scheduled(int64_t version_copies) {
  std::lock_guard guard(totals().lock);
  ++totals().values.scheduled;
  totals().values.version_copies += version_copies;
}

void count_launches(int64_t launches, int64_t kernels, double flops, double bytes) {
  std::lock_guard guard(totals().lock);
  EngineCounters& c = totals().values;
  c.launches += launches;
  c.kernels += kernels;
  c.flops += static_cast<int64_t>(flops);
  c.bytes += static_cast<int64_t>(bytes);
}

void count_seconds(double seconds) {
  std::lock_guard guard(totals().lock);
  totals().values.kernel_seconds += seconds;
}

}  // namespace tg

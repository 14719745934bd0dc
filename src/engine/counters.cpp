// One set of totals under one lock: a launch costs far more than taking it.
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

void count_scheduled() {
  std::lock_guard guard(totals().lock);
  ++totals().values.scheduled;
}

void count_launch(double flops, double bytes, double seconds) {
  std::lock_guard guard(totals().lock);
  EngineCounters& c = totals().values;
  ++c.kernels;
  c.flops += static_cast<int64_t>(flops);
  c.bytes += static_cast<int64_t>(bytes);
  c.kernel_seconds += seconds;
}

}  // namespace tg

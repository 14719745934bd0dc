// Two atomic numbers: a launch may allocate on every thread, so there is no lock here.
#include "runtime/memory_use.h"

#include <atomic>

namespace tg {
namespace {

std::atomic<int64_t> in_use{0};
std::atomic<int64_t> peak{0};

}  // namespace

void count_memory(int64_t bytes) {
  const int64_t now = in_use.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  int64_t most = peak.load(std::memory_order_relaxed);
  while (now > most && !peak.compare_exchange_weak(most, now, std::memory_order_relaxed)) {
  }
}

MemoryUse memory_use() {
  return {in_use.load(std::memory_order_relaxed), peak.load(std::memory_order_relaxed)};
}

void reset_memory_peak() {
  peak.store(in_use.load(std::memory_order_relaxed), std::memory_order_relaxed);
}

}  // namespace tg

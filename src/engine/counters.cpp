// One set of totals under one lock, which each run takes once.
#include "engine/counters.h"

#include <map>
#include <mutex>
#include <string>

#include "engine/state.h"

namespace tg {
namespace {

struct Totals {
  std::mutex lock;
  EngineCounters values;
  std::map<std::string, int64_t, std::less<>> kernels;  // by device
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
  totals().kernels.clear();
}

int64_t kernels_on(std::string_view device) {
  std::lock_guard guard(totals().lock);
  const auto found = totals().kernels.find(device);
  return found == totals().kernels.end() ? 0 : found->second;
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

void KernelsByDevice::submit() const {
  for (const Entry& e : entries) e.device->submit();
}

void KernelsByDevice::add(Device& device, int64_t kernels) {
  for (Entry& e : entries) {
    if (e.device != &device) continue;
    e.kernels += kernels;
    return;
  }
  entries.push_back({&device, kernels});
}

void count_launches(int64_t launches, const KernelsByDevice& kernels, double flops, double bytes) {
  std::lock_guard guard(totals().lock);
  EngineCounters& c = totals().values;
  c.launches += launches;
  for (const auto& [device, n] : kernels.entries) {
    c.kernels += n;
    const std::string& name = device->name();
    const auto known = totals().kernels.find(name);
    (known == totals().kernels.end() ? totals().kernels[name] : known->second) += n;
  }
  c.flops += static_cast<int64_t>(flops);
  c.bytes += static_cast<int64_t>(bytes);
}

void count_seconds(double seconds) {
  std::lock_guard guard(totals().lock);
  totals().values.kernel_seconds += seconds;
}

}  // namespace tg

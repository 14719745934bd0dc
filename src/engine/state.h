// Counting, shared by the parts of the engine. Internal; readers use counters.h.
#pragma once

#include <vector>

#include "engine/counters.h"
#include "runtime/device.h"

namespace tg {

void count_compiled(int64_t kernels);
void count_scheduled(int64_t version_copies);
/// How many kernels run on each device, in the order of first use.
struct KernelsByDevice {
  struct Entry {
    Device* device;
    int64_t kernels;
  };
  std::vector<Entry> entries;

  void add(Device& device, int64_t kernels);
  /// Tells the devices that nothing more comes soon.
  void submit() const;
};
/// Adds what one run or replay launched.
void count_launches(int64_t launches, const KernelsByDevice& kernels, double flops, double bytes);
void count_seconds(double seconds);

}  // namespace tg

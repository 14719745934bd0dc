// See launch.h.
#include "engine/launch.h"

#include <algorithm>
#include <chrono>

#include "engine/state.h"
#include "support/log.h"
#include "support/profile.h"
#include "support/text.h"

namespace tg {

void launch_and_report(Device& device, const ReadyKernel& kernel, std::span<void* const> pointers,
                       std::span<const int64_t> values) {
  using Clock = std::chrono::steady_clock;
  ProfileSpan span("run", kernel.name);
  span.note("flops", kernel.flops);
  span.note("bytes", kernel.bytes);
  const auto begin = Clock::now();
  kernel.program->launch(pointers, values);
  device.synchronize();
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  count_seconds(seconds);
  if (!debug_at(2)) return;
  const auto in_use = static_cast<uint64_t>(device.allocator().bytes_in_use());
  log_text(fmt::format("{:>6} {:<44} {:>10.1f} us {:>8.1f} GFLOP/s {:>7.1f} GB/s  mem {}",
                       device.name(), kernel.name, seconds * 1e6, kernel.flops / seconds * 1e-9,
                       kernel.bytes / seconds * 1e-9, human_bytes(in_use)));
}

void copy_between(Device& to_device, Allocation to, Device& from_device, Allocation from) {
  const int64_t n = std::min(to.bytes, from.bytes);
  std::vector<std::byte> bytes(static_cast<size_t>(n));
  from_device.synchronize();
  from_device.allocator().copy_out(bytes.data(), from, n);
  to_device.allocator().copy_in(to, bytes.data(), n);
}

}  // namespace tg

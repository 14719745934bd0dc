// See launch.h.
#include "engine/launch.h"

#include <algorithm>

#include "engine/state.h"
#include "support/log.h"
#include "support/profile.h"
#include "support/text.h"

namespace tg {
namespace {

constexpr int64_t kCopyPiece = int64_t{16} << 20;
constexpr double kLeastSeconds = 1e-9;  // what no clock resolves; rates stay numbers

// `place`: which of a batch it is; empty for a launch of its own.
void report_one(Device& device, const Call& call, const ReadyKernel& kernel,
                const std::string& place) {
  ProfileSpan span("run", kernel.name);
  span.note("flops", kernel.flops);
  span.note("bytes", kernel.bytes);
  const double seconds = std::max(device.timed(call), kLeastSeconds);
  span.took(seconds);
  count_seconds(seconds);
  if (!debug_at(2)) return;
  const auto in_use = static_cast<uint64_t>(device.allocator().bytes_in_use());
  log_text(fmt::format("{:>6} {:<44} {:>10.1f} us {:>8.1f} GFLOP/s {:>7.1f} GB/s  mem {}{}",
                       device.name(), kernel.name, seconds * 1e6, kernel.flops / seconds * 1e-9,
                       kernel.bytes / seconds * 1e-9, human_bytes(in_use), place));
}

}  // namespace

void launch(Device& device, std::span<const Call> calls) {
  if (calls.size() == 1) return calls[0].program->launch(calls[0].buffers, calls[0].vars);
  device.launch(calls);
}

void launch_and_report(Device& device, std::span<const Call> calls,
                       std::span<const ReadyKernelRef> kernels) {
  for (size_t i = 0; i < calls.size(); ++i) {
    const bool alone = calls.size() == 1;
    report_one(device, calls[i], *kernels[i],
               alone ? std::string() : fmt::format("  batch {}/{}", i + 1, calls.size()));
  }
}

void copy_between(Device& to_device, Allocation to, Device& from_device, Allocation from) {
  const int64_t n = std::min(to.bytes, from.bytes);
  Allocator &target = to_device.allocator(), &source = from_device.allocator();
  from_device.synchronize();
  to_device.synchronize();
  if (source.host_visible()) return target.copy_in(to, from.data, n);
  if (target.host_visible()) return source.copy_out(to.data, from, n);
  std::vector<std::byte> piece(static_cast<size_t>(std::min(n, kCopyPiece)));
  for (int64_t done = 0; done < n; done += kCopyPiece) {
    const int64_t bytes = std::min(n - done, kCopyPiece);
    const auto part = [&](Allocation a) {
      return Allocation{static_cast<std::byte*>(a.data) + done, bytes};
    };
    source.copy_out(piece.data(), part(from), bytes);
    target.copy_in(part(to), piece.data(), bytes);
  }
}

}  // namespace tg

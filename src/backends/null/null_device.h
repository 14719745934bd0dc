// The dry run: a device that allocates, compiles nothing and launches nothing. It shows what a
// program would do (kernels, memory, time of everything but the kernels), and lets huge graphs be
// scheduled: memory that is never written is never there.
#pragma once

#include <atomic>

#include "runtime/host_allocator.h"

namespace tg::null {

class NullDevice final : public Device {
 public:
  /// As many as programs name, which share nothing.
  explicit NullDevice(int index = 0);
  const std::string& name() const override { return name_; }
  const Target& target() const override { return target_; }
  Allocator& allocator() override { return allocator_; }
  std::vector<CompiledKernel> compile(std::span<const LinearKernel> kernels) override;
  /// A batch counts as one launch.
  void launch(std::span<const Call> calls) override;

  /// Launches asked for since the device was opened.
  int64_t launches() const { return launches_.load(std::memory_order_relaxed); }

 private:
  const std::string name_;
  Target target_;
  HostAllocator allocator_{name_};
  std::atomic<int64_t> launches_{0};
};

}  // namespace tg::null

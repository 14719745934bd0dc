// A Metal device: kernels become Metal source, which the system compiles; launches go to one queue
// that runs them in order.
#pragma once

#include <memory>
#include <string>

#include "backends/metal/platform.h"
#include "backends/metal/program.h"

namespace tg::metal {

class MetalDevice final : public Device {
 public:
  /// The device of number `index`. Throws DeviceError if it gives no command queue.
  MetalDevice(const Objc& objc, DeviceInfo info, int index);

  const std::string& name() const override { return name_; }
  const Target& target() const override { return target_; }
  Allocator& allocator() override { return allocator_; }
  /// Side by side. Throws what the first kernel that fails throws. Thread-safe.
  std::vector<CompiledKernel> compile(std::span<const LinearKernel> kernels) override;
  /// Side by side on the device.
  void launch(std::span<const Call> calls) override;
  /// As recorded commands, where the system records them.
  std::unique_ptr<Replay> prepare(const CallSequence& sequence) override;
  void submit() override { queue_.submit(); }
  void synchronize() override { queue_.wait(); }
  double timed(const Call& call) override {
    return queue_.timed([&] { call.program->launch(call.buffers, call.vars); });
  }
  std::string compiler() const override;
  int64_t memory_bytes() const override { return info_.facts.memory_bytes; }

 private:
  const std::string name_;
  const DeviceInfo info_;
  const Target target_;
  Queue queue_;
  BufferAllocator allocator_;
  const Session session_;
};

/// Opens device `index` of `objc`, which may be nullptr. Throws DeviceError if it is not there.
std::unique_ptr<Device> open_device(const Objc* objc, int index);

}  // namespace tg::metal

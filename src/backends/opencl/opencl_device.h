// An OpenCL device: kernels become OpenCL C, which the driver compiles; launches go to one queue
// that runs them in order.
#pragma once

#include <memory>
#include <string>

#include "backends/opencl/program.h"

namespace tg::opencl {

class OpenClDevice final : public Device {
 public:
  /// Throws DeviceError if the driver refuses a context or a queue.
  OpenClDevice(const Api& api, DeviceInfo info, const Choice& choice);
  ~OpenClDevice() override;
  OpenClDevice(const OpenClDevice&) = delete;
  OpenClDevice& operator=(const OpenClDevice&) = delete;

  const std::string& name() const override { return name_; }
  const Target& target() const override { return target_; }
  Allocator& allocator() override { return *allocator_; }
  /// Side by side; what was compiled before, by any process, comes from the disk cache. Throws what
  /// the first kernel that fails throws. Thread-safe.
  std::vector<CompiledKernel> compile(std::span<const LinearKernel> kernels) override;
  void synchronize() override;
  double timed(const Call& call) override;
  std::string compiler() const override { return info_.identity; }
  int64_t memory_bytes() const override { return info_.memory_bytes; }

 private:
  CompiledKernel build(const LinearKernel& kernel) const;

  const std::string name_;
  const Api& api_;
  const DeviceInfo info_;
  const Target target_;
  Context* context_ = nullptr;
  CommandQueue* queue_ = nullptr;
  std::unique_ptr<BufferAllocator> allocator_;
  std::unique_ptr<const Session> session_;
  std::unique_ptr<const Builder> builder_;
};

}  // namespace tg::opencl

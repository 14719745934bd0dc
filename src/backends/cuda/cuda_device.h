// An NVIDIA graphics processor as a device: kernels become CUDA C, which NVRTC compiles, or PTX;
// the driver runs them; launches go to one stream that runs them in order.
#pragma once

#include <memory>
#include <string>

#include "backends/cuda/program.h"
#include "backends/nvidia/choice.h"
#include "backends/nvidia/nvrtc.h"

namespace tg::cuda {

class CudaDevice final : public Device {
 public:
  /// Without `nvrtc` kernels are written in PTX, and the driver assembles them. Throws DeviceError
  /// if the device is not there, or the driver cannot run what the compiler makes. `driver` and
  /// `nvrtc` must live longer.
  CudaDevice(const Driver& driver, const nvidia::Nvrtc* nvrtc, const nvidia::Choice& choice);

  const std::string& name() const override { return name_; }
  const Target& target() const override { return target_; }
  Allocator& allocator() override { return memory_; }
  /// Side by side; what was compiled before, by any process, comes from the disk cache. Throws what
  /// the first kernel that fails throws. Thread-safe.
  std::vector<CompiledKernel> compile(std::span<const LinearKernel> kernels) override;
  /// As one graph of the driver; a driver that makes none gets the launches one by one.
  std::unique_ptr<Replay> prepare(const CallSequence& sequence) override;
  void synchronize() override { session_.synchronize(); }
  double timed(const Call& call) override;
  std::string compiler() const override;
  int64_t memory_bytes() const override { return facts_.memory_bytes; }

 private:
  const std::string name_;
  const nvidia::CudaFacts facts_;
  const nvidia::Builder builder_;
  const Target target_;
  const Session session_;
  DeviceMemory memory_;
  const Workplace place_;
};

/// Why this machine cannot run anything on CUDA, as a sentence that says what to do; or empty.
std::string missing_device_advice();

}  // namespace tg::cuda

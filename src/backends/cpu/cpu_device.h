// The CPU device: kernels become C, C becomes a shared object, launches run on the thread pool.
#pragma once

#include <map>
#include <mutex>
#include <string>

#include "backends/cpu/compiler.h"
#include "runtime/host_allocator.h"
#include "support/hash.h"

namespace tg::cpu {

class CpuDevice final : public Device {
 public:
  /// Throws DeviceError with advice if there is no C compiler.
  CpuDevice();
  const std::string& name() const override { return name_; }
  const Target& target() const override { return target_; }
  Allocator& allocator() override { return allocator_; }
  /// Kernels that were compiled before come from memory; the rest share as few invocations of the
  /// compiler as keep all threads busy. Thread-safe.
  std::vector<CompiledKernel> compile(std::span<const LinearKernel> kernels) override;

 private:
  struct Pending {
    const LinearKernel* kernel;
    std::string source;
    Hash128 key;
    Ref<Program> program;
  };
  void build(std::span<Pending> batch) const;
  void build_each(std::span<Pending> batch) const;

  const std::string name_ = "CPU";
  const Target target_;
  const Compiler compiler_;
  HostAllocator allocator_{"CPU"};
  std::mutex lock_;
  std::map<Hash128, Ref<Program>> programs_;  // by source, whose comments tell the work
};

}  // namespace tg::cpu

// The CPU device: kernels become LLVM IR or C, that becomes machine code, launches run on the
// thread pool.
#pragma once

#include <memory>
#include <string>

#include "backends/cpu/kernel_compiler.h"
#include "backends/cpu/program.h"
#include "backends/cpu/settings.h"
#include "runtime/host_allocator.h"
#include "support/hash.h"
#include "support/single_flight.h"

namespace tg::cpu {

class CpuDevice final : public Device {
 public:
  /// `name` is what the registry knows it by. Throws DeviceError with advice if the compiler that
  /// `settings` want is not found.
  explicit CpuDevice(const Settings& settings = settings_of_options(), std::string name = "CPU");
  const std::string& name() const override { return name_; }
  const Target& target() const override { return target_; }
  Allocator& allocator() override { return allocator_; }
  /// Kernels that were compiled before come from memory; the rest are compiled side by side, a
  /// module each, or in as few runs of the C compiler as keep all threads busy. Two threads that
  /// want the same kernel compile it once. A kernel that fails leaves the others usable.
  /// Thread-safe.
  std::vector<CompiledKernel> compile(std::span<const LinearKernel> kernels) override;
  /// One loop over the chunks of all calls: threads are woken once, and none waits between kernels.
  void launch(std::span<const Call> calls) override { launch_together(calls); }
  int64_t memory_bytes() const override { return host_memory_bytes(); }
  std::string compiler() const override { return compiler_->description(); }

 private:
  struct KeyHash {
    size_t operator()(const Hash128& key) const { return key.low; }
  };
  using Programs = SingleFlight<Hash128, Ref<Program>, KeyHash>;
  struct Pending {
    const LinearKernel* kernel;
    const std::string* source;
    Programs::Ticket ticket;
  };
  CodeRef load(std::span<const Pending> batch) const;
  void build(std::span<const Pending> batch);
  void build_each(std::span<const Pending> batch);
  void build_all(std::span<const Pending> pending);

  const std::string name_;
  const Target target_;
  const std::unique_ptr<const KernelCompiler> compiler_;
  HostAllocator allocator_{name_};
  Programs programs_;  // by source, whose comments tell the work
};

}  // namespace tg::cpu

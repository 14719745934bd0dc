// C source → loaded shared object, through the C compiler or the disk cache. Which kernels share a
// source, and the cache of loaded kernels, are the device's business (cpu_device.h).
#pragma once

#include "backends/cpu/kernel_compiler.h"
#include "backends/cpu/toolchain.h"
#include "runtime/disk_cache.h"

namespace tg::cpu {

class Compiler final : public KernelCompiler {
 public:
  explicit Compiler(Toolchain toolchain) : toolchain_(std::move(toolchain)) {}

  std::string render(std::span<const LinearKernel> kernels) const override;
  /// Uses and fills the cache on disk: an entry is checked before use and rebuilt if it is
  /// damaged; without a cache folder nothing is kept.
  CodeRef load(const std::string& source, const std::string& what) const override;
  /// Starting a compiler costs about as much as five kernels.
  int64_t kernels_per_call() const override { return 6; }
  std::string description() const override { return toolchain_.command[0]; }

 private:
  std::string build(const std::string& source, const std::string& what) const;

  Toolchain toolchain_;
  DiskCache cache_{kKernelCache};
};

}  // namespace tg::cpu

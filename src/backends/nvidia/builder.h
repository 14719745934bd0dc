// Writes kernels for one architecture, in CUDA C or PTX, and compiles CUDA C through the disk
// cache. The compiler itself: nvrtc.h. Loading what it makes is the device's business.
#pragma once

#include <string>

#include "backends/nvidia/facts.h"
#include "backends/nvidia/nvrtc.h"
#include "runtime/kernel_cache.h"

namespace tg::nvidia {

/// Thread-safe.
class Builder {
 public:
  /// For a processor of compute capability `capability`, as arch_for() has it. Without `nvrtc`,
  /// which must live longer, kernels are written in PTX, which a driver assembles when it loads
  /// them.
  Builder(const Nvrtc* nvrtc, int capability);
  bool writes_ptx() const { return nvrtc_ == nullptr; }
  std::string render(const LinearKernel& kernel, const CudaMachine& machine) const {
    return render_kernel(kernel, machine, arch_, writes_ptx());
  }
  /// Code that a driver loads. Throws what Nvrtc::compile throws.
  std::string build(const std::string& source, const std::string& what) const;
  /// Forgets what was kept for `source`: it does not load.
  std::string rebuild(const std::string& source, const std::string& what) const;
  const std::string& arch() const { return arch_; }
  /// Which NVRTC it is, for people; there must be one.
  std::string compiler() const { return nvrtc_->description(); }

 private:
  const Nvrtc* const nvrtc_;
  const std::string arch_;
  const KernelCache cache_;
};

}  // namespace tg::nvidia

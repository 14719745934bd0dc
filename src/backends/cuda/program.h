// CUDA C or PTX → a loaded kernel, through the disk cache, and the launch of it.
#pragma once

#include <string>
#include <vector>

#include "backends/cuda/facts.h"
#include "backends/cuda/memory.h"
#include "backends/cuda/nvrtc.h"
#include "renderer/render.h"
#include "runtime/disk_cache.h"
#include "runtime/launch_shape.h"

namespace tg::cuda {

/// Writes kernels, and compiles them for one architecture through the disk cache. Thread-safe.
class Builder {
 public:
  /// Without `nvrtc` kernels are written in PTX, which the driver assembles when it loads them.
  Builder(const Nvrtc* nvrtc, std::string arch) : nvrtc_(nvrtc), arch_(std::move(arch)) {}
  bool writes_ptx() const { return nvrtc_ == nullptr; }
  std::string render(const LinearKernel& kernel, const CudaMachine& machine) const {
    return render_kernel(kernel, machine, arch_, writes_ptx());
  }
  /// Code that a driver loads. Throws what Nvrtc::compile throws.
  std::string build(const std::string& source, const std::string& what) const;
  /// Forgets what was kept for `source`: it does not load.
  std::string rebuild(const std::string& source, const std::string& what) const;
  const std::string& arch() const { return arch_; }

 private:
  std::string key(const std::string& source) const;

  const Nvrtc* const nvrtc_;
  const std::string arch_;
  const DiskCache cache_{kKernelCache};
};

/// What a device's programs share.
struct Workplace {
  const Session& session;
  DeviceMemory& memory;
  const Builder& builder;
  const Target& target;
  CudaMachine machine;

  /// Calls `queue`; if the device has no memory for it, once more without the memory that is kept.
  /// Throws what Session::check throws, of what what() says, if it fails.
  void retry(FunctionRef<Status()> queue, FunctionRef<std::string()> what) const;
};

/// What a launch passes to its kernel, each of eight bytes: addresses, variables, and the number of
/// chunks; with the pointers to them that the driver takes.
class Arguments {
 public:
  Arguments(std::span<void* const> buffers, std::span<const int64_t> vars, int64_t chunks);
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;
  int64_t chunks() const { return static_cast<int64_t>(values_.back()); }
  void** pointers() { return pointers_.data(); }

 private:
  std::vector<uint64_t> values_;
  std::vector<void*> pointers_;
};

class CudaProgram final : public Program {
 public:
  /// Builds and loads what the builder wrote.
  CudaProgram(const Workplace& place, const LinearKernel& kernel, const std::string& source);
  ~CudaProgram() override;
  CudaProgram(const CudaProgram&) = delete;
  CudaProgram& operator=(const CudaProgram&) = delete;

  /// Queued, not waited for. Thread-safe.
  void launch(std::span<void* const> buffers, std::span<const int64_t> vars) override;
  /// The arguments of `call`, which is one of this program. InternalError if they are not as many
  /// as it takes.
  Arguments arguments(const Call& call) const;
  /// The launch with `arguments`, which it points to. A launch of no chunks does nothing.
  KernelLaunch launch_of(Arguments& arguments) const;
  const std::string& name() const { return shape_.name(); }

 private:
  void load(const std::string& source);
  void assemble(const std::string& source);

  const Workplace& place_;
  const LaunchShape shape_;
  const uint32_t shared_bytes_;  // that the launch asks for
  Module* module_ = nullptr;
  Function* function_ = nullptr;
};

}  // namespace tg::cuda

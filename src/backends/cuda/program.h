// CUDA C → a loaded kernel, through the disk cache, and the launch of it.
#pragma once

#include <string>

#include "backends/cuda/memory.h"
#include "backends/cuda/nvrtc.h"
#include "renderer/render.h"
#include "runtime/disk_cache.h"
#include "runtime/launch_shape.h"

namespace tg::cuda {

/// Compiles for one architecture, through the disk cache. Thread-safe.
class Builder {
 public:
  Builder(const Nvrtc& nvrtc, std::string arch) : nvrtc_(nvrtc), arch_(std::move(arch)) {}
  /// Code that a driver loads. Throws what Nvrtc::compile throws.
  std::string build(const std::string& source, const std::string& what) const;
  /// Forgets what was kept for `source`: it does not load.
  std::string rebuild(const std::string& source, const std::string& what) const;
  const std::string& arch() const { return arch_; }

 private:
  std::string key(const std::string& source) const;

  const Nvrtc& nvrtc_;
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
};

class CudaProgram final : public Program {
 public:
  /// Builds and loads render_cuda(kernel).
  CudaProgram(const Workplace& place, const LinearKernel& kernel, const std::string& source);
  ~CudaProgram() override;
  CudaProgram(const CudaProgram&) = delete;
  CudaProgram& operator=(const CudaProgram&) = delete;

  /// Queued, not waited for. Thread-safe.
  void launch(std::span<void* const> buffers, std::span<const int64_t> vars) override;

 private:
  void load(const std::string& source);
  void enqueue(uint32_t groups, void** arguments);

  const Workplace& place_;
  const LaunchShape shape_;
  const uint32_t shared_bytes_;  // that the launch asks for
  Module* module_ = nullptr;
  Function* function_ = nullptr;
};

}  // namespace tg::cuda

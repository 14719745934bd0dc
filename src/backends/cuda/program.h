// A text that was written for a device → a loaded kernel, and the launch of it. Who writes and
// compiles texts: nvidia/builder.h.
#pragma once

#include <string>

#include "backends/cuda/memory.h"
#include "backends/nvidia/builder.h"
#include "runtime/argument_words.h"
#include "runtime/launch_shape.h"

namespace tg::cuda {

/// What a device's programs share.
struct Workplace {
  const Session& session;
  DeviceMemory& memory;
  const nvidia::Builder& builder;
  const Target& target;
  CudaMachine machine;

  /// Calls `queue`; if the device has no memory for it, once more without the memory that is kept.
  /// Throws what Session::check throws, of what what() says, if it fails.
  void retry(FunctionRef<Status()> queue, FunctionRef<std::string()> what) const;
};

/// A launch, with the arguments that it points to.
struct BoundLaunch {
  ArgumentWords arguments;
  KernelLaunch launch;
};

class CudaProgram final : public Program {
 public:
  /// Builds and loads what the builder wrote.
  CudaProgram(const Workplace& place, const LinearKernel& kernel, const std::string& source);

  /// Queued, not waited for. Thread-safe.
  void launch(std::span<void* const> buffers, std::span<const int64_t> vars) override;
  /// The launch of `call`, which is one of this program; of no chunks it does nothing.
  /// InternalError if the arguments are not as many as it takes.
  BoundLaunch bind(const Call& call) const;
  const std::string& name() const { return shape_.name(); }

 private:
  Module* load(const std::string& source) const;
  Module* assemble(const std::string& source) const;

  const Workplace& place_;
  const LaunchShape shape_;
  const uint32_t shared_bytes_;  // that the launch asks for
  const Session::Owned<Module, &Driver::ModuleUnload> module_;
  Function* function_ = nullptr;
};

}  // namespace tg::cuda

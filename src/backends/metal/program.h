// Metal source → a pipeline, which is a compiled kernel, and the launch of it.
#pragma once

#include <string>
#include <vector>

#include "backends/metal/allocator.h"
#include "runtime/device.h"
#include "runtime/launch_shape.h"

namespace tg::metal {

/// What a device's programs share.
struct Session {
  const Objc& objc;
  Object* device;
  const std::string& device_name;
  Queue& queue;
  BufferAllocator& allocator;
};

/// Compiles `source`, a text of render_metal, whose function is called `name`. Throws DeviceError
/// with the compiler's reason and the path of the kept source. Thread-safe. The system keeps what
/// it compiled, by source.
Owned compile_pipeline(const Session& session, const std::string& source, const std::string& name);

class MetalProgram final : public Program {
 public:
  /// `pipeline`: compiled of render_metal(kernel). Throws DeviceError if it cannot run groups of
  /// that many work-items.
  MetalProgram(const Session& session, Owned pipeline, const LinearKernel& kernel,
               const Target& target);

  /// Queued, not waited for. Thread-safe.
  void launch(std::span<void* const> buffers, std::span<const int64_t> vars) override;
  /// What launch() queues if there is something to do; else one group that finds nothing. Lives as
  /// long as this.
  Dispatch dispatch(std::span<void* const> buffers, std::span<const int64_t> vars) const;

 private:
  const Session& session_;
  const Owned pipeline_;
  const LaunchShape shape_;
};

}  // namespace tg::metal

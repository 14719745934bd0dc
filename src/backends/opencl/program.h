// OpenCL C → a built program and its one kernel, and the launch of it.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "backends/opencl/allocator.h"
#include "runtime/handle_launch.h"
#include "runtime/kernel_cache.h"

namespace tg::opencl {

/// What a device's programs share.
struct Session {
  const Api& api;
  const DeviceInfo& device;
  Context* context;
  CommandQueue* queue;
  BufferAllocator& allocator;
  const OpenClMachine machine;
};

/// Builds programs, through the disk cache. Thread-safe.
class Builder {
 public:
  explicit Builder(const Session& session)
      : session_(session),
        options_(build_options(session.device)),
        cache_(session.device.identity + "\n" + options_) {}
  /// A built program. Throws DeviceError with the compiler's reason and the path of the kept
  /// source. `what` names the kernel in errors.
  ProgramObject* build(const std::string& source, const std::string& what) const;

 private:
  ProgramObject* from_binary(const std::string& binary) const;
  std::string binary_of(ProgramObject* program) const;
  [[noreturn]] void fail(ProgramObject* program, Status status, const std::string& source,
                         const std::string& what) const;

  const Session& session_;
  const std::string options_;
  const KernelCache cache_;
};

/// While it lives, the device notes when the kernels run that this thread launches. They do not
/// nest.
class LaunchClock {
 public:
  explicit LaunchClock(const Api& api);
  ~LaunchClock();
  LaunchClock(const LaunchClock&) = delete;
  LaunchClock& operator=(const LaunchClock&) = delete;

  /// How long the kernels ran, which must be done; nothing if the driver does not say.
  std::optional<double> seconds() const;
  /// That of this thread, or null.
  static LaunchClock* current();
  void add(Event* event) { events_.push_back(event); }

 private:
  const Api& api_;
  std::vector<Event*> events_;
};

class ClProgram final : public Program {
 public:
  /// Takes `program`, a build of render_opencl(kernel).
  ClProgram(const Session& session, ProgramObject* program, const LinearKernel& kernel,
            const Target& target);
  ~ClProgram() override;
  ClProgram(const ClProgram&) = delete;
  ClProgram& operator=(const ClProgram&) = delete;

  /// Queued, not waited for. Thread-safe.
  void launch(std::span<void* const> buffers, std::span<const int64_t> vars) override;

 private:
  template <typename T>
  void argument(uint32_t place, const T& value);
  void enqueue(int64_t groups);

  const Session& session_;
  const LaunchShape shape_;
  ProgramObject* program_;
  KernelObject* kernel_ = nullptr;
  std::vector<int64_t> element_bytes_;  // by slot
  int64_t scratch_bytes_;               // of a group
  std::mutex lock_;                     // arguments belong to the kernel until it is queued
};

}  // namespace tg::opencl

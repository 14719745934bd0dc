// A dry run that compiles: every kernel becomes machine code for an architecture, nothing is
// computed. It shows without a graphics processor that a program's kernels compile, their code, and
// their registers and memory.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "backends/nvidia/assembler.h"
#include "backends/nvidia/choice.h"
#include "backends/nvidia/facts.h"
#include "backends/nvidia/nvrtc.h"
#include "runtime/host_allocator.h"

namespace tg::nvidia {

/// Machine code of `kernel` for "sm_80", "sm_90a", …, with the kernel's text and its use of the
/// hardware.
struct CompiledImage {
  std::string source;
  Image image;
};
CompiledImage compile_image(const Nvrtc& nvrtc, const LinearKernel& kernel,
                            const std::string& arch);
/// The same by way of PTX.
CompiledImage assemble_image(const Assembler& assembler, const LinearKernel& kernel,
                             const std::string& arch);

/// Memory is the host's and holds zeros where nothing was copied to it.
class CubinDevice final : public Device {
 public:
  struct Report {
    std::string kernel;
    int64_t group_size = 1;
    int64_t cubin_bytes = 0;
    KernelUse use;
  };

  /// Throws DeviceError if `nvrtc`, which must live longer, makes no code for `arch`.
  CubinDevice(const Nvrtc& nvrtc, std::string arch, std::string name);
  /// By way of PTX; what the assembler does not know fails at the first kernel.
  CubinDevice(const Assembler& assembler, std::string arch, std::string name);

  const std::string& name() const override { return name_; }
  const Target& target() const override { return target_; }
  Allocator& allocator() override { return allocator_; }
  /// Compiles, past the disk cache, and loads nothing: launches check their arguments' number.
  std::vector<CompiledKernel> compile(std::span<const LinearKernel> kernels) override;
  std::string compiler() const override;

  /// Of all kernels compiled so far, in that order. Thread-safe.
  std::vector<Report> reports() const;

 private:
  CubinDevice(const Nvrtc* nvrtc, const Assembler* assembler, std::string arch, std::string name);

  const Nvrtc* const nvrtc_;  // one of the two
  const Assembler* const assembler_;
  const std::string name_;
  const Target target_;
  HostAllocator allocator_;
  mutable std::mutex lock_;
  std::vector<Report> reports_;  // guarded by lock_
};

/// The device of a choice that names an architecture. Throws DeviceError that says what to do if
/// its compiler is missing.
std::unique_ptr<Device> open_cubin_device(const Choice& choice, const std::string& name);

}  // namespace tg::nvidia

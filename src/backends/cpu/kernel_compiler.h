// What turns linear kernels into code that can be called: through C and a spawned compiler
// (compiler.h), or through LLVM in this process (llvm_compiler.h).
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "backends/cpu/loaded_code.h"
#include "codegen/linear.h"

namespace tg::cpu {

class KernelCompiler {
 public:
  virtual ~KernelCompiler() = default;
  /// One text of kernels that are compiled together: a function each, as renderer/render.h says.
  virtual std::string render(std::span<const LinearKernel> kernels) const = 0;
  /// The code of `source`, from the disk cache or made and kept there. `what` names the kernels in
  /// errors. Throws DeviceError with the compiler's reason and the path of the kept source; nothing
  /// is left changed then. Thread-safe.
  virtual CodeRef load(const std::string& source, const std::string& what) const = 0;
  /// A batch of kernels is done: gives back memory that only compiling needs, where it is worth it.
  /// Thread-safe.
  virtual void rest() const {}
  /// Kernels for which a further invocation pays; 1: each has its own.
  virtual int64_t kernels_per_call() const = 0;
  /// Which compiler this is, for people: "LLVM 19 (/usr/lib/…)".
  virtual std::string description() const = 0;
};

}  // namespace tg::cpu

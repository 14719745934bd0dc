// C source → loaded shared object, through the C compiler or the disk cache. Which kernels share a
// source, and the cache of loaded kernels, are the device's business (device.h).
#pragma once

#include <memory>
#include <string>

#include "backends/cpu/toolchain.h"
#include "support/dynamic_library.h"

namespace tg::cpu {

using LoadedCode = std::shared_ptr<const DynamicLibrary>;

class Compiler {
 public:
  explicit Compiler(Toolchain toolchain) : toolchain_(std::move(toolchain)) {}

  /// The code of `source`. `what` names the kernels in errors. Throws DeviceError with the
  /// compiler's first errors and the path of the kept source. Uses and fills the cache folder
  /// "cpu": an entry is checked before use and rebuilt if it is damaged; without a cache folder
  /// nothing is kept. Thread-safe.
  LoadedCode load(const std::string& source, const std::string& what) const;

 private:
  std::string build(const std::string& source, const std::string& what) const;

  Toolchain toolchain_;
};

}  // namespace tg::cpu

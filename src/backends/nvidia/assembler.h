// NVIDIA's assembler as a library (nvJitLink), opened at run time: PTX → machine code, on any
// machine, with or without a graphics processor. On a device the driver assembles by itself
// (program.h); this is for looking at machine code without one.
#pragma once

#include <memory>
#include <string>

#include "backends/nvidia/nvrtc.h"
#include "support/dynamic_library.h"

namespace tg::nvidia {

struct AssemblerApi;

class Assembler {
 public:
  /// Throws DeviceError if the file is missing or lacks a function.
  explicit Assembler(const std::string& path);

  const std::string& path() const { return library_.path(); }
  int version() const { return version_; }  ///< 13000 is 13.0
  /// Assembles one module for "sm_80", "sm_90a", … Throws DeviceError with the first complaints and
  /// the path of the kept source; `what` names the kernel. Thread-safe.
  Image assemble(const std::string& source, const std::string& arch, const std::string& what) const;

 private:
  DynamicLibrary library_;
  std::shared_ptr<const AssemblerApi> f_;
  int version_ = 0;
};

/// The assembler of the toolkit that find_toolkit_library() finds. Opened at the first call and
/// kept; nullptr if there is none, which missing_assembler_advice() explains. Thread-safe.
const Assembler* find_assembler();
std::string missing_assembler_advice();

}  // namespace tg::nvidia

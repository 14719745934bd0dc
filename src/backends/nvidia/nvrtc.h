// NVIDIA's compiler as a library, opened at run time: CUDA C → machine code, on any machine, with
// or without a graphics processor. Which text it is given: renderer/cuda_c.cpp. The disk cache and
// the loading of what it makes: program.h.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "support/dynamic_library.h"

namespace tg::nvidia {

struct NvrtcApi;

/// What a kernel takes of a multiprocessor, as the assembler reports it.
struct KernelUse {
  int registers = 0;          ///< of a work-item
  int64_t spilled_bytes = 0;  ///< stored because registers were short, of a work-item
  int64_t stack_bytes = 0;    ///< of a work-item, spilled ones included
  int64_t shared_bytes = 0;   ///< declared, of a group
};

/// A compiled kernel.
struct Image {
  std::string bytes;  ///< a cubin; PTX for an arch "compute_…"
  KernelUse use;      ///< of a cubin
};

class Nvrtc {
 public:
  /// Throws DeviceError if the file is missing or lacks a function.
  explicit Nvrtc(const std::string& path);

  int version() const { return version_; }  ///< 13000 is 13.0
  const std::string& path() const { return library_.path(); }
  std::string description() const;  ///< "NVRTC 13.0 (libnvrtc.so)"
  /// Architectures that it compiles for, rising: 75, 80, …
  const std::vector<int>& archs() const { return archs_; }
  /// Compiles one kernel for "sm_80", "sm_90a", … or "compute_120". Throws DeviceError with its
  /// first complaints and the path of the kept source; `what` names the kernel. Thread-safe.
  Image compile(const std::string& source, const std::string& arch, const std::string& what) const;

 private:
  DynamicLibrary library_;
  std::shared_ptr<const NvrtcApi> f_;
  int version_ = 0;
  std::vector<int> archs_;
};

/// The compiler of option CUDA_PATH; without it where the loader looks, then in /usr/local/cuda.
/// Opened at the first call and kept; nullptr if there is none, which missing_nvrtc_advice()
/// explains. Thread-safe.
const Nvrtc* find_nvrtc();
std::string missing_nvrtc_advice();

/// "12.4" of 12040.
std::string version_text(int version);
/// What the assembler said about the kernel in `log`.
KernelUse parse_use(std::string_view log);
/// How a processor of compute capability `capability` (80 is 8.0) is named to the compiler: its
/// own name where the compiler knows it, else that of the newest older one, as text that the driver
/// translates. Throws DeviceError if it knows only newer ones.
std::string arch_for(int capability, const std::vector<int>& archs);

}  // namespace tg::nvidia

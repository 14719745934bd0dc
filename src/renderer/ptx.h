// Linear code → PTX, the assembly language of NVIDIA's processors, one module a kernel: what the
// driver's own assembler takes without any compiler. The public face of the files ptx_*.cpp, as
// render.h is of the other languages.
#pragma once

#include <string>

#include "codegen/linear.h"

namespace tg {

/// What PTX depends on.
struct PtxMachine {
  std::string arch = "sm_80";      ///< sm_75 or later; "sm_90a" too
  int64_t local_bytes = 48 << 10;  ///< shared memory that a block can have
};

/// PTX of one kernel, of the least version that has what it uses, for any assembler: an entry NAME
/// with the parameters, the launch, the dynamic shared memory (of a CudaMachine of the same
/// local_bytes) and the values of render_cuda. Equal kernels give equal text, in every process.
/// Throws as render_cuda does, and InternalError for an architecture before sm_75.
std::string render_ptx(const LinearKernel& kernel, const PtxMachine& machine);
/// How a processor of compute capability `capability` (80 is 8.0), or the newest older one that is
/// known, is named in PTX. Throws DeviceError for those before 7.5.
std::string ptx_arch(int capability);

}  // namespace tg

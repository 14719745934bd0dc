// Linear code → readable C with GNU vector types, one translation unit for many kernels, or → LLVM
// IR, one module a kernel. No includes, no libm, nothing left to auto-vectorisation: what the text
// says is what the compiler does. It runs no compiler: flags, processes, libLLVM and caches are
// src/backends/cpu. What the linear code means: src/codegen/linear.h and the op records.
#pragma once

#include <span>
#include <string>

#include "codegen/linear.h"

namespace tg {

/// C source of all `kernels`; each becomes a function
/// `void NAME(void* const* bufs, const int64_t* vars, int64_t begin, int64_t end, char* scratch)`
/// that runs the chunks [begin, end) of its launch range: bufs by slot, vars in the order of
/// LinearKernel::vars, scratch aligned to 64 bytes. Equal kernels give equal text, in every
/// process. The text wants -fwrapv and -fno-strict-aliasing, and compiles without warnings under
/// -Wall -Wextra with gcc ≥ 12 and clang ≥ 14. Throws InternalError for ops and dtypes that
/// c_supports denies: they are decomposed before.
std::string render_c(std::span<const LinearKernel> kernels);

/// What the IR depends on: for what a processor lacks, LLVM would call a library function, and
/// kernels have no library.
struct LlvmMachine {
  std::string triple = "x86_64-unknown-linux-gnu";
  int vector_bits = 128;        ///< registers to prefer
  bool has_half_casts = false;  ///< instructions between half and float32 (F16C)
  bool has_rounding = false;    ///< an instruction for trunc (SSE 4.1)
};

/// LLVM IR of one kernel, for LLVM 15 and later: a function with the entry of render_c and its
/// body, whose pointers are arguments. Equal kernels give equal text, in every process. It calls
/// intrinsics only, and needs no pass that makes vectors. Throws as render_c does.
std::string render_llvm(const LinearKernel& kernel, const LlvmMachine& machine);

/// Whether the renderers can spell the elementwise or lowered op at all.
bool c_supports(Op op);
/// Whether they compute in dtype `t`; the small floats are only loaded, stored, moved, and half is
/// cast to and from float32.
bool c_supports(DType t);

}  // namespace tg

// Linear code → readable C with GNU vector types, one translation unit for many kernels. No
// includes, no libm, nothing left to auto-vectorisation: what the text says is what the compiler
// does. It knows no machine and runs no compiler: flags, processes and caches are src/backends/cpu.
// What the linear code means: src/codegen/linear.h and the op records.
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

/// Whether the renderer can spell the elementwise or lowered op at all.
bool c_supports(Op op);
/// Whether it computes in dtype `t`; the small floats are only loaded, stored, moved, and half is
/// cast to and from float32.
bool c_supports(DType t);

}  // namespace tg

// Running decoded code on scalars, one lane at a time, through the op records' own evaluation: the
// meaning of linear code, against which every device is tested.
#pragma once

#include <span>

#include "backends/interp/code.h"

namespace tg::interp {

/// Runs chunks [begin, end). A launch is any sequence of such calls that covers 0 … chunks; each
/// call starts with scratch that nobody has written. `buffers` by slot, at least as large as the
/// PARAMs' extents say; `vars` in the kernel's order. Throws InternalError for an access outside
/// its array, an untrue alignment, or a read of unwritten scratch.
void execute(const Code& code, std::span<void* const> buffers, std::span<const int64_t> vars,
             int64_t begin, int64_t end);

/// As the device launches: all chunks that have something to do, in one go.
inline void execute(const Code& code, std::span<void* const> buffers,
                    std::span<const int64_t> vars) {
  execute(code, buffers, vars, 0, chunks_for(vars, code.chunks, code.chunk_limit));
}

}  // namespace tg::interp

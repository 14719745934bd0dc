// Which memory a barrier orders, in languages where it says so. The statements are the dialects'.
#pragma once

#include <algorithm>

#include "codegen/linear.h"

namespace tg {

/// Whether the kernel writes an array that it also reads: a work-item may write what others have
/// read before a barrier, so barriers order the arrays, too, and not only Scratch.
inline bool writes_what_it_reads(const LinearKernel& kernel) {
  return std::ranges::any_of(kernel.params,
                             [](const ParamUse& use) { return use.read && use.written; });
}

}  // namespace tg

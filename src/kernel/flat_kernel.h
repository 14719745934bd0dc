// One kernel for many sizes: an elementwise kernel over arrays that it walks in order differs from
// the same kernel over longer ones in nothing but where it ends. Its form here ends at a variable,
// so that both are lowered and compiled once (engine/compile.cpp). What a loop with such an end
// looks like: src/codegen/emit_loops.cpp.
#pragma once

#include <optional>

#include "tg/ir/uop.h"

namespace tg {

/// An elementwise kernel and its size.
struct FlatKernel {
  UOp kernel;     ///< over a range that is as long as any, every access gated by r < size
  UOp size;       ///< VAR: elements
  int64_t value;  ///< of the variable, for the kernel that this was made of
};

/// The form without its size of `kernel`, if that is elementwise: one range, which is used for
/// nothing but the place in arrays of just its extent (other arrays are read at constant places),
/// and no variables. Kernels of at most `most_cached` elements, and longer ones, have forms of
/// their own, so that what depends on whether arrays stay in a cache can be decided. Kernels differ
/// in their size alone if and only if their forms are the same node. O(nodes).
std::optional<FlatKernel> flat_form(const UOp& kernel, int64_t most_cached);

}  // namespace tg

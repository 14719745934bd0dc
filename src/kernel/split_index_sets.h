// Index set splitting: loops cut where the gates of loads and the conditions of selects change, so
// that each piece reads only what it needs. Joined and mirrored arrays, and gradients of borders,
// are a select or a sum of loads of which one or two matter at any place. Source: Allen and
// Kennedy, Optimizing Compilers for Modern Architectures, 2001, section 5.8. What a gate leaves of
// one reduction: residue_ranges.h, codegen/loop_limits.h.
#pragma once

#include <optional>

#include "kernel/kernel_phases.h"

namespace tg {

/// Of fewer elements launching the pieces costs as much as the loads that they spare.
inline constexpr int64_t kFewestToSplit = 1 << 14;

/// The kernel in pieces, each for a box of its loops, whose order does not matter; none if they
/// would not access a third less than the whole. Of kernels with one store, of `fewest` elements at
/// least, that reduce nothing. Loops are cut where a comparison changes that depends on one of them
/// alone. O(nodes · pieces), of which there are at most 27.
std::optional<KernelPhases> split_index_sets(const UOp& kernel, int64_t fewest = kFewestToSplit);

}  // namespace tg

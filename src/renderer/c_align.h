// Which indices are multiples of a power of two, so that the accesses at them are aligned. By it a
// dialect whose aligned accesses are cheaper (CDialect::proves_alignment) reads whole vectors.
#pragma once

#include <span>
#include <unordered_map>

#include "codegen/linear.h"

namespace tg {

/// For every scalar integer of `ops` how many of its low bits are proven to be 0; nodes that are
/// not in it may be odd. O(nodes).
std::unordered_map<const Node*, int> c_zero_bits(std::span<const UOp> ops);

}  // namespace tg

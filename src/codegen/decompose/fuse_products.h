// Products in sums as one operation. Compilers would do it too, but with what they know of each
// place: an expression that a kernel computes twice, once with an index that is a constant, would
// be rounded twice here and once there, and differ from itself.
#pragma once

#include "target/target.h"
#include "tg/ir/uop.h"

namespace tg {

/// `kernel` with float32 and float64 sums of a product as FMA, where the target has an instruction
/// for it:
///   a·b + c → fma(a, b, c)      c + a·b → fma(a, b, c)
///   c − a·b = c + (a·b)·(−1) → fma(a·(−1), b, c), exact, for a·(−1) is
/// A difference c + a·(−1) stays one. Of two products the first is taken, but the second where the
/// first is x·2^k: that is exact, and fusing it gains nothing. A product that something else than a
/// sum reads is left, for it is computed anyway and every reader must have the same value: x − ⌊x⌋
/// of a product x is below 1 only as it was rounded; and if the kernel stores the product, sums of
/// it are computed elsewhere, too. O(nodes).
UOp fuse_products(const UOp& kernel, const Target& target);

}  // namespace tg

// Elementary functions that the tensor graph writes in others, recognised and computed as
// themselves: e^x as exp2(x·log2 e), cos(x) as sin(π/2 − x), |x| as max(x, −x) + 0. Evaluated
// literally, the argument of the first two would be rounded first, which costs exp 60 units of the
// last place near the ends of its range and cos all digits of large arguments; the last is many
// instructions instead of one. Where a decomposition meets such a composition, on any target, it is
// replaced by the function. Log, tanh, sigmoid and the others need nothing of the kind.
#pragma once

#include "target/target.h"
#include "tg/ir/uop.h"

namespace tg {

/// What computes `op` of the decomposed source, if that source makes it one of these compositions;
/// else an empty UOp.
UOp recognised_composition(Op op, const UOp& source, const Target& target);

/// x of max(x, x·(−1)) + 0, which is |x|; empty for anything else. Where max keeps NaN that is nine
/// instructions, and an AND of the bits is one.
UOp magnitude_source(const UOp& u);
/// |x| of a float: its bits without the sign, NaN stays NaN.
UOp magnitude(const UOp& x);

}  // namespace tg

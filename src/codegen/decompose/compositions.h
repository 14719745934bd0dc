// Elementary functions that the tensor graph writes in others, recognised and computed as
// themselves: e^x as exp2(x·log2 e), cos(x) as sin(π/2 − x). Evaluated literally, their argument
// would be rounded first, which costs exp 60 units of the last place near the ends of its range and
// cos all digits of large arguments. Where a decomposition meets such a composition, on any target,
// it is replaced by the accurate function. Log, tanh, sigmoid and the others need nothing of the
// kind.
#pragma once

#include "target/target.h"
#include "tg/ir/uop.h"

namespace tg {

/// What computes `op` of the decomposed source, if that source makes it one of these compositions;
/// else an empty UOp.
UOp recognised_composition(Op op, const UOp& source, const Target& target);

}  // namespace tg

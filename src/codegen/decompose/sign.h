// Signs that are certain from how a value is made: −x², −|x|, x − max(x). Functions that fall to 0
// for such arguments need no care for large results. No interval arithmetic: what is not recognised
// has no certain sign.
#pragma once

#include "tg/ir/uop.h"

namespace tg {

/// Every lane of the float `x` is at most 0 or NaN. False says nothing. Linear in the graph of a
/// maximum that x is measured from, else constant time.
bool is_never_positive(const UOp& x);

}  // namespace tg

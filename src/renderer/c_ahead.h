// Which loads prefetch the next row while this one is computed. A kernel that runs several loops
// over a row waits for memory in the first and finds the row in a cache in the others: the last of
// them, if it has enough to compute, asks for what the first will want next. Hardware does not, for
// rows end at pages.
#pragma once

#include <unordered_map>

#include "codegen/linear.h"

namespace tg {

/// By LOAD: how many elements ahead of its index to prefetch. Linear in the length of the list.
std::unordered_map<const Node*, int64_t> c_ahead(const LinearKernel& kernel);

}  // namespace tg

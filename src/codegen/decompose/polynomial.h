// Horner's rule on nodes.
#pragma once

#include <span>

#include "codegen/decompose/lanes.h"

namespace tg::lanes {

/// c[0] + c[1]·x + c[2]·x² + …
inline UOp polynomial(const UOp& x, std::span<const double> c) {
  UOp sum = num(x, c.back());
  for (size_t i = c.size() - 1; i-- > 0;) sum = sum * x + num(x, c[i]);
  return sum;
}

}  // namespace tg::lanes

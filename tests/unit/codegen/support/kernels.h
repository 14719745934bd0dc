// What tests of code generation share: the processor that most of them take, and a condition of
// kernels with a border.
#pragma once

#include "support/kernel_names.h"
#include "support/kernel_values.h"

namespace tg::test {

inline const Target kProcessor = processor();
inline const Target kTwoThreads = processor(2);

/// 0 ≤ at < extent
inline UOp inside(const UOp& at, int64_t extent) {
  const UOp low = lt(at, index_const(0)) ^ constant(1, DType::Bool);
  return low & lt(at, index_const(extent));
}

}  // namespace tg::test

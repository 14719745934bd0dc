// Short names that tests of kernels use: a dtype, quotients and remainders of indices.
#pragma once

#include "tg/ir/walk.h"

namespace tg::test {

inline constexpr DType kFloat = DType::Float32;

inline UOp over(const UOp& e, int64_t c) { return idiv(e, index_const(c)); }
inline UOp rest(const UOp& e, int64_t c) { return mod(e, index_const(c)); }

}  // namespace tg::test

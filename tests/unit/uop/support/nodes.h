// Short names of the nodes that tests of this folder build.
#pragma once

#include "tg/ir/walk.h"

namespace tg::test {

inline UOp f32(double v) { return constant(v, DType::Float32); }
inline UOp i32(int64_t v) { return constant(v, DType::Int32); }
inline UOp after_one(const UOp& x, const UOp& effect) { return after(x, std::span(&effect, 1)); }

}  // namespace tg::test

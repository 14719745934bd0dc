// What decoder.cpp and attention.cpp share.
#pragma once

#include "frontend/language/decoder.h"

namespace tg::models {

struct Decoder::Step {
  SymInt begin, end, count;  ///< positions of the tokens
  Tensor mine;               ///< the same, int32 [count]
};

/// x [..., in] to float32 [..., out].
Tensor projected(const Projection& p, const Tensor& x);

}  // namespace tg::models

// Products with weights of few bits in graphs that gradients flow through. What the kernels of such
// weights are is left to the scheduler; here only what keeps them from staying unpacked in memory.
#pragma once

#include "tg/tensor.h"

namespace tg::models {

/// x [..., in] · weightᵀ, the weight [out, in] quantised or of 16 bits, and no parameter: to
/// float32 [..., out]. Its elements are unpacked once for the product and a second time for the gradient of x, so that
/// those of all layers need not be floats at the same time (Dettmers et al., 2023, "QLoRA").
Tensor product_with_packed(const Tensor& x, const Tensor& weight);

}  // namespace tg::models

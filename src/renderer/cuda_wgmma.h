// Products by warpgroups, wgmma.mma_async: 128 work-items begin one, and the unit reads both
// factors from shared memory by itself. What of the CUDA C is about them; the rest is cuda_c.cpp.
#pragma once

#include <string>

#include "renderer/c_unit.h"

namespace tg {

/// Name of the function that begins a product, see CDialect::multiply_async; declared in `u`.
std::string cuda_multiply_async(CUnit& u, const MatrixUnit& unit, bool across_a, bool across_b);
/// Whether a kernel has such products.
bool has_async_products(const LinearKernel& kernel);

}  // namespace tg

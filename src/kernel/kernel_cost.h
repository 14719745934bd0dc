// What a kernel costs by its graph alone, before any schedule: arithmetic and compulsory traffic.
// The scheduler weighs merged kernels with it, the engine counts launches with it.
#pragma once

#include "target/target.h"
#include "tg/ir/uop.h"

namespace tg {

/// Floating-point operations and compulsory bytes of one launch, by the kernel graph: each
/// elementwise operation on floats counts once a point of its own ranges, each array element read
/// or written counts once.
struct KernelCost {
  double flops = 0;
  double bytes = 0;
};
KernelCost cost_of(const UOp& kernel);

/// Modelled seconds of one launch: the slower of arithmetic and memory traffic, and the launch
/// itself.
double seconds_of(const KernelCost& cost, const Target& target);

/// Is this REDUCE of a kernel graph a contraction Σ a·b whose factors each miss a free range of the
/// other? Each operand element is then read several times, which takes a schedule of its own.
bool is_ranged_contraction(const Node* reduce);

}  // namespace tg

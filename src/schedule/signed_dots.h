// Products of signed bytes for processors whose dot instruction wants the first factor's bytes
// without a sign (vpdpbusd of x86): a + 128 is such a byte, and
//   Σ a·b = Σ (a + 128)·b − 128·Σ b
// in integers that wrap. The shifted bytes and the sums of b are stored by small kernels of their
// own, each of which reads its factor once. Internal to src/schedule.
#pragma once

#include "target/target.h"
#include "tg/ir/uop.h"

namespace tg {

/// The graph (a SINK) with sums of products of two int8 factors in int32 in that form, where the
/// target has the instruction, the factor with the result's last axis is read often enough to pay
/// and the other is an array without a border. O(nodes).
UOp shift_signed_dots(const UOp& graph, const Target& target);

}  // namespace tg

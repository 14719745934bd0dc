// Loops that run over the iterations that count: where a term of a sum is there only if
// (x + k) mod s = 0, as in a transposed convolution of stride s and the gradients of strided ones,
// only every s-th k adds something. Afterwards indices are divided no more, and what was a sum with
// holes is a dense contraction. Divisions in indices without such a gate: refine_ranges.h.
#pragma once

#include "tg/ir/uop.h"

namespace tg {

/// An equal kernel in which sums run over the residue class that their gate lets through. For a
/// gate a·x + b·k + c ≡ 0 (mod s), b without a common divisor with s, k a loop of the sum and x
/// another: x = s·X + p − e, the phase p outside, and k = s·K + (−b⁻¹·(a·(p − e) + c) mod s), where
/// e is such that the residues are a line through the phases, if there is one. Iterations in front
/// of and behind x and k are gated. Returns `kernel` itself if there is no such gate. O(nodes) a
/// gate.
UOp solve_residues(const UOp& kernel);

}  // namespace tg

// Elementary functions of float32 and float64 as polynomials in ops that every target has. Errors
// in units of the last place: float32 at most 2 over the whole range, arguments of any size
// included; float64 at most 4. Infinities, NaN, zeros and denormals come out as IEEE 754 and NumPy
// have them. The source may have any lanes.
#pragma once

#include "target/target.h"
#include "tg/ir/uop.h"

namespace tg {

UOp exp2_polynomial(const UOp& x);
UOp exp_polynomial(const UOp& x);
UOp log2_polynomial(const UOp& x);
/// Needs arithmetic in uint64 for the reduction of large arguments; of float32 arguments, in float64
/// too if the target has it, which is the quicker way.
UOp sin_polynomial(const UOp& x, const Target& target);
/// The same.
UOp cos_polynomial(const UOp& x, const Target& target);
/// Word `word` of Threefry-2x32-20 by additions, rotations and exclusive or; both words share all
/// rounds.
UOp threefry_rounds(const UOp& k0, const UOp& k1, const UOp& c0, const UOp& c1, int word);

}  // namespace tg

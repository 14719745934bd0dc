// The reduction that a matrix unit makes: what a schedule with TC asks for, found in the kernel and
// checked. Nothing here knows a unit; all follows from its maps (src/target/matrix_unit.h). How it
// becomes code: emit_unit.cpp; the layouts of staged operands: stage.cpp.
#pragma once

#include "codegen/scheduled_kernel.h"

namespace tg {

/// Sets what of `k.product` needs no graph, if the schedule has a unit. Leaves and work-item ranges
/// must be there. Throws ArgumentError if the target lacks the unit.
void begin_unit_product(ScheduledKernel& k, const KernelSchedule& schedule, const Target& target);

/// Finds the reduction and its operands in the final graph, and what converts these to what the
/// unit takes. Dependences must be there. Throws ArgumentError unless one reduction closes the
/// unit's part of k and adds products, of which one factor runs over the unit's rows and the other
/// over its columns, both being exact in the unit's dtype.
void find_unit_product(ScheduledKernel& k);

/// Whether a dot instruction takes the factors of `product` as they are: elements of its dtypes, or
/// of fewer bits, that were widened. `first`: the LOAD that would be its first factor.
bool takes_factors(const MatrixUnit& unit, const UOp& product, const UOp& first);

/// A factor of products as a number of `input`, which a unit takes; empty unless all of its values
/// are such numbers: loads of that dtype or of fewer bits that were widened, what was rounded to
/// it, constants, and choices among these.
///
///     converted_factor(cast(load(int8), float32), bfloat16) is narrow(cast(load(int8), float32))
UOp converted_factor(const UOp& factor, DType input);

/// Which index of the unit a leaf of `k.product` stands for bits of.
MatrixAxis unit_axis(const UnitProduct& product, const Leaf& leaf);
/// The leaf's value for the element in register `reg` of work-item `lane`.
int64_t unit_digit(const UnitProduct& product, const Leaf& leaf, const FragmentMap& map,
                   int64_t lane, int64_t reg);
/// The map of the operand that depends on the leaves `deps`; null if that is neither.
const FragmentMap* operand_map(const ScheduledKernel& k, LeafSet deps);

}  // namespace tg

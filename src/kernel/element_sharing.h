// Which iterations of the loops around a store may write one element. Everything that runs
// iterations side by side or in another order asks this: threads, work-items, lanes, unrolled
// copies, tails that repeat iterations, kernels that are merged, views that are assigned to. What
// is answered is proved or assumed the worse; whether something is legal is decided by those who
// ask (codegen/legality.h, schedule/combine_kernels.h, schedule/window.h).
#pragma once

#include <span>
#include <vector>

#include "tg/ir/uop.h"

namespace tg {

/// The elements of an array that iterations write.
struct WrittenElements {
  std::vector<UOp> index;  ///< an expression a dimension
  UOp gate;                ///< without which nothing is written; empty: always
};
WrittenElements written_by(const Node* store);

/// Those of `ranges` that an element does not determine when it is written. Iterations that differ
/// in any other range write different elements; those that differ in the returned ones only may
/// write the same. Empty: no element is written twice.
///
/// A range is determined if the element's coordinates can be solved for it. With known values
/// v = Σ cᵢ·tᵢ + c of expressions, at first the coordinates, and |tᵢ| varying by at most wᵢ, there
/// are three ways, repeated until nothing new is known:
///   largest   |cₖ| > Σ_{i≠k} |cᵢ|·wᵢ          two values of tₖ differ by more than all else can
///   residue   |cₖ|·wₖ < gcd_{i≠k} cᵢ           tₖ is what v is modulo that divisor
///   digits    e div c and e mod c known → e   and from e mod c alone the terms of e that are
///                                              no multiples of c, if they vary by less than c
/// Loads are unknown values, with the bounds that the gate gives them. Example: [r0, r1·5 + r2]
/// with r2 < 5 determines all; [r1·5 + (r2·5 div 9)] with r2 < 9 determines r1, and r2 is returned.
std::vector<UOp> ranges_sharing_elements(const WrittenElements& at, std::span<const UOp> ranges);
/// The same for END(STORE, ranges…).
std::vector<UOp> ranges_sharing_elements(const Node* end);

/// Whether iterations that differ in `range` alone may write one element. Those of a range that
/// shares elements with others need not: of [r1·4 + r2] with r2 < 16 neither range is determined,
/// but r2 is as soon as r1 is given, so neighbours along r2 may be written at once.
bool shares_elements_along(const WrittenElements& at, const UOp& range);

}  // namespace tg

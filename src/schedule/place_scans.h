// How a SCAN of the tensor graph is computed. A processor walks each row in order, one value kept
// (kernel/running_reductions.h); rows that are too few to keep its cores busy are cut into blocks,
// whose totals are summed first: the array is read twice and written once. Where thousands of
// work-items run at once the scan is a tree of small blocks (blocked_scan.h). Works on the tensor
// graph, before it is decided what is stored. Internal to src/schedule.
#pragma once

#include "target/target.h"
#include "tg/ir/uop.h"

namespace tg {

/// An equal graph without scans that the target does not compute as they stand. Sums and products
/// of float32 that run in order are kept in float64, so errors do not grow with the length.
UOp place_scans(const UOp& graph, const Target& target);

/// Modelled seconds of a scan of `rows` rows of `length` elements, launches included.
double scan_seconds(double rows, Dim length, const Target& target);

}  // namespace tg

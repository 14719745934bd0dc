// Which dot instruction or tile registers a contraction's products go to, and along which reduced
// base: of the factors as they lie in memory, or of copies made for it (staged_element.h). Units of
// several work-items: heuristics_work_items_unit.cpp. What is done with the choice:
// heuristics_contraction.cpp.
#pragma once

#include <span>

#include "codegen/contraction_operands.h"
#include "target/target.h"

namespace tg {

/// A contraction whose lanes lie along the base `lanes` of the packed factor; `row_bases` are those
/// that only the other has.
struct UnitProducts {
  const KernelSchedule& schedule;
  const KernelFacts& facts;
  const Target& target;
  const ContractionFactor& packed;
  const ContractionFactor& rows;
  std::span<const int> row_bases;
  int lanes;
};

struct UnitFit {
  const MatrixUnit* unit = nullptr;  ///< null: there is none
  int terms = -1;                    ///< the reduced base of its terms
  int rows = -1;                     ///< of tile registers: the base of its rows
  bool copies = false;               ///< it takes copies of both factors in its own dtypes
};

/// Tile registers before dot instructions, and what takes the factors as they are before what takes
/// copies of them. O(units · bases).
UnitFit choose_unit(const UnitProducts& products);

}  // namespace tg

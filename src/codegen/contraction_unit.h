// Which dot instruction or tile registers a contraction's products go to, and along which reduced
// base: of the factors as they lie in memory, or of copies made for it (staged_element.h). Units of
// several work-items: heuristics_work_items_unit.cpp. What is done with the choice:
// heuristics_contraction.cpp.
#pragma once

#include <span>
#include <vector>

#include "codegen/kernel_facts.h"
#include "target/target.h"

namespace tg {

/// A factor of the products: any expression of loads and what is broadcast to them. Strides are
/// those of the largest array.
struct ContractionFactor {
  const AccessFacts* load = nullptr;
  std::vector<bool> depends;  ///< of the whole expression, by base
  UOp value;                  ///< all of it
  UOp copied;                 ///< what a copy holds: the load, or all of the expression
  bool computed = false;      ///< the expression
};

inline bool is_array(const ContractionFactor& f) { return f.load->access.src(0).ndim() > 0; }

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

/// Whether the copy of a factor, which is ordered as its array, has the elements along `range` one
/// behind the other: neither backwards nor with others between them.
bool has_lanes_in_order(const ContractionFactor& f, const UOp& range);

/// Whether a dimension of the factor's array is walked by `range` in steps of 1, in whole groups of
/// `each`: what else its index contains are multiples of theirs.
bool has_groups(const ContractionFactor& f, const UOp& range, int64_t each);

}  // namespace tg

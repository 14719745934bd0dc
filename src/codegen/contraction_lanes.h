// The schedule of a contraction whose lanes run along an axis that both operands have, so that
// nothing is broadcast: a batch that lies innermost. Operands that do not lie along it are turned
// as they are copied. Lanes along an axis of one operand: heuristics_contraction.cpp.
#pragma once

#include "codegen/contraction_operands.h"
#include "target/target.h"

namespace tg {

/// Of a contraction: `packed` has the bases `columns` that the other lacks, and `rows` has
/// `row_bases`; lanes run along the base `lane`.
struct SharedLanes {
  const ContractionFactor& packed;
  const ContractionFactor& rows;
  std::span<const int> columns;
  std::span<const int> row_bases;
  int lane;
};

/// Whether lanes along the base are no rows of the operand's array, so that it has to be copied.
bool is_turned(const ContractionFactor& f, int lane);

/// The schedule, from a plain one.
KernelSchedule schedule_shared_lanes(KernelSchedule plain, const KernelFacts& facts,
                                     const SharedLanes& c, const Target& target);

}  // namespace tg

// The two operands of a contraction: what its terms combine, of which each misses a parallel axis
// of the other, and how they lie in memory. What is made of them: heuristics_contraction.cpp.
#pragma once

#include <vector>

#include "codegen/kernel_facts.h"

namespace tg {

/// An operand, as a factor of products is: any expression of loads and what is broadcast to them.
/// Strides are those of the largest array.
struct ContractionFactor {
  const AccessFacts* load = nullptr;
  std::vector<bool> depends;  ///< of the whole expression, by base
  UOp value;                  ///< all of it
  UOp copied;                 ///< what a copy holds: the load, or all of the expression
  bool computed = false;      ///< the expression
};

inline bool is_array(const ContractionFactor& f) { return f.load->access.src(0).ndim() > 0; }

/// What a reduction's term combines: its largest parts that miss one of its parallel bases. Two, if
/// it is of a row and a column; more, or none, if it is something else. O(nodes · bases).
///
///     of |x[i, k] − y[j, k]|: x[i, k] and y[j, k]
std::vector<UOp> combined_values(const UOp& term, const KernelSchedule& s);

/// The farthest that neighbouring terms of the operand are apart, in elements.
int64_t reduced_step(const ContractionFactor& f, const KernelSchedule& s);

/// Steps of `each` terms, of `extent` terms, that a part of a reduction of about `size` terms has.
/// Where the last step is short all parts have equally many; 0 if they would be too small for that.
int64_t steps_of_part(int64_t extent, int64_t size, int64_t each);

/// Whether the copy of a factor, which is ordered as its array, has the elements along `range` one
/// behind the other: neither backwards nor with others between them.
bool has_lanes_in_order(const ContractionFactor& f, const UOp& range);

/// Whether a dimension of the factor's array is walked by `range` in steps of 1, in whole groups of
/// `each`: what else its index contains are multiples of theirs.
bool has_groups(const ContractionFactor& f, const UOp& range, int64_t each);

}  // namespace tg

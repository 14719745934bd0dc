// The two operands of a contraction: what its terms combine, of which each misses a parallel axis
// of the other, and how they lie in memory. What is made of them: heuristics_contraction.cpp.
#pragma once

#include <vector>

#include "codegen/kernel_facts.h"
#include "target/target.h"

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
/// it is of a row and a column; more, or none, if it is something else. Parts that miss all of them
/// are no rows or columns: they are the same for all. O(nodes · bases).
///
///     of |x[i, k] − y[j, k]| · z[k]: x[i, k] and y[j, k]
std::vector<UOp> combined_values(const UOp& term, const KernelSchedule& s);

/// Whether the reduction adds up products of exactly these two.
bool is_sum_of_products(const UOp& reduce, const std::vector<UOp>& factors);

/// The farthest that neighbouring terms of the operand are apart, in elements.
int64_t reduced_step(const ContractionFactor& f, const KernelSchedule& s);

/// Steps of `each` terms, of `extent` terms, that a part of a reduction of about `size` terms has.
/// Where the last step is short all parts have equally many; 0 if they would be too small for that.
int64_t steps_of_part(int64_t extent, int64_t size, int64_t each);

/// The largest tile ≤ `most` that cuts `extent` into equal parts, up to one.
int64_t equal_tile(int64_t extent, int64_t most);
/// As equal_tile, but a divisor if there is one that is nearly as large: a short last tile runs at
/// half the rate.
int64_t even_tile(int64_t extent, int64_t most);

/// How the reduced loops of a contraction are cut so that a copy of the terms inside fits.
struct ReductionCut {
  std::vector<int> outside;  ///< bases whose loops are outside the copy
  std::vector<int> inside;   ///< the rest, in the order they had
  int part_of = -1;          ///< the base of which only a part is inside; −1: all are whole
  int64_t part = 0;          ///< terms of that part, about
};
/// Leaves about `room` terms of the bases `reduced`, in order from the outermost, inside the copy
/// of `packed`. A base along which it lies in memory goes last: the copy would take an element of
/// each line, and come back for the next. One that would leave few terms inside goes in parts.
ReductionCut cut_reduction(const KernelSchedule& s, const ContractionFactor& packed,
                           const std::vector<int>& reduced, int64_t room);

/// Whether the outermost `loops` loops, one at least, are work for all threads.
bool are_enough(const KernelSchedule& s, const Target& target, int loops);

/// Gives the outermost `most` loops to threads, as far as they are parallel and no more than one of
/// them has a short last step; and one loop more where that leaves threads without work.
void share_loops(KernelSchedule& s, const KernelFacts& facts, const Target& target, int most,
                 bool one_more);

/// Whether the copy of a factor, which is ordered as its array, has the elements along `range` one
/// behind the other: neither backwards nor with others between them.
bool has_lanes_in_order(const ContractionFactor& f, const UOp& range);

/// Whether a dimension of the factor's array is walked by `range` in steps of 1, in whole groups of
/// `each`: what else its index contains are multiples of theirs.
bool has_groups(const ContractionFactor& f, const UOp& range, int64_t each);

}  // namespace tg

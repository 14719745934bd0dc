// Ranges as the digits of a number: what stands in a kernel where one loop was, and the kernel over
// it. Which ranges are split, and where: refine_ranges.h, residue_ranges.h, and scatter_sources.h
// of src/schedule.
#pragma once

#include <unordered_map>
#include <vector>

#include "tg/ir/function_ref.h"
#include "tg/ir/uop.h"

namespace tg {

/// A range as the digits of a number.
struct Digits {
  UOp whole;                ///< the range's value, Σ digit·weight
  std::vector<UOp> ranges;  ///< outermost first
};

/// Digits that end at each of `ends`, ascending, each a divisor of the next and the last one the
/// extent. `next_range`: the id of the first new range, which is counted up.
Digits digits_ending_at(std::span<const int64_t> ends, int64_t& next_range);

/// The smallest id that no range of the kernel has, nor any larger one.
int64_t next_range_of(const UOp& kernel);

/// The kernel in which digits stand for ranges: their value where a range was used, all of them
/// where it was closed. `change` is given every LOAD, STORE and REDUCE as it was and as it is, and
/// says what it becomes. O(nodes).
UOp with_digits(const UOp& kernel, const std::unordered_map<const Node*, Digits>& digits,
                FunctionRef<UOp(const Node*, const UOp&)> change);

/// A LOAD or STORE under a further condition: digits may run on behind the end of their range.
UOp gated(const UOp& access, const UOp& condition);

}  // namespace tg

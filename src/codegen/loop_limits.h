// Which part of a range matters. Where all that a range closes stands under gates that compare it
// with variables or other ranges (a size that is known at the launch, a triangle, the border of a
// padded array), its loop may begin later and end earlier. The gates stay what makes results right;
// bounds only save the work, and may be wider than the gates. Used when loops are emitted
// (emit_loops.cpp).
#pragma once

#include <optional>
#include <vector>

#include "kernel/kernel_schedule.h"
#include "rules/affine.h"

namespace tg {

/// floor(over / by), by > 0: `over` is a sum of variables and other ranges.
struct LoopBound {
  Affine over;
  int64_t by = 1;
  friend bool operator==(const LoopBound&, const LoopBound&) = default;
};

/// Values of a range outside [first, limit) do not matter.
struct LoopLimits {
  std::optional<LoopBound> first, limit;
  friend bool operator==(const LoopLimits&, const LoopLimits&) = default;
  explicit operator bool() const { return first || limit; }
};

/// What a conjunct of a gate says of indices: sum < 0 or, negated, sum ≥ 0.
struct IndexComparison {
  Affine sum;
  bool negated = false;
};
/// Nothing if it compares no indices.
std::optional<IndexComparison> index_comparison(const UOp& conjunct);

bool has_variable(const LoopBound& bound);

/// Does the conjunct of a gate say that `range` is below `limit`, and no more?
bool says_limit(const UOp& conjunct, const UOp& range, const LoopBound& limit);

/// By base range of `schedule`. Bounds by other ranges are given only where they save a tenth of
/// the range or more, for loops of unknown length cost more to run. O(nodes of the kernel).
std::vector<LoopLimits> loop_limits(const UOp& kernel, const KernelSchedule& schedule);

}  // namespace tg

// Terms of sums, taken apart: a value, the conditions under which it counts, and what a condition
// says about one range. recognise.cpp and recognise_scans.cpp decide by it what a sum means.
// Internal to src/schedule.
#pragma once

#include <optional>
#include <vector>

#include "rules/index.h"

namespace tg {

/// A term of a sum as a value that counts where all of `conditions` hold, and is 0 elsewhere.
struct GatedTerm {
  UOp value;
  std::vector<UOp> conditions;
};

/// where(c, a, 0) as a under c, products with flags cast from comparisons too; anything else is a
/// value under no condition. x·0 is taken to be 0 for every x.
GatedTerm open_gates(const UOp& v);
/// The opposite.
UOp close_gates(const GatedTerm& t);

/// Does the value of `u` change with `range`?
bool depends_on(const UOp& u, const UOp& range);

/// a − b = sign·r + rest, with `rest` free of r.
struct RangeDifference {
  int64_t sign;  ///< 1 or −1
  Affine rest;
};
/// The difference of two integers in which r stands once; empty if there is none, or if one of the
/// integers could wrap.
std::optional<RangeDifference> range_difference(const UOp& a, const UOp& b, const UOp& r,
                                                IndexSimplifier& simplify);

/// r < at (`upper`), or r ≥ at.
struct RangeLimit {
  bool upper;
  Affine at;
};
/// What a comparison, or its negation, says about r. Empty if it is no such comparison, or if `at`
/// could wrap: with 64-bit data, say.
std::optional<RangeLimit> range_limit(UOp condition, const UOp& r, IndexSimplifier& simplify);

}  // namespace tg

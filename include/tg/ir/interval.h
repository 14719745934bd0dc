// Closed integer intervals with saturating ends: the bounds of index expressions. The rules that
// compute them stand in the op records; the walk over a graph is src/rules/bounds.h.
#pragma once

#include <cstdint>
#include <limits>

#include "tg/export.h"

namespace tg {

/// lo ≤ value ≤ hi. Ends at the limits of int64 mean "unbounded": arithmetic saturates there and
/// never wraps.
struct Interval {
  static constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  static constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  int64_t lo = kMin;
  int64_t hi = kMax;

  bool is_point() const { return lo == hi; }
  bool contains(int64_t v) const { return lo <= v && v <= hi; }
  bool bounded() const { return lo != kMin && hi != kMax; }
  friend bool operator==(const Interval&, const Interval&) = default;
};

TG_API int64_t saturating_add(int64_t a, int64_t b);
TG_API int64_t saturating_mul(int64_t a, int64_t b);
/// Division and remainder that round towards minus infinity; `b` must not be 0.
TG_API int64_t floor_div(int64_t a, int64_t b);
TG_API int64_t floor_mod(int64_t a, int64_t b);

}  // namespace tg

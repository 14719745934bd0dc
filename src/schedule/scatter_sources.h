// A scatter whose places are computed, not read, turned round: instead of "where does element i
// go", "which elements come here". What adds up at one place is then a reduction of a few terms
// that every place makes for itself, in any order and on any work-item, where a scatter would have
// to keep its iterations in turn. Gradients of windows, of strided and of resampled indexing are
// such scatters. Internal to src/schedule.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "kernel/range_digits.h"
#include "tg/ir/uop.h"

namespace tg {

/// `r` split where `f` divides it: by the divisors of IDIV and MOD nodes whose first source is r,
/// if each of them divides the next one and the last the extent; else, and where f reads data, r
/// itself. `next_range`: the id of the first new range, which is counted up.
Digits split_range(const UOp& f, const UOp& r, int64_t& next_range);

/// The elements along one axis that are put at one place.
struct ScatterSources {
  UOp index;                    ///< of the element, by the place and by `candidates`
  UOp gate;                     ///< under which it is there and is put at this place; empty: always
  std::vector<UOp> candidates;  ///< ranges over the elements that may be; empty: one at most
};

/// The place of an element, under a gate, as another kernel stored it.
using KnownPlace = std::function<UOp(const UOp& element, const UOp& gate)>;

/// Solves f(r) = place for r. `f`: an Index expression; `r`: a RANGE, or a constant where the axis
/// has one element; `next_range`: as above.
///
/// r is split as above, so that f is Σ fᵢ(dᵢ) + (what depends on no digit). From the
/// steepest fᵢ on, what the later ones can still add bounds dᵢ from both sides: with
/// a·d + lo ≤ b·fᵢ(d) ≤ a·d + hi there are at most (b·(rest) + hi − lo) div a + 1 candidates. A
/// multiple of dᵢ is its own line, and a quotient has one; of another function of one digit up to
/// kMaxTable values are looked at. A digit that stands in f with factor 1 is what is missing at the
/// end.
///
/// Whether a candidate is put at this place is asked of `known`, where that is given. Else f is
/// computed once more.
///
/// Nothing if f reads data, or a term of it depends on two digits, or on one and on something else.
std::optional<ScatterSources> scatter_sources(const UOp& f, const UOp& r, const UOp& place,
                                              int64_t& next_range, const KnownPlace& known = {});

/// Most values of an index function that are computed to bound it.
inline constexpr int64_t kMaxTable = 1 << 14;

}  // namespace tg

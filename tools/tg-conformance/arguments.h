// Random legal arguments for every recorded function: by the types of its parameters, by a table
// where types do not say enough, or not at all, for a reason that is written down.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "maker.h"

namespace tg::conformance {

/// Calls `f` on `x`, which it may bring into a form that the function takes, with random legal
/// arguments.
Operand call_randomly(Maker& m, const FnRecord& f, Operand x);

/// How the function's arguments are drawn.
enum class Drawn {
  ByType,
  ByTable,
  Excepted,  ///< never, for a reason
  Not,       ///< neither its types nor a table say how: a mistake in the table
};
Drawn how_drawn(const FnRecord& f);
/// Why the function is never called; empty if it is.
std::string_view why_excepted(const FnRecord& f);
/// All functions that are called, in the order of the documentation.
const std::vector<const FnRecord*>& called_functions();

/// Sizes: few axes, mostly short, at times ones, primes or more than a tile.
Shape random_shape(Draw& draw, int64_t least_axes = 0, int64_t most_axes = 4);

}  // namespace tg::conformance

// Indices for gathers, scatters and brackets: drawn data, and computed without data as programs
// write them (windows, resampling, strides, mirrors). And functions that are composed of recorded
// ones around such indices.
#pragma once

#include "maker.h"

namespace tg::conformance {

/// Integers in [0, n) of any shape of at most two axes.
Operand index_tensor(Maker& m, int64_t n);
/// Integers in [0, n) of this shape, which may repeat along some axes.
Operand index_of_shape(Maker& m, int64_t n, const Shape& shape);
/// A composed function of `x` (any float or integer): windows, resampling, products with one-hot
/// vectors, attention, and the like.
Operand composed_function(Maker& m, Operand x);
int num_composed_functions();
std::string_view composed_name(int which);
Operand composed_function(Maker& m, Operand x, int which);  ///< one of them
/// A long axis of `x`, indexed at computed places among the first few of many.
Operand picked_among_many(Maker& m, Operand x);

}  // namespace tg::conformance

// Small helpers on extents: text, products, strides. Shapes are plain vectors of Dim; row-major
// everywhere.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tg/ir/node.h"

namespace tg {

/// "[2,3]"; "[]" for a scalar.
std::string format_shape(std::span<const Dim> shape);
/// Product of the extents; throws ShapeError when it does not fit 2^62.
Dim numel(std::span<const Dim> shape);
/// Row-major strides in elements.
std::vector<Dim> strides_of(std::span<const Dim> shape);
/// Number of steps of a range whose extent is a constant.
int64_t extent_of(const UOp& range);

}  // namespace tg

// The work that bench/peers/run asks for, by kind and sizes; how: kinds.h. Which sizes are
// measured stands in shapes.py alone.
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "tg/tensor.h"

namespace tg::peers {

/// Makes one call and returns when its result is complete.
using Call = std::function<void()>;

/// The call for work of this kind, inputs computed. Throws ArgumentError for kinds and numbers of
/// sizes that are unknown.
Call prepare(std::string_view kind, std::span<const int64_t> sizes);
/// The same, a call being `times` of them in a row; expressions are captured, and the device is
/// waited for once, behind the last.
Call prepare_many(int64_t times, std::string_view kind, std::span<const int64_t> sizes);
/// Does this work once, as the first in its process, and returns the seconds of the part that
/// counts.
double once(std::string_view kind, std::span<const int64_t> sizes);

/// Numbers in [−1, 1), computed.
Tensor data(const Shape& shape);
/// Computes these and waits for their device.
void finish(const Tensor& result);
void finish_all(const std::vector<Tensor>& results);

}  // namespace tg::peers

// Pictures as tensors and on the host, one from the other.
#pragma once

#include <string>
#include <string_view>

#include "frontend/vision/pixels.h"
#include "tg/tensor.h"

namespace tg::images {

/// ShapeError or DTypeError, in the name of `fn`, unless it is uint8 [height, width, 3].
Pixels pixels_of(std::string_view fn, const Tensor& image);
/// uint8 [height, width, channels].
Tensor tensor_of(const Pixels& picture, const std::string& device);

}  // namespace tg::images

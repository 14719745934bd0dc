// Samples as numbers on the host, for the functions of tg/models/audio.h.
#pragma once

#include <string_view>
#include <vector>

#include "tg/tensor.h"

namespace tg::audio {

/// ShapeError or DTypeError, in the name of `fn`, unless it is float32 [n].
std::vector<float> samples_of(std::string_view fn, const Tensor& samples);

}  // namespace tg::audio

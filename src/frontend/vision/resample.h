// A picture in another size. How: resample.cpp.
#pragma once

#include "frontend/vision/pixels.h"
#include "tg/models/image.h"

namespace tg::images {

/// All sizes are at least 1.
Pixels resampled(const Pixels& picture, int64_t height, int64_t width, Filter filter);
/// The shorter side to `size`, the other in proportion, rounded down.
Pixels resampled_shorter_side(const Pixels& picture, int64_t size, Filter filter);
/// The middle; the picture is at least as large. Of an odd number of pixels around it the smaller
/// half comes first if it `rounds_down`, else the even half, as Python's round has it.
Pixels cropped(const Pixels& picture, int64_t height, int64_t width, bool rounds_down = false);
/// (picture / 255 − mean) / std, [channels, height, width].
std::vector<float> channels_first(const Pixels& picture, const PerChannel& mean,
                                  const PerChannel& std);

}  // namespace tg::images

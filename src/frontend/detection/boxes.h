// From the numbers of a network to boxes in a picture: which are kept (non-maximum suppression),
// and where they are. The picture as the network sees it: letterbox.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "tg/models/object_detector.h"

namespace tg::models {

/// ArgumentError in the name of `function` for options out of range.
void check_detect_options(std::string_view function, const DetectOptions& options);

/// The objects of one picture, the most confident first, without labels, in pixels of what the
/// network saw: of float32 [4 + classes, places] that decoded_boxes() gives. Each place is at most
/// one object, of its most probable class.
std::vector<Detection> kept_boxes(std::span<const float> numbers, int64_t classes,
                                  const DetectOptions& options);

/// The box in pixels of the picture, cut off at its edges.
Box box_in_picture(const Box& box, const LetterboxedPicture& seen);

}  // namespace tg::models

// From the scores of classes to the most probable ones, by name. Who scores: image_classifier.cpp,
// frontend/clip/clip.cpp.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tg/models/image_classifier.h"

namespace tg::models {

/// The `top` most probable of the classes with these scores before the softmax, the most probable
/// first; of equal ones the first. "class 7" where there are no labels.
std::vector<ImageGuess> guesses_of(std::span<const float> logits,
                                   std::span<const std::string> labels, int64_t top);

/// ArgumentError in the name of `function` for less than one.
void check_top(std::string_view function, int64_t top);

}  // namespace tg::models

// Digits that the library draws itself: pen strokes bent, slanted, scaled, moved and blurred at
// random. A stand-in that lets a network train where no data set can be had. These images are not
// MNIST and nothing may call them so.
#pragma once

#include <cstdint>

#include "nn/data/mnist.h"

namespace tg::nn {

/// `count` images of 28 x 28 with their labels, white on black, all ten digits equally likely. A
/// function of count and seed; a longer set begins with a shorter one. `real` is false. Throws
/// ArgumentError if count is negative.
DigitImages drawn_digits(int64_t count, uint64_t seed);

}  // namespace tg::nn

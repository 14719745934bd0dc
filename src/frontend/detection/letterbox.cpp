// Pictures as detectors see them: `letterboxed` of tg/models/object_detector.h. Networks were
// trained on pictures that OpenCV resized, which reads between two neighbours without antialiasing;
// resizing as PIL does it is in frontend/vision/resample.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "frontend/detection/yolov8.h"
#include "frontend/vision/images.h"
#include "frontend/vision/resample.h"
#include "support/check.h"

namespace tg::models {
namespace {

using images::Pixels;

constexpr int64_t kLeastSeenSide = 32, kMostSeenSide = 8192;
constexpr uint8_t kGrey = 114;

// Between two neighbours along an axis: their places, and their weights, of 2^11.
constexpr int kLinearBits = 11;
struct Between {
  int64_t first = 0, second = 0;
  int32_t first_weight = 0, second_weight = 0;
};

// At an edge both are the last pixel.
std::vector<Between> positions(int64_t from, int64_t to) {
  constexpr float kOne = 1 << kLinearBits;
  const double step = 1 / (static_cast<double>(to) / static_cast<double>(from));
  std::vector<Between> out;
  for (int64_t i = 0; i < to; ++i) {
    const auto at = static_cast<float>((static_cast<double>(i) + 0.5) * step - 0.5);
    const auto below = static_cast<int64_t>(std::floor(at));
    const float share = at - static_cast<float>(below);
    out.push_back({.first = std::clamp<int64_t>(below, 0, from - 1),
                   .second = std::clamp<int64_t>(below + 1, 0, from - 1),
                   .first_weight = static_cast<int32_t>(std::nearbyint((1 - share) * kOne)),
                   .second_weight = static_cast<int32_t>(std::nearbyint(share * kOne))});
  }
  return out;
}

// To the bit what OpenCV's vector code gives for bytes: of a sum along a row 15 bits are kept, and
// of each product with a row's weight the bits above 16.
uint8_t weighted_rows(const Between& rows, int32_t above, int32_t below) {
  constexpr int kDropped = 4, kProduct = 16, kLast = 2;
  const int32_t sum = ((rows.first_weight * (above >> kDropped)) >> kProduct) +
                      ((rows.second_weight * (below >> kDropped)) >> kProduct);
  return static_cast<uint8_t>(std::clamp((sum + (1 << (kLast - 1))) >> kLast, 0, 255));
}

Pixels resized_between_neighbours(const Pixels& in, int64_t height, int64_t width) {
  if (in.height == height && in.width == width) return in;
  const std::vector<Between> columns = positions(in.width, width);
  Pixels out{.height = height, .width = width, .channels = in.channels, .bytes = {}};
  out.bytes.reserve(static_cast<size_t>(height * width * in.channels));
  const auto row_of = [&](int64_t y) { return in.bytes.data() + y * in.width * in.channels; };
  for (const Between& y : positions(in.height, height)) {
    const uint8_t *above = row_of(y.first), *below = row_of(y.second);
    for (const Between& x : columns)
      for (int64_t c = 0; c < in.channels; ++c) {
        const auto along = [&](const uint8_t* row) {
          return x.first_weight * row[x.first * in.channels + c] +
                 x.second_weight * row[x.second * in.channels + c];
        };
        out.bytes.push_back(weighted_rows(y, along(above), along(below)));
      }
  }
  return out;
}

// The picture in the middle of a grey one.
Pixels framed(const Pixels& picture, int64_t height, int64_t width, int64_t top, int64_t left) {
  Pixels out{.height = height, .width = width, .channels = picture.channels, .bytes = {}};
  out.bytes.assign(static_cast<size_t>(height * width * picture.channels), kGrey);
  const int64_t row = picture.width * picture.channels;
  for (int64_t y = 0; y < picture.height; ++y)
    std::copy_n(picture.bytes.begin() + y * row, row,
                out.bytes.begin() + ((top + y) * width + left) * picture.channels);
  return out;
}

int64_t rounded_up(int64_t side) { return (side + kSideStep - 1) / kSideStep * kSideStep; }

}  // namespace

LetterboxedPicture letterboxed(const Tensor& picture, int64_t size, const std::string& device) {
  const Pixels pixels = images::pixels_of("letterboxed", picture);
  if (size < kLeastSeenSide || size > kMostSeenSide)
    user_error<ArgumentError>("letterboxed", fmt::format("the size must be {} to {}, got {}",
                                                         kLeastSeenSide, kMostSeenSide, size));
  const int64_t side = rounded_up(size);
  const double scale =
      static_cast<double>(side) / static_cast<double>(std::max(pixels.height, pixels.width));
  const auto scaled = [&](int64_t n) {
    return std::max<int64_t>(1, std::llrint(static_cast<double>(n) * scale));
  };
  const int64_t height = scaled(pixels.height), width = scaled(pixels.width);
  // Of an odd number of grey rows or columns the smaller half comes first.
  LetterboxedPicture out{
      .pixels = {},
      .scale_x = static_cast<double>(width) / static_cast<double>(pixels.width),
      .scale_y = static_cast<double>(height) / static_cast<double>(pixels.height),
      .left = (rounded_up(width) - width) / 2,
      .top = (rounded_up(height) - height) / 2,
      .height = pixels.height,
      .width = pixels.width};
  const Pixels seen = framed(resized_between_neighbours(pixels, height, width), rounded_up(height),
                             rounded_up(width), out.top, out.left);
  out.pixels = {images::channels_first(seen, {0, 0, 0}, {1, 1, 1}),
                {3, seen.height, seen.width},
                {.device = device}};
  return out;
}

}  // namespace tg::models

// Boxes in pictures: `drawn_boxes` of tg/models/object_detector.h.
#include <algorithm>
#include <array>
#include <cmath>

#include "frontend/vision/images.h"
#include "tg/models/object_detector.h"

namespace tg::models {
namespace {

using images::Pixels;
using Colour = std::array<uint8_t, 3>;

// Far apart from each other; classes with the same remainder share one.
constexpr std::array<Colour, 10> kColours = {{{230, 25, 75},
                                              {60, 180, 75},
                                              {255, 225, 25},
                                              {0, 130, 200},
                                              {245, 130, 48},
                                              {145, 30, 180},
                                              {70, 240, 240},
                                              {240, 50, 230},
                                              {210, 245, 60},
                                              {250, 190, 190}}};

// From `begin` to before `end`, of those that exist.
struct PixelRange {
  int64_t begin, end;
};

void fill(Pixels& picture, PixelRange rows, PixelRange columns, const Colour& colour) {
  const auto cut = [](PixelRange& r, int64_t size) {
    r = {std::clamp<int64_t>(r.begin, 0, size), std::clamp<int64_t>(r.end, 0, size)};
  };
  cut(rows, picture.height);
  cut(columns, picture.width);
  for (int64_t y = rows.begin; y < rows.end; ++y)
    for (int64_t x = columns.begin; x < columns.end; ++x)
      std::ranges::copy(colour, picture.bytes.begin() + (y * picture.width + x) * 3);
}

// What is no number is 0; large ones are beyond every picture.
int64_t pixel(double at) {
  constexpr double kMost = 1 << 30;
  return at > 0 ? std::llround(std::min(at, kMost)) : 0;
}

void draw(Pixels& picture, const Box& box, const Colour& colour) {
  const int64_t line = std::max<int64_t>(1, std::max(picture.height, picture.width) / 320);
  const int64_t left = pixel(box.left), right = pixel(box.right);
  const int64_t top = pixel(box.top), bottom = pixel(box.bottom);
  if (right <= left || bottom <= top) return;
  fill(picture, {top, top + line}, {left, right}, colour);
  fill(picture, {bottom - line, bottom}, {left, right}, colour);
  fill(picture, {top, bottom}, {left, left + line}, colour);
  fill(picture, {top, bottom}, {right - line, right}, colour);
}

}  // namespace

Tensor drawn_boxes(const Tensor& picture, std::span<const Detection> detections) {
  Pixels pixels = images::pixels_of("drawn_boxes", picture);
  // The most confident last, so that its frame is whole.
  for (size_t i = detections.size(); i-- > 0;) {
    const auto colour = static_cast<uint64_t>(detections[i].index) % kColours.size();
    draw(pixels, detections[i].box, kColours[colour]);
  }
  return images::tensor_of(pixels, picture.device());
}

}  // namespace tg::models

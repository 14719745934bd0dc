// See boxes.h, and `decoded_boxes` of tg/models/object_detector.h.
#include "frontend/detection/boxes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "frontend/detection/yolov8.h"
#include "support/check.h"

namespace tg::models {
namespace {

// More than these are not compared with each other: they are the least confident of a picture that
// has most places of the largest size full of objects.
constexpr size_t kMostCandidates = 30000;
constexpr int64_t kMostKept = 10000;

// ---- on the device

// The middles of the cells of a grid, in cells, [1, 2, places], and how many pixels a cell has.
struct Places {
  std::vector<Tensor> middles, pixels;
};

void add_grid(Places& places, int64_t rows, int64_t columns, int64_t cell, const Tensor& like) {
  const auto along = [&](int64_t count) {
    return Tensor::arange(static_cast<double>(count),
                          {.dtype = like.dtype(), .device = like.device()}) +
           0.5;
  };
  const int64_t count = rows * columns;
  const Tensor x =
      along(columns).reshape({1, columns}).expand({rows, columns}).reshape({1, 1, count});
  const Tensor y = along(rows).reshape({rows, 1}).expand({rows, columns}).reshape({1, 1, count});
  places.middles.push_back(Tensor::cat({x, y}, 1));
  places.pixels.push_back(Tensor::full({1, 1, count}, static_cast<double>(cell),
                                       {.dtype = like.dtype(), .device = like.device()}));
}

// ---- on the host

struct BoxCandidate {
  float confidence;
  size_t place;
  int64_t index;
  Box box;
};

// The places whose most probable class is confident enough.
std::vector<BoxCandidate> confident(std::span<const float> numbers, int64_t classes,
                                    double confidence) {
  const auto places = numbers.size() / static_cast<size_t>(4 + classes);
  std::vector<float> best(places, -1);
  std::vector<int64_t> index(places, 0);
  for (int64_t c = 0; c < classes; ++c) {
    const auto scores = numbers.subspan(static_cast<size_t>(4 + c) * places, places);
    for (size_t i = 0; i < places; ++i)
      if (scores[i] > best[i]) {
        best[i] = scores[i];
        index[i] = c;
      }
  }
  std::vector<BoxCandidate> out;
  for (size_t i = 0; i < places; ++i) {
    if (!(best[i] > static_cast<float>(confidence))) continue;
    out.push_back({.confidence = best[i],
                   .place = i,
                   .index = index[i],
                   .box = {.left = numbers[i],
                           .top = numbers[places + i],
                           .right = numbers[2 * places + i],
                           .bottom = numbers[3 * places + i]}});
  }
  return out;
}

double area(const Box& b) { return (b.right - b.left) * (b.bottom - b.top); }

// Whether the intersection is more than this share of the union.
bool overlaps(const Box& a, const Box& b, double iou) {
  const double width = std::min(a.right, b.right) - std::max(a.left, b.left);
  const double height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
  if (!(width > 0 && height > 0)) return false;
  const double both = width * height;
  return both > iou * (area(a) + area(b) - both);
}

}  // namespace

Tensor decoded_boxes(const Tensor& raw, int64_t height, int64_t width) {
  const Shape shape = raw.shape();
  const bool is_multiple =
      height > 0 && width > 0 && height % kSideStep == 0 && width % kSideStep == 0;
  int64_t count = 0;
  for (const int64_t cell : kCellPixels) count += (height / cell) * (width / cell);
  if (!is_multiple || shape.size() != 3 || shape[1] <= 4 * kBoxBins || shape[2] != count)
    user_error<ShapeError>(
        "decoded_boxes",
        fmt::format("of pictures of {} x {} pixels it is [n, {} + classes, {}], got [{}]", height,
                    width, 4 * kBoxBins, is_multiple ? fmt::to_string(count) : "no places",
                    fmt::join(shape, ", ")));
  Places places;
  for (const int64_t cell : kCellPixels) add_grid(places, height / cell, width / cell, cell, raw);
  const Tensor middles = Tensor::cat(places.middles, 2), pixels = Tensor::cat(places.pixels, 2);
  const auto rows = [&](const Tensor& t, int64_t begin, int64_t end) {
    return t.shrink({{0, shape[0]}, {begin, end}, {0, count}});
  };
  // How far each side is from the middle: the mean of the bins, weighted by their softmax.
  const Tensor bins =
      Tensor::arange(static_cast<double>(kBoxBins), {.dtype = raw.dtype(), .device = raw.device()})
          .reshape({1, 1, kBoxBins, 1});
  const Tensor sides =
      (rows(raw, 0, 4 * kBoxBins).reshape({shape[0], 4, kBoxBins, count}).softmax(2) * bins)
          .sum({.axis = {2}});
  return Tensor::cat(
      {(middles - rows(sides, 0, 2)) * pixels, (middles + rows(sides, 2, 4)) * pixels,
       rows(raw, 4 * kBoxBins, shape[1]).sigmoid()},
      1);
}

void check_detect_options(std::string_view function, const DetectOptions& o) {
  for (const auto& [name, share] : {std::pair("confidence", o.confidence), std::pair("iou", o.iou)})
    if (!(share >= 0 && share <= 1))
      user_error<ArgumentError>(function, fmt::format("{} must be 0 to 1, got {}", name, share));
  if (o.most < 1 || o.most > kMostKept)
    user_error<ArgumentError>(
        function, fmt::format("there may be 1 to {} objects, got {}", kMostKept, o.most));
}

std::vector<Detection> kept_boxes(std::span<const float> numbers, int64_t classes,
                                  const DetectOptions& o) {
  std::vector<BoxCandidate> candidates = confident(numbers, classes, o.confidence);
  std::ranges::sort(candidates, [](const BoxCandidate& a, const BoxCandidate& b) {
    return a.confidence != b.confidence ? a.confidence > b.confidence : a.place < b.place;
  });
  if (candidates.size() > kMostCandidates) candidates.resize(kMostCandidates);
  std::vector<Detection> out;
  for (const BoxCandidate& c : candidates) {
    if (std::ssize(out) == o.most) break;
    const bool is_known = std::ranges::any_of(out, [&](const Detection& d) {
      return d.index == c.index && overlaps(d.box, c.box, o.iou);
    });
    if (!is_known)
      out.push_back({.label = {}, .index = c.index, .confidence = c.confidence, .box = c.box});
  }
  return out;
}

Box box_in_picture(const Box& b, const LetterboxedPicture& seen) {
  // What is no number, as damaged weights give, becomes the edge.
  const auto within = [](double x, int64_t most) {
    return x > 0 ? std::min(x, static_cast<double>(most)) : 0.0;
  };
  const auto x = [&](double at) {
    return within((at - static_cast<double>(seen.left)) / seen.scale_x, seen.width);
  };
  const auto y = [&](double at) {
    return within((at - static_cast<double>(seen.top)) / seen.scale_y, seen.height);
  };
  return {.left = x(b.left), .top = y(b.top), .right = x(b.right), .bottom = y(b.bottom)};
}

}  // namespace tg::models

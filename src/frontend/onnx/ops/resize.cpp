// Resize and Upsample: along each axis an element is a weighted sum of a few others, whose places
// and weights are known on the host.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "frontend/onnx/ops/common.h"
#include "frontend/onnx/table.h"

namespace tg::onnx {
namespace {

// How one axis is resized.
struct Stretch {
  int64_t from = 1, to = 1;
  double scale = 1;
  double roi_start = 0, roi_end = 1;
};

struct ResizeRule {
  std::string mode, coordinates, nearest;
  double cubic = -0.75, extrapolation = 0;
  bool exclude_outside = false, antialias = false;
};

double original(const Node& n, const ResizeRule& r, const Stretch& s, int64_t at) {
  const auto x = static_cast<double>(at), from = static_cast<double>(s.from),
             to = static_cast<double>(s.to);
  if (r.coordinates == "half_pixel") return (x + 0.5) / s.scale - 0.5;
  if (r.coordinates == "half_pixel_symmetric") {
    const double adjusted = to / (s.scale * from), centre = from / 2;
    return centre * (1 - adjusted) + (x + 0.5) / s.scale - 0.5;
  }
  if (r.coordinates == "pytorch_half_pixel") return s.to > 1 ? (x + 0.5) / s.scale - 0.5 : 0;
  if (r.coordinates == "align_corners") return s.to > 1 ? x * (from - 1) / (to - 1) : 0;
  if (r.coordinates == "asymmetric") return x / s.scale;
  if (r.coordinates == "tf_half_pixel_for_nn") return (x + 0.5) / s.scale;
  if (r.coordinates == "tf_crop_and_resize")
    return s.to > 1
               ? s.roi_start * (from - 1) + x * (s.roi_end - s.roi_start) * (from - 1) / (to - 1)
               : 0.5 * (s.roi_start + s.roi_end) * (from - 1);
  n.unsupported("the coordinates \"" + r.coordinates + "\"");
}

double nearest_place(const Node& n, const std::string& how, double x) {
  if (how == "round_prefer_floor") return std::ceil(x - 0.5);
  if (how == "round_prefer_ceil") return std::floor(x + 0.5);
  if (how == "floor") return std::floor(x);
  if (how == "ceil") return std::ceil(x);
  n.unsupported("nearest_mode \"" + how + "\"");
}

double cubic_weight(double a, double t) {
  t = std::fabs(t);
  if (t <= 1) return ((a + 2) * t - (a + 3)) * t * t + 1;
  if (t < 2) return ((a * t - 5 * a) * t + 8 * a) * t - 4 * a;
  return 0;
}

// For each element of the result the places of its taps and their weights, tap by tap.
struct Taps {
  std::vector<std::vector<int64_t>> places;
  std::vector<std::vector<double>> weights;
};

Taps taps_of(const Node& n, const ResizeRule& r, const Stretch& s) {
  const bool linear = r.mode == "linear";
  const double narrow = r.antialias ? std::min(s.scale, 1.0) : 1.0;
  const auto first = static_cast<int64_t>(std::floor(-(linear ? 1.0 : 2.0) / narrow)) + 1;
  const int64_t count = (linear ? 2 : 4) - 2 * (first + (linear ? 0 : 1));
  n.require(count > 0 && count < 10000, "a scale that is too small");
  Taps out{std::vector<std::vector<int64_t>>(static_cast<size_t>(count)),
           std::vector<std::vector<double>>(static_cast<size_t>(count))};
  for (int64_t i = 0; i < s.to; ++i) {
    const double x = original(n, r, s, i), base = std::floor(x), ratio = x - base;
    double total = 0;
    std::vector<double> weights;
    for (int64_t k = 0; k < count; ++k) {
      const double t = (static_cast<double>(first + k) - ratio) * narrow;
      double w = linear ? std::max(0.0, 1 - std::fabs(t)) : cubic_weight(r.cubic, t);
      const double place = base + static_cast<double>(first + k);
      if (r.exclude_outside && (place < 0 || place >= static_cast<double>(s.from))) w = 0;
      const double last = static_cast<double>(s.from - 1);
      out.places[static_cast<size_t>(k)].push_back(
          static_cast<int64_t>(std::clamp(place, 0.0, last)));
      weights.push_back(w);
      total += w;
    }
    const bool scaled = (r.exclude_outside || r.antialias) && total != 0;
    for (size_t k = 0; k < weights.size(); ++k)
      out.weights[k].push_back(scaled ? weights[k] / total : weights[k]);
  }
  return out;
}

Shape along(int64_t axis, int64_t rank, int64_t size) {
  Shape shape(static_cast<size_t>(rank), 1);
  shape[static_cast<size_t>(axis)] = size;
  return shape;
}

Tensor resize_axis(const Node& n, const ResizeRule& r, const Stretch& s, const Tensor& x,
                   int64_t axis) {
  if (r.mode == "nearest") {
    std::vector<int64_t> places;
    for (int64_t i = 0; i < s.to; ++i) {
      const double at = nearest_place(n, r.nearest, original(n, r, s, i));
      places.push_back(static_cast<int64_t>(std::clamp(at, 0.0, static_cast<double>(s.from - 1))));
    }
    return gather_along(x, int_tensor(n, places, {s.to}), axis);
  }
  const Taps taps = taps_of(n, r, s);
  Tensor out;
  for (size_t k = 0; k < taps.places.size(); ++k) {
    const Tensor part = gather_along(x, int_tensor(n, taps.places[k], {s.to}), axis) *
                        float_tensor(n, taps.weights[k], along(axis, x.ndim(), s.to), x.dtype());
    out = k == 0 ? part : out + part;
  }
  return out;
}

// What lies outside the input along an axis gets the value of extrapolation.
Tensor extrapolated(const Node& n, const ResizeRule& r, const Stretch& s, const Tensor& y,
                    int64_t axis) {
  std::vector<int64_t> outside;
  for (int64_t i = 0; i < s.to; ++i) {
    const double at = original(n, r, s, i);
    outside.push_back(at < 0 || at > static_cast<double>(s.from - 1));
  }
  const Tensor mask = int_tensor(n, outside, along(axis, y.ndim(), s.to)).cast(DType::Bool);
  return mask.where(Tensor(r.extrapolation).cast(y.dtype()), y);
}

Values resized(const Node& n, const ResizeRule& r, const std::vector<Stretch>& stretches) {
  Tensor x = n.tensor(0);
  const DType dtype = x.dtype();
  n.require(r.mode == "nearest" || r.mode == "linear" || r.mode == "cubic",
            "unknown mode \"" + r.mode + "\"");
  if (r.mode != "nearest" && dtype != DType::Float64) x = x.cast(DType::Float32);
  for (size_t i = 0; i < stretches.size(); ++i) {
    const Stretch& s = stretches[i];
    n.require(s.to >= 0 && s.to < (int64_t{1} << 24) && (s.from > 0 || s.to == 0),
              "a size that is negative or too large");
    const bool crops = r.coordinates == "tf_crop_and_resize";
    if (s.from == s.to && s.scale == 1 && !(crops && (s.roi_start != 0 || s.roi_end != 1)))
      continue;
    x = resize_axis(n, r, s, x, static_cast<int64_t>(i));
    if (crops) x = extrapolated(n, r, s, x, static_cast<int64_t>(i));
  }
  return {x.cast(dtype)};
}

std::vector<Stretch> by_scales(const Node& n, const Shape& shape, const std::vector<double>& scales,
                               const std::vector<int64_t>& axes) {
  std::vector<Stretch> out;
  for (const int64_t size : shape) out.push_back({size, size});
  n.require(scales.size() == axes.size(), "not one scale for each axis");
  for (size_t i = 0; i < axes.size(); ++i) {
    Stretch& s = out[static_cast<size_t>(axes[i])];
    n.require(scales[i] > 0 && scales[i] < 1e6, "a scale that is not positive or too large");
    s.scale = scales[i];
    s.to = static_cast<int64_t>(std::floor(static_cast<double>(s.from) * scales[i]));
  }
  return out;
}

void set_sizes(const Node& n, const std::vector<int64_t>& sizes, const std::vector<int64_t>& axes,
               std::vector<Stretch>& out) {
  n.require(sizes.size() == axes.size(), "not one size for each axis");
  const std::string policy = n.text("keep_aspect_ratio_policy", "stretch");
  for (const int64_t a : axes)
    n.require(out[static_cast<size_t>(a)].from > 0, "an axis without elements");
  std::vector<double> scales;
  for (size_t i = 0; i < axes.size(); ++i)
    scales.push_back(static_cast<double>(sizes[i]) /
                     static_cast<double>(out[static_cast<size_t>(axes[i])].from));
  const bool larger = policy == "not_smaller";
  n.require(larger || policy == "stretch" || policy == "not_larger",
            "unknown keep_aspect_ratio_policy");
  const double common = scales.empty() ? 1
                        : larger       ? *std::ranges::max_element(scales)
                                       : *std::ranges::min_element(scales);
  for (size_t i = 0; i < axes.size(); ++i) {
    Stretch& s = out[static_cast<size_t>(axes[i])];
    s.scale = policy == "stretch" ? scales[i] : common;
    s.to = policy == "stretch"
               ? sizes[i]
               : static_cast<int64_t>(std::floor(common * static_cast<double>(s.from) + 0.5));
  }
}

Values resize(const Node& n) {
  const Shape shape = n.shape(0);
  std::vector<int64_t> axes(shape.size());
  std::iota(axes.begin(), axes.end(), 0);
  if (n.version() < 11)  // as Upsample
    return resized(n, {n.text("mode", "nearest"), "asymmetric", "floor"},
                   by_scales(n, shape, n.reals(1), axes));
  if (const auto given = n.integers("axes"))
    axes = n.axes(*given, static_cast<int64_t>(shape.size()));
  const ResizeRule rule{n.text("mode", "nearest"),
                        n.text("coordinate_transformation_mode", "half_pixel"),
                        n.text("nearest_mode", "round_prefer_floor"),
                        n.real("cubic_coeff_a", -0.75),
                        n.real("extrapolation_value", 0),
                        n.flag("exclude_outside"),
                        n.flag("antialias")};
  const std::vector<double> scales = n.has(2) ? n.reals(2) : std::vector<double>{};
  std::vector<Stretch> out =
      by_scales(n, shape, scales.empty() ? std::vector<double>(axes.size(), 1) : scales, axes);
  n.require(!scales.empty() || n.has(3), "neither scales nor sizes");
  if (scales.empty()) set_sizes(n, n.integers(3), axes, out);
  if (rule.coordinates == "tf_crop_and_resize") {
    const std::vector<double> roi = n.reals(1);
    n.require(roi.size() == 2 * axes.size(), "roi does not have two numbers an axis");
    for (size_t i = 0; i < axes.size(); ++i) {
      out[static_cast<size_t>(axes[i])].roi_start = roi[i];
      out[static_cast<size_t>(axes[i])].roi_end = roi[axes.size() + i];
    }
  }
  return resized(n, rule, out);
}

Values upsample(const Node& n) {
  const Shape shape = n.shape(0);
  std::vector<int64_t> axes(shape.size());
  std::iota(axes.begin(), axes.end(), 0);
  const std::vector<double> scales =
      n.version() >= 9 ? n.reals(1) : n.reals("scales").value_or(std::vector<double>{});
  std::string mode = n.text("mode", "nearest");
  if (mode == "bilinear") mode = "linear";
  return resized(n, {mode, "asymmetric", "floor"}, by_scales(n, shape, scales, axes));
}

}  // namespace

std::span<const Operator> resize_operators() {
  static const std::vector<Operator> rows = {
      {"Resize",
       {10, 11, 13, 18, 19},
       "antialias axes coordinate_transformation_mode cubic_coeff_a exclude_outside "
       "extrapolation_value keep_aspect_ratio_policy mode nearest_mode",
       resize},
      {"Upsample", {7, 9}, "mode scales", upsample},
  };
  return rows;
}

}  // namespace tg::onnx

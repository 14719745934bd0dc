// Operators of detectors: boxes, regions, samples of grids.
#include <algorithm>
#include <array>
#include <numeric>

#include "frontend/onnx/ops/common.h"
#include "frontend/onnx/table.h"

namespace tg::onnx {
namespace {

struct Box {
  double y1, x1, y2, x2;
};

Box box_at(const HostArray& boxes, int64_t i, bool centred) {
  const double a = boxes.real(4 * i), b = boxes.real(4 * i + 1), c = boxes.real(4 * i + 2),
               d = boxes.real(4 * i + 3);
  if (centred) return {b - d / 2, a - c / 2, b + d / 2, a + c / 2};
  return {std::min(a, c), std::min(b, d), std::max(a, c), std::max(b, d)};
}

double overlap(const Box& a, const Box& b) {
  const double h = std::min(a.y2, b.y2) - std::max(a.y1, b.y1),
               w = std::min(a.x2, b.x2) - std::max(a.x1, b.x1);
  if (h <= 0 || w <= 0) return 0;
  const double both = (a.y2 - a.y1) * (a.x2 - a.x1) + (b.y2 - b.y1) * (b.x2 - b.x1) - h * w;
  return both <= 0 ? 0 : h * w / both;
}

// How many boxes are selected decides the shape, so boxes and scores are computed now.
Values non_max_suppression(const Node& n) {
  const HostArray boxes = n.numbers(0), scores = n.numbers(1);
  n.require(boxes.shape.size() == 3 && scores.shape.size() == 3 && boxes.shape[2] == 4 &&
                boxes.shape[0] == scores.shape[0] && boxes.shape[1] == scores.shape[2],
            "boxes are not [batch, boxes, 4] and scores [batch, classes, boxes]");
  const int64_t most = n.has(2) ? n.integer(2) : 0, count = boxes.shape[1];
  const double limit = n.has(3) ? n.real(3) : 0;
  const bool centred = n.flag("center_point_box");
  std::vector<int64_t> out;
  for (int64_t b = 0; b < scores.shape[0]; ++b) {
    for (int64_t c = 0; c < scores.shape[1]; ++c) {
      const int64_t first = (b * scores.shape[1] + c) * count;
      std::vector<int64_t> order;
      for (int64_t i = 0; i < count; ++i)
        if (!n.has(4) || scores.real(first + i) > n.real(4)) order.push_back(i);
      std::ranges::stable_sort(order, std::greater{},
                               [&](int64_t i) { return scores.real(first + i); });
      std::vector<Box> kept;
      for (const int64_t i : order) {
        if (static_cast<int64_t>(kept.size()) >= most) break;
        const Box box = box_at(boxes, b * count + i, centred);
        if (std::ranges::any_of(kept, [&](const Box& k) { return overlap(k, box) > limit; }))
          continue;
        kept.push_back(box);
        out.insert(out.end(), {b, c, i});
      }
    }
  }
  const auto rows = static_cast<int64_t>(out.size()) / 3;
  return {HostArray{DType::Int64, {rows, 3}, std::move(out), {}}};
}

// Coordinates of the samples along one axis of all regions, [regions, bins · samples].
struct RoiAxis {
  Tensor low, high;          // places of the two neighbours
  Tensor low_share, inside;  // weight of the lower one; 0 where the sample is outside
};

RoiAxis roi_axis(const Node& n, const Tensor& start, const Tensor& end, int64_t bins,
                 int64_t samples, int64_t size, bool half_pixel) {
  Tensor length = end - start;
  if (!half_pixel) length = length.maximum(1);
  const Tensor at = Tensor::arange(static_cast<double>(bins * samples),
                                   {.dtype = DType::Float32, .device = n.device()}) +
                    0.5;
  const Tensor step = length / static_cast<double>(bins * samples);
  const Tensor y = start.unsqueeze(1) + at.unsqueeze(0) * step.unsqueeze(1);
  const auto last = static_cast<double>(size - 1);
  const Tensor inside = (y >= -1).logical_and(y <= static_cast<double>(size)).cast(y.dtype());
  const Tensor c = y.clip(0, last), low = c.floor();
  return {low.cast(DType::Int64), (low + 1).minimum(last).cast(DType::Int64), 1 - (c - low),
          inside};
}

Values roi_align(const Node& n) {
  const Tensor x = n.tensor(0), rois = n.tensor(1), batch = n.tensor(2);
  const int64_t h = n.integer("output_height", 1), w = n.integer("output_width", 1),
                samples = n.integer("sampling_ratio", 0);
  n.require(x.ndim() == 4 && rois.ndim() == 2 && rois.size(1) == 4,
            "the input has four axes, the regions are [n, 4]");
  n.require(h > 0 && w > 0 && h < 65536 && w < 65536 && samples >= 0 && samples < 4096,
            "sizes that are not positive");
  if (samples == 0) n.unsupported("sampling_ratio = 0, by the size of each region,");
  if (n.text("mode", "avg") != "avg") n.unsupported("mode \"" + n.text("mode", "avg") + "\"");
  const bool half = n.text("coordinate_transformation_mode",
                           n.version() >= 16 ? "half_pixel" : "output_half_pixel") == "half_pixel";
  const Tensor r = rois * n.real("spatial_scale", 1) - (half ? 0.5 : 0.0);
  const auto side = [&](int64_t i) { return r[{Slice(), i}]; };
  const RoiAxis ya = roi_axis(n, side(1), side(3), h, samples, x.size(2), half);
  const RoiAxis xa = roi_axis(n, side(0), side(2), w, samples, x.size(3), half);
  const Tensor last = x.permute({0, 2, 3, 1});  // channels behind the places
  const Tensor b = batch.cast(DType::Int64).unsqueeze(1).unsqueeze(2);
  Tensor sum;
  for (int k = 0; k < 4; ++k) {
    const bool up = k < 2, left = k % 2 == 0;
    const Tensor values = last.index(
        {b, (up ? ya.low : ya.high).unsqueeze(2), (left ? xa.low : xa.high).unsqueeze(1)});
    const Tensor wy = (up ? ya.low_share : 1 - ya.low_share) * ya.inside;
    const Tensor wx = (left ? xa.low_share : 1 - xa.low_share) * xa.inside;
    const Tensor part = values * (wy.unsqueeze(2) * wx.unsqueeze(1)).unsqueeze(3);
    sum = k == 0 ? part : sum + part;
  }
  const Tensor cells =
      sum.reshape({rois.size(0), h, samples, w, samples, x.size(1)}).mean({.axis = {2, 4}});
  return {cells.permute({0, 3, 1, 2}).cast(x.dtype())};
}

// For each cell of regions along one axis whether it covers each place: [regions, cells, places].
Tensor covered(const Node& n, const Tensor& start, const Tensor& end, int64_t cells, int64_t size) {
  const Tensor cell = counted(n, cells).cast(start.dtype());
  const Tensor step = ((end - start + 1).maximum(1) / static_cast<double>(cells)).unsqueeze(1);
  const Tensor from = (cell * step).floor() + start.unsqueeze(1);
  const Tensor to = ((cell + 1) * step).ceil() + start.unsqueeze(1);
  const Tensor place = counted(n, size).cast(start.dtype());
  return (place >= from.unsqueeze(2)).logical_and(place < to.unsqueeze(2));
}

Tensor rounded_away(const Tensor& x) { return (x.abs() + 0.5).floor().copysign(x); }

// Maxima of the cells, first of each row of the images, then of the rows; 0 of cells without
// elements.
Values max_roi_pool(const Node& n) {
  const Tensor x = n.tensor(0), rois = n.tensor(1);
  const auto cells = n.integers("pooled_shape");
  n.require(x.ndim() == 4 && rois.ndim() == 2 && rois.size(1) == 5,
            "the input has four axes, the regions are [n, 5]");
  n.require(cells && cells->size() == 2 && (*cells)[0] > 0 && (*cells)[1] > 0 &&
                (*cells)[0] < 65536 && (*cells)[1] < 65536,
            "pooled_shape is not two positive sizes");
  const Tensor corner = rounded_away(rois.cast(DType::Float32) * n.real("spatial_scale", 1));
  const auto side = [&](int64_t i) { return corner[{Slice(), i}]; };
  const Tensor rows = covered(n, side(2), side(4), (*cells)[0], x.size(2));
  const Tensor columns = covered(n, side(1), side(3), (*cells)[1], x.size(3));
  const Tensor least = Tensor(-std::numeric_limits<double>::infinity()).cast(x.dtype());
  const Tensor images = gather_along(x, rois[{Slice(), 0}].cast(DType::Int64), 0);
  const Tensor of_rows = columns.unsqueeze(1)
                             .unsqueeze(1)  // [regions, 1, 1, cells, width]
                             .where(images.unsqueeze(3), least)
                             .max({.axis = -1});
  const Tensor greatest = rows.unsqueeze(1)
                              .unsqueeze(-1)  // [regions, 1, cells, height, 1]
                              .where(of_rows.unsqueeze(2), least)
                              .max({.axis = 3});
  return {(greatest == least).where(Tensor(0).cast(x.dtype()), greatest)};
}

Values grid_sample(const Node& n) {
  const std::string mode = n.text("mode", n.version() >= 20 ? "linear" : "bilinear"),
                    edge = n.text("padding_mode", "zeros");
  if (mode != "bilinear" && mode != "linear" && mode != "nearest")
    n.unsupported("mode \"" + mode + "\"");
  n.require(edge == "zeros" || edge == "border" || edge == "reflection",
            "unknown padding_mode \"" + edge + "\"");
  const GridSampleOptions options{
      .mode = mode == "nearest" ? GridSampleMode::Nearest : GridSampleMode::Linear,
      .padding = edge == "zeros"    ? GridSamplePadding::Zeros
                 : edge == "border" ? GridSamplePadding::Border
                                    : GridSamplePadding::Reflection,
      .align_corners = n.flag("align_corners")};
  return {n.tensor(0).grid_sample(n.tensor(1), options)};
}

Values affine_grid(const Node& n) {
  const std::vector<int64_t> size = n.integers(1);
  n.require(size.size() > 2, "size has fewer than three numbers");
  return {n.tensor(0).affine_grid({size.begin() + 2, size.end()}, n.flag("align_corners"))};
}

}  // namespace

std::span<const Operator> detection_operators() {
  static const std::vector<Operator> rows = {
      {"AffineGrid", {20}, "align_corners", affine_grid},
      {"GridSample", {16, 20, 22}, "align_corners mode padding_mode", grid_sample},
      {"MaxRoiPool", {1, 22}, "pooled_shape spatial_scale", max_roi_pool},
      {"NonMaxSuppression", {10, 11}, "center_point_box", non_max_suppression},
      {"RoiAlign",
       {10, 16, 22},
       "coordinate_transformation_mode mode output_height output_width sampling_ratio "
       "spatial_scale",
       roi_align},
  };
  return rows;
}

}  // namespace tg::onnx

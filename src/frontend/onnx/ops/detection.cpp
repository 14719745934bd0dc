// Operators of detectors: boxes and regions. Samples of grids: sampling.cpp.
#include <algorithm>
#include <array>
#include <limits>
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
  Tensor used;               // false for samples beyond the region's own number, bool
  Tensor count;              // samples of a bin, [regions]
  int64_t most;              // the largest such number
};

// Where the attribute does not say it, a region has as many samples as elements.
RoiAxis roi_axis(const Node& n, const Tensor& start, const Tensor& end, int64_t bins, int64_t size,
                 bool half_pixel) {
  const Tensor length = half_pixel ? end - start : (end - start).maximum(1);
  const Tensor bin = length / static_cast<double>(bins);
  const int64_t ratio = n.integer("sampling_ratio", 0);
  n.require(ratio >= 0 && ratio < 4096, "sampling_ratio is negative or too large");
  const Tensor count = ratio > 0 ? bin.full_like(ratio) : bin.ceil().maximum(0);
  const double most =
      ratio > 0 || count.numel() == 0 ? static_cast<double>(ratio) : read_back(count.max()).real(0);
  n.require(most < 4096, "a region of too many elements");
  const auto samples = std::max<int64_t>(1, static_cast<int64_t>(most));
  const Tensor place = counted(n, bins * samples);
  const Tensor sample = place.mod(samples).cast(DType::Float32);
  const Tensor of_bin = (sample + 0.5) / count.maximum(1).unsqueeze(1);
  const Tensor y = start.unsqueeze(1) +
                   (place.floordiv(samples).cast(DType::Float32) + of_bin) * bin.unsqueeze(1);
  const Tensor used = sample < count.unsqueeze(1);
  const auto last = static_cast<double>(size - 1);
  const Tensor inside = (y >= -1).logical_and(y <= static_cast<double>(size)).cast(y.dtype());
  const Tensor c = y.clip(0, last), low = c.floor();
  return {low.cast(DType::Int64),
          (low + 1).minimum(last).cast(DType::Int64),
          1 - (c - low),
          inside,
          used,
          count,
          samples};
}

// What the four neighbours of each sample count, [regions, rows, columns, channels].
std::vector<Tensor> roi_corners(const Tensor& x, const Tensor& batch, const RoiAxis& ya,
                                const RoiAxis& xa) {
  const Tensor last = x.permute({0, 2, 3, 1});  // channels behind the places
  const Tensor b = batch.cast(DType::Int64).unsqueeze(1).unsqueeze(2);
  std::vector<Tensor> out;
  for (int k = 0; k < 4; ++k) {
    const bool up = k < 2, left = k % 2 == 0;
    const Tensor values = last.index(
        {b, (up ? ya.low : ya.high).unsqueeze(2), (left ? xa.low : xa.high).unsqueeze(1)});
    const Tensor wy = (up ? ya.low_share : 1 - ya.low_share) * ya.inside;
    const Tensor wx = (left ? xa.low_share : 1 - xa.low_share) * xa.inside;
    out.push_back(values * (wy.unsqueeze(2) * wx.unsqueeze(1)).unsqueeze(3));
  }
  return out;
}

Values roi_align(const Node& n) {
  const Tensor x = n.tensor(0), rois = n.tensor(1);
  const int64_t h = n.integer("output_height", 1), w = n.integer("output_width", 1);
  n.require(x.ndim() == 4 && rois.ndim() == 2 && rois.size(1) == 4,
            "the input has four axes, the regions are [n, 4]");
  n.require(h > 0 && w > 0 && h < 65536 && w < 65536, "sizes that are not positive");
  const std::string mode = n.text("mode", "avg");
  n.require(mode == "avg" || mode == "max", "unknown mode \"" + mode + "\"");
  const bool half = n.text("coordinate_transformation_mode",
                           n.version() >= 16 ? "half_pixel" : "output_half_pixel") == "half_pixel";
  const Tensor r = rois.cast(DType::Float32) * n.real("spatial_scale", 1) - (half ? 0.5 : 0.0);
  const auto side = [&](int64_t i) { return r[{Slice(), i}]; };
  const RoiAxis ya = roi_axis(n, side(1), side(3), h, x.size(2), half);
  const RoiAxis xa = roi_axis(n, side(0), side(2), w, x.size(3), half);
  const std::vector<Tensor> corners = roi_corners(x, n.tensor(2), ya, xa);
  const Tensor used = ya.used.unsqueeze(2).logical_and(xa.used.unsqueeze(1)).unsqueeze(3);
  const auto cells = [&](const Tensor& t) {
    return t.reshape({rois.size(0), h, ya.most, w, xa.most, x.size(1)});
  };
  Tensor y;
  if (mode == "avg") {
    const Tensor sum = corners[0] + corners[1] + corners[2] + corners[3];
    const Tensor count = (ya.count * xa.count).maximum(1).reshape({-1, 1, 1, 1});
    y = cells(used.where(sum, 0)).sum({.axis = {2, 4}}) / count;
  } else {
    // The largest share of a neighbour, not of what is read between them.
    const Tensor most = corners[0].maximum(corners[1]).maximum(corners[2]).maximum(corners[3]);
    const Tensor least = Tensor(-std::numeric_limits<double>::infinity()).cast(most.dtype());
    y = cells(used.where(most, least)).max({.axis = {2, 4}});
    y = (y == least).where(0, y);
  }
  return {y.permute({0, 3, 1, 2}).cast(x.dtype())};
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

}  // namespace

std::span<const Operator> detection_operators() {
  static const std::vector<Operator> rows = {
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

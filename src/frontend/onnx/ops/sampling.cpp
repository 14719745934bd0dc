// Operators that read between the elements, at places that are computed: grids, and convolutions
// whose windows are deformed. Axes whose places are evenly spaced: resize.cpp.
#include <algorithm>

#include "frontend/onnx/ops/common.h"
#include "frontend/onnx/table.h"

namespace tg::onnx {
namespace {

// For each place an element of one axis, int64, and what it counts: [batch, places].
struct WeightedElement {
  Tensor index, weight;
};
using WeightedElements = std::vector<WeightedElement>;

// x [batch, channels, spatial…] at places of which each axis names the elements that count: their
// sum over all choices of one on each axis, [batch, channels, places].
Tensor read_between(const Tensor& x, const std::vector<WeightedElements>& axes) {
  const Shape xs = x.shape();
  const Tensor flat = x.reshape({xs[0], xs[1], elements_of({xs.begin() + 2, xs.end()})});
  WeightedElements cells = axes[0];
  for (size_t a = 1; a < axes.size(); ++a) {
    WeightedElements finer;
    for (const WeightedElement& c : cells)
      for (const WeightedElement& e : axes[a])
        finer.push_back({c.index * xs[a + 2] + e.index, c.weight * e.weight});
    cells = std::move(finer);
  }
  Tensor sum;
  for (size_t i = 0; i < cells.size(); ++i) {
    const Tensor index = cells[i].index.unsqueeze(1).expand({xs[0], xs[1], -1});
    const Tensor part = flat.gather(2, index) * cells[i].weight.unsqueeze(1);
    sum = i == 0 ? part : sum + part;
  }
  return sum;
}

// An element at a whole number; outside of the axis it counts nothing.
WeightedElement or_nothing(const Tensor& at, const Tensor& weight, int64_t size) {
  const Tensor inside = (at >= 0).logical_and(at <= static_cast<double>(size - 1));
  return {inside.where(at, 0).cast(DType::Int64), inside.where(weight, 0)};
}

WeightedElements linear_elements(const Tensor& at, int64_t size) {
  const Tensor low = at.floor().detach(), share = at - low;
  return {or_nothing(low, 1 - share, size), or_nothing(low + 1, share, size)};
}

// ---- GridSample and AffineGrid

// A whole number mirrored at the ends of the axis: at the end elements themselves, or between them
// and their own images.
Tensor mirrored_place(const Tensor& at, int64_t size, bool at_elements) {
  const int64_t period = std::max<int64_t>(1, at_elements ? 2 * (size - 1) : 2 * size);
  const Tensor rest = at.cast(DType::Int64).mod(period);
  return (rest < size).where(rest, (at_elements ? period : period - 1) - rest);
}

// The weight of an element at this distance from the place, by Keys' cubic with −0.75.
Tensor cubic_weight(const Tensor& distance, bool near) {
  constexpr double kSlope = -0.75;
  const Tensor& d = distance;
  return near ? ((kSlope + 2) * d - (kSlope + 3)) * d * d + 1
              : ((kSlope * d - 5 * kSlope) * d + 8 * kSlope) * d - 4 * kSlope;
}

WeightedElements cubic_elements(const Tensor& at, int64_t size, const std::string& edge,
                                bool align_corners) {
  // What is farther away than an int64 counts is nowhere near the elements.
  const Tensor low = at.floor().clip(-1e15, 1e15).detach(), share = at - low;
  WeightedElements out;
  for (int64_t k = -1; k <= 2; ++k) {
    const Tensor weight = cubic_weight((share - k).abs(), k == 0 || k == 1);
    const Tensor place = low + k;
    if (edge == "zeros")
      out.push_back(or_nothing(place, weight, size));
    else if (edge == "border")
      out.push_back({place.clip(0, size - 1).cast(DType::Int64), weight});
    else
      out.push_back({mirrored_place(place, size, align_corners), weight});
  }
  return out;
}

Tensor cubic_sample(const Node& n, const std::string& edge, bool align_corners) {
  const Tensor x = n.tensor(0), grid = n.tensor(1);
  const int64_t axes = x.ndim() - 2;
  n.require(axes > 0 && x.numel() > 0 && grid.ndim() >= 2 && grid.size(-1) == axes &&
                grid.size(0) == x.size(0),
            "input and grid are not [batch, channels, spatial…] and [batch, out…, axes]");
  const DType dtype = x.dtype() == DType::Float64 ? DType::Float64 : DType::Float32;
  const Tensor points = grid.cast(dtype).reshape({x.size(0), -1, axes});
  std::vector<WeightedElements> elements;
  for (int64_t a = 0; a < axes; ++a) {
    const int64_t size = x.size(a + 2);
    const auto count = static_cast<double>(size);
    const Tensor g = points[{Ellipsis, axes - 1 - a}] + 1;  // the last axis comes first
    const Tensor at = align_corners ? g * ((count - 1) / 2) : (g * count - 1) / 2;
    elements.push_back(cubic_elements(at, size, edge, align_corners));
  }
  Shape shape = grid.shape();
  shape.back() = x.size(1);
  std::rotate(shape.begin() + 1, shape.end() - 1, shape.end());
  return read_between(x, elements).reshape(shape).cast(x.dtype());
}

Values grid_sample(const Node& n) {
  const std::string mode = n.text("mode", n.version() >= 20 ? "linear" : "bilinear"),
                    edge = n.text("padding_mode", "zeros");
  const bool cubic = mode == "cubic" || mode == "bicubic";
  n.require(cubic || mode == "bilinear" || mode == "linear" || mode == "nearest",
            "unknown mode \"" + mode + "\"");
  n.require(edge == "zeros" || edge == "border" || edge == "reflection",
            "unknown padding_mode \"" + edge + "\"");
  if (cubic) return {cubic_sample(n, edge, n.flag("align_corners"))};
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

// ---- DeformConv

// Where the taps of each window stand without offsets, counted in elements, on each spatial axis:
// [taps · places].
std::vector<Tensor> window_places(const Node& n, const Window& w, const Shape& places) {
  std::vector<Tensor> taps, starts;
  for (size_t i = 0; i < places.size(); ++i) {
    taps.push_back(counted(n, w.kernel[i]) * w.dilations[i]);
    starts.push_back(counted(n, places[i]) * w.strides[i] - w.before[i]);
  }
  const std::vector<Tensor> inner = Tensor::meshgrid(taps), outer = Tensor::meshgrid(starts);
  std::vector<Tensor> out;
  for (size_t i = 0; i < places.size(); ++i)
    out.push_back((inner[i].flatten().unsqueeze(1) + outer[i].flatten()).flatten());
  return out;
}

// The sizes of a deformable convolution.
struct DeformedSizes {
  Shape spatial, kernel, out;
  int64_t batch, channels, group_channels, out_channels, groups, parts, axes, taps = 0, places = 0;
};

DeformedSizes deformed_sizes(const Node& n) {
  const Shape x = n.shape(0), weight = n.shape(1), offset = n.shape(2);
  n.require(x.size() >= 3 && weight.size() == x.size() && offset.size() == x.size(),
            "input, weight and offset have the same number of axes, at least 3");
  DeformedSizes s{{x.begin() + 2, x.end()},
                  {weight.begin() + 2, weight.end()},
                  {offset.begin() + 2, offset.end()},
                  x[0],
                  x[1],
                  weight[1],
                  weight[0],
                  n.integer("group", 1),
                  n.integer("offset_group", 1),
                  static_cast<int64_t>(x.size()) - 2};
  s.taps = elements_of(s.kernel);
  s.places = elements_of(s.out);
  n.require(s.groups > 0 && s.parts > 0 && s.channels % s.groups == 0 &&
                s.channels / s.groups == s.group_channels && s.out_channels % s.groups == 0 &&
                s.channels % s.parts == 0,
            "the channels do not divide into the groups");
  n.require(
      offset[0] == s.batch && offset[1] % s.parts == 0 && offset[1] / s.parts == s.taps * s.axes,
      "not one offset for each tap and axis");
  return s;
}

// What each tap reads: [batch · parts, channels of a part, taps, places].
Tensor deformed_taps(const Node& n, const DeformedSizes& s) {
  const Tensor x = n.tensor(0);
  const Window w = window_of(n, s.kernel, s.spatial);
  for (size_t i = 0; i < s.out.size(); ++i) {
    const int64_t reach = (w.kernel[i] - 1) * w.dilations[i] + 1;
    const int64_t room = s.spatial[i] + w.before[i] + w.after[i] - reach;
    n.require(room >= 0 && s.out[i] == room / w.strides[i] + 1,
              "the offsets are not those of the windows");
  }
  const std::vector<Tensor> places = window_places(n, w, s.out);
  const DType dtype = x.dtype() == DType::Float64 ? DType::Float64 : DType::Float32;
  const Tensor offset =
      n.tensor(2).cast(dtype).reshape({s.batch * s.parts, s.taps, s.axes, s.places});
  std::vector<WeightedElements> elements;
  for (int64_t a = 0; a < s.axes; ++a) {
    const auto i = static_cast<size_t>(a);
    const Tensor moved = offset[{Slice(), Slice(), a}].reshape({s.batch * s.parts, -1});
    elements.push_back(linear_elements(moved + places[i], s.spatial[i]));
  }
  Shape parted = s.spatial;
  parted.insert(parted.begin(), {s.batch * s.parts, s.channels / s.parts});
  return read_between(x.reshape(parted), elements)
      .reshape({s.batch * s.parts, s.channels / s.parts, s.taps, s.places});
}

// As a product of the weights and what each tap reads.
Values deform_conv(const Node& n) {
  const DeformedSizes s = deformed_sizes(n);
  Tensor read = deformed_taps(n, s);
  if (n.has(4)) read = read * n.tensor(4).reshape({s.batch * s.parts, 1, s.taps, s.places});
  const int64_t rows = s.group_channels * s.taps;
  Tensor y = n.tensor(1)
                 .reshape({s.groups, s.out_channels / s.groups, rows})
                 .matmul(read.reshape({s.batch, s.groups, rows, s.places}))
                 .reshape({s.batch, s.out_channels, s.places});
  if (n.has(3)) y = y + n.tensor(3).unsqueeze(1);
  Shape shape = s.out;
  shape.insert(shape.begin(), {s.batch, s.out_channels});
  return {y.reshape(shape).cast(n.dtype(0))};
}

}  // namespace

std::span<const Operator> sampling_operators() {
  static const std::vector<Operator> rows = {
      {"AffineGrid", {20}, "align_corners", affine_grid},
      {"DeformConv",
       {19, 22},
       "dilations group kernel_shape offset_group pads strides",
       deform_conv},
      {"GridSample", {16, 20, 22}, "align_corners mode padding_mode", grid_sample},
  };
  return rows;
}

}  // namespace tg::onnx

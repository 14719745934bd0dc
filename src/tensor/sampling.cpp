// Sampling at the places of a grid, and the grids that affine maps make. The elements around each
// place are picked by one index tensor each and weighted; picking itself: index.cpp. Axes in other
// sizes, whose places are evenly spaced: resample.cpp.

#include "tensor/ops.h"

namespace tg {
namespace {

using namespace ops_detail;

constexpr std::string_view kSample = "grid_sample", kAffine = "affine_grid";

// [batch, channels, spatial…] and [batch, out…, axes], with as many spatial axes.
void check_sampled(const UOp& x, const UOp& grid) {
  const bool fits = x.ndim() >= 3 && grid.ndim() >= 2 &&
                    grid.dim(grid.ndim() - 1) == x.ndim() - 2 && grid.dim(0) == x.dim(0);
  if (!fits) {
    user_error<ShapeError>(
        kSample,
        fmt::format("needs [batch, channels, spatial...] and a grid [batch, out..., axes], "
                    "axes being the number of spatial axes, got {} and {}",
                    text(x.shape()), text(grid.shape())));
  }
  if (!is_float(grid.dtype())) {
    user_error<DTypeError>(
        kSample, fmt::format("the grid must be a float, got {}", dtype_name(grid.dtype())));
  }
  need_plain_axes(kSample, x);
  need_plain_axes(kSample, grid);
  for (int a = 2; a < x.ndim(); ++a) {
    if (x.dim(a) > 0) continue;
    user_error<ShapeError>(kSample,
                           fmt::format("axis {} of shape {} has no elements", a, text(x.shape())));
  }
  common_device(kSample, {x, grid});
}

// `at` mirrored at both ends until it lies between them.
Tensor mirrored(const Tensor& at, double low, double high) {
  const double span = high - low;
  if (span == 0) return at.full_like(low);
  const Tensor distance = (at - low).abs();
  const Tensor times = (distance / span).floor().detach();
  const Tensor rest = distance - times * span;
  const Tensor turned = (times / 2).floor() * 2 != times;
  return turned.where(span - rest, rest) + low;
}

// The place on an axis of n elements, counted in elements, for −1 … 1 on the grid.
Tensor place_on(const Tensor& grid, int64_t size, const GridSampleOptions& o) {
  const auto n = static_cast<double>(size);
  const Tensor at = o.align_corners ? (grid + 1) * ((n - 1) / 2) : ((grid + 1) * n - 1) / 2;
  if (o.padding == GridSamplePadding::Zeros) return at;
  const bool reflects = o.padding == GridSamplePadding::Reflection;
  const double edge = o.align_corners ? 0 : 0.5;
  return (reflects ? mirrored(at, -edge, n - 1 + edge) : at).clip(0, n - 1);
}

// An element beside the place on one axis, and its weight: 0 where there is none.
struct Neighbour {
  Tensor index, weight;
};
Neighbour neighbour(const Tensor& at, const Tensor& weight, int64_t size, DType index_dtype) {
  const Tensor inside = (at >= 0) & (at <= static_cast<double>(size - 1));
  return {inside.where(at, 0).cast(index_dtype), inside.where(weight, 0)};
}

std::vector<Neighbour> neighbours(const Tensor& at, int64_t size, GridSampleMode mode, DType t) {
  if (mode == GridSampleMode::Nearest)
    return {neighbour(at.round().detach(), at.ones_like(), size, t)};
  const Tensor low = at.floor().detach();
  const Tensor share = at - low;
  return {neighbour(low, 1 - share, size, t), neighbour(low + 1, share, size, t)};
}

}  // namespace

Tensor Tensor::grid_sample(const Tensor& grid, const GridSampleOptions& o) const {
  const UOp x = node_of(*this, kSample), g = node_of(grid, kSample);
  check_sampled(x, g);
  const DType result = promote(least_float(dtype()), grid.dtype());
  const DType t = compute_float(result);
  const int axes = x.ndim() - 2;
  const Dim batch = x.dim(0), channels = x.dim(1);
  Shape rest(x.shape().begin() + 2, x.shape().end());
  const Dim elements = tg::numel(rest);
  const DType index_dtype = place_dtype(elements);
  const Dim each = tg::numel(g.shape().subspan(1, g.shape().size() - 2));
  const Tensor flat = cast(t).reshape({batch, channels, elements});
  const Tensor points = grid.cast(t).reshape({batch, each, axes});
  // The corners of the cell around each place: every choice of a neighbour on every axis.
  std::vector<Neighbour> corners = {{Tensor(0), Tensor(1)}};
  for (int a = 0; a < axes; ++a) {
    const int64_t size = rest[static_cast<size_t>(a)];
    const Tensor at = place_on(points.index({Ellipsis, axes - 1 - a}), size, o);
    std::vector<Neighbour> wider;
    for (const Neighbour& n : neighbours(at, size, o.mode, index_dtype)) {
      for (const Neighbour& c : corners)
        wider.push_back({c.index * size + n.index, c.weight * n.weight});
    }
    corners = std::move(wider);
  }
  Tensor sum;
  for (size_t i = 0; i < corners.size(); ++i) {
    const Tensor index = corners[i].index.unsqueeze(1).expand({batch, channels, each});
    const Tensor part = flat.gather(2, index) * corners[i].weight.unsqueeze(1);
    sum = i == 0 ? part : sum + part;
  }
  Shape shape = {batch, channels};
  shape.insert(shape.end(), g.shape().begin() + 1, g.shape().end() - 1);
  return sum.reshape(shape).cast(result);
}

Tensor Tensor::affine_grid(const Shape& size, bool align_corners) const {
  const UOp maps = node_of(*this, kAffine);
  const auto axes = static_cast<int64_t>(size.size());
  if (maps.ndim() != 3 || axes == 0 || maps.dim(1) != axes || maps.dim(2) != axes + 1) {
    user_error<ShapeError>(
        kAffine, fmt::format("needs maps [batch, axes, axes + 1] and a size for each axis, got {} "
                             "and {}",
                             text(maps.shape()), text(size)));
  }
  for (const int64_t n : size) {
    if (n >= 1) continue;
    user_error<ShapeError>(kAffine, fmt::format("sizes must be at least 1, got {}", text(size)));
  }
  need_plain_axes(kAffine, maps);
  const DType t = compute_float(least_float(dtype()));
  std::vector<Tensor> lines;
  for (const int64_t n : size) {
    const Tensor step = arange(static_cast<double>(n), {.dtype = t, .device = device()});
    const auto count = static_cast<double>(n);
    if (!align_corners)
      lines.push_back((step * 2 + 1) / count - 1);
    else
      lines.push_back(n == 1 ? step : step * 2 / (count - 1) - 1);
  }
  std::vector<Tensor> points;  // the last axis first, then ones
  for (const Tensor& of_axis : meshgrid(lines)) points.insert(points.begin(), of_axis.flatten());
  points.push_back(points[0].ones_like());
  const Tensor grid = stack(points, 1).matmul(cast(t).transpose(1, 2));
  Shape shape = size;
  shape.insert(shape.begin(), maps.dim(0));
  shape.push_back(axes);
  return grid.reshape(shape).cast(least_float(dtype()));
}

}  // namespace tg

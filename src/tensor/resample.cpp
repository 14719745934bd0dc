// Resampling: axes in other sizes, by weights between neighbours or by the nearest element. Each
// axis in turn is picked along with places that whole numbers give, so that the compiler sees how
// it is walked, there and back (docs/kernel-facts.md). Picking itself: index.cpp.
#include <numeric>

#include "tensor/ops.h"
#include "tg/ir/interval.h"

namespace tg {
namespace {

using namespace ops_detail;

constexpr std::string_view kInterpolate = "interpolate";
constexpr int64_t kNarrow = int64_t{1} << 31;  // places below it are numbered in int32

Tensor picked(const Tensor& x, int axis, const Tensor& places) {
  std::vector<IndexItem> items(static_cast<size_t>(axis), IndexItem(Slice()));
  items.emplace_back(places);
  return x.index(items);
}

// A row of numbers as the numbers along an axis of x.
Tensor along(const Tensor& row, const Tensor& x, int axis) {
  Shape shape(static_cast<size_t>(x.ndim()), 1);
  shape[static_cast<size_t>(axis)] = row.numel();
  return row.reshape(shape);
}

Tensor numbered(const Tensor& x, int64_t size, DType t) {
  return Tensor::arange(static_cast<double>(size), {.dtype = t, .device = x.device()});
}

Tensor resampled_nearest(const Tensor& x, int axis, int64_t size, bool exact) {
  const int64_t old = x.size(axis);
  if (!exact) {
    const int64_t common = std::gcd(size, old), step = old / common, parts = size / common;
    const DType whole = size * step < kNarrow ? DType::Int32 : DType::Int64;
    return picked(x, axis, (numbered(x, size, whole) * step).floordiv(parts));
  }
  const double scale = static_cast<double>(old) / static_cast<double>(size);
  const Tensor at = (numbered(x, size, DType::Float32) + 0.5) * scale;
  return picked(x, axis, at.floor().cast(DType::Int32).minimum(old - 1));
}

// Result i lies at (i · step + first) / parts of the axis.
struct Walk {
  int64_t step, first, parts;
};

Walk walk_of(int64_t old, int64_t size, bool align_corners) {
  Walk w = align_corners ? Walk{old - 1, 0, std::max<int64_t>(size - 1, 1)}
                         : Walk{2 * old, old - size, 2 * size};
  const int64_t common = std::gcd(std::gcd(w.step, w.first), w.parts);
  return {w.step / common, w.first / common, w.parts / common};
}

// A mean of uint8, as of images: rounded, with weights of 7 bits.
Tensor mean_of_bytes(const Tensor& low, const Tensor& high, const Tensor& steps) {
  const Tensor a = low.cast(DType::Int32), b = high.cast(DType::Int32);
  return (a + (((b - a) * steps + 64) >> 7)).cast(DType::UInt8);
}

// A border stands for the neighbour that an end lacks; of floats one of zeros, which has no weight.
Tensor resampled_linear(const Tensor& x, int axis, int64_t size, bool align_corners) {
  const int64_t old = x.size(axis);
  const auto [step, first, parts] = walk_of(old, size, align_corners);
  const int64_t last = floor_div(first + (size - 1) * step, parts);
  const int64_t before = first < 0 ? 1 : 0, behind = last + 1 >= old ? 1 : 0;
  const DType whole = size * step + parts < kNarrow ? DType::Int32 : DType::Int64;
  const Tensor at = numbered(x, size, whole) * step + (first + before * parts);
  const Tensor left = at.floordiv(parts);
  const Tensor weight = at.mod(parts).cast(DType::Float32) / parts;
  std::vector<std::pair<int64_t, int64_t>> border(static_cast<size_t>(x.ndim()));
  border[static_cast<size_t>(axis)] = {before, behind};
  const bool is_float = x.is_floating_point();
  const Tensor wide = is_float ? x.pad(border, 0.0) : x.pad(border, PadMode::Replicate);
  const Tensor low = picked(wide, axis, left), high = picked(wide, axis, left + 1);
  if (x.dtype() == DType::UInt8)
    return mean_of_bytes(low, high, along((weight * 128 + 0.5).cast(DType::Int32), x, axis));
  if (!is_float) return low.lerp(high, along(weight, x, axis));
  const Tensor outside = left < before, beyond = left >= old - 1 + before;
  const Tensor of_low = outside.where(0.0, beyond.where(1.0, 1 - weight));
  const Tensor of_high = outside.where(1.0, beyond.where(0.0, weight));
  return low * along(of_low, x, axis) + high * along(of_high, x, axis);
}

void check_axis(const UOp& x, int axis, int64_t size) {
  need_plain_axis(kInterpolate, x, axis);
  if (size < 0)
    user_error<ArgumentError>(kInterpolate, fmt::format("sizes must not be negative: {}", size));
  if (size > 0 && x.dim(axis) == 0) {
    user_error<ShapeError>(kInterpolate,
                           fmt::format("axis {} of shape {} has no elements to make {} of", axis,
                                       text(x.shape()), size));
  }
  if (saturating_mul(size, x.dim(axis)) > int64_t{1} << 60) {
    user_error<ArgumentError>(
        kInterpolate,
        fmt::format("axis {} of shape {} is too long for {} places", axis, text(x.shape()), size));
  }
}

}  // namespace

Tensor Tensor::interpolate(const Shape& size, InterpolateMode mode, bool align_corners) const {
  const UOp given = node_of(*this, kInterpolate);
  if (size.empty() || size.size() > given.shape().size()) {
    user_error<ArgumentError>(kInterpolate,
                              fmt::format("needs a size for one to {} axes of shape {}, got {}",
                                          given.ndim(), text(given.shape()), text(size)));
  }
  if (align_corners && mode != InterpolateMode::Linear)
    user_error<ArgumentError>(kInterpolate, "align_corners goes with the mode Linear only");
  const int lead = given.ndim() - static_cast<int>(size.size());
  Tensor x = *this;
  for (int axis = given.ndim() - 1; axis >= lead; --axis) {
    const int64_t n = size[static_cast<size_t>(axis - lead)];
    check_axis(given, axis, n);
    if (n == 0)
      x = wrap(shrink_axis(node_of(x, kInterpolate), axis, 0, 0));
    else if (mode == InterpolateMode::Linear)
      x = resampled_linear(x, axis, n, align_corners);
    else
      x = resampled_nearest(x, axis, n, mode == InterpolateMode::NearestExact);
  }
  return x.cast(dtype());
}

}  // namespace tg

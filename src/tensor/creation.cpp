// Tensors from data, constants and patterns. Random ones: random.cpp.
#include <cmath>
#include <cstring>
#include <limits>

#include "engine/sharding.h"
#include "tensor/ops.h"
#include "tensor/storage.h"
#include "tensor/symbolic.h"
#include "uop/device_groups.h"
#include "uop/devices.h"
#include "uop/limits.h"

namespace tg {
namespace ops_detail {

DType storable(std::string_view fn, DType t) {
  if (t != DType::Void && t != DType::Index) return t;
  user_error<DTypeError>(fn, fmt::format("{} cannot be stored", dtype_name(t)));
}

void check_sizes(std::string_view fn, const Shape& shape) {
  for (Dim d : shape) {
    if (d < 0)
      user_error<ShapeError>(fn, fmt::format("sizes must not be negative: {}", text(shape)));
  }
  numel(shape);
}

}  // namespace ops_detail

namespace {

using namespace ops_detail;

// int32 if it holds every value.
DType whole_dtype(const SymInt& value) {
  const bool fits = value.min() >= std::numeric_limits<int32_t>::min() &&
                    value.max() <= std::numeric_limits<int32_t>::max();
  return fits ? DType::Int32 : DType::Int64;
}

// The extents of sizes that are not negative.
Shape largest(std::string_view fn, const Sizes& sizes) {
  Shape shape;
  for (const SymInt& s : sizes.list()) shape.push_back(s.min() < 0 ? s.min() : s.max());
  check_sizes(fn, shape);
  return shape;
}

}  // namespace

Tensor::Tensor() : Tensor(make_state(constant(0.0, default_float()))) {}

Tensor::Tensor(const SymInt& value)
    : Tensor(value.is_number() ? from_int(value.number())
                               : wrap(tg::cast(index_node(value), whole_dtype(value)))) {}

Tensor Tensor::from_int(int64_t value) {
  const bool fits =
      value >= std::numeric_limits<int32_t>::min() && value <= std::numeric_limits<int32_t>::max();
  auto s = make_state(constant(value, fits ? DType::Int32 : DType::Int64));
  s->set_number(Scalar::of_int(value, DType::Int64));
  return Tensor(std::move(s));
}

Tensor Tensor::from_double(double value) {
  auto s = make_state(constant(value, default_float()));
  s->set_number(Scalar::of_double(value, DType::Float64));
  return Tensor(std::move(s));
}

Tensor Tensor::from_bool(bool value) {
  return Tensor(make_state(constant(int64_t{value}, DType::Bool)));
}

void Tensor::check_row(int64_t size, int64_t expected) {
  if (size == expected) return;
  user_error<ShapeError>("Tensor", fmt::format("rows differ in length: {} and {}", expected, size));
}

Tensor Tensor::from_bytes(std::span<const std::byte> bytes, const Shape& shape, DType stored_as,
                          const TensorOptions& options) {
  check_sizes("Tensor", shape);
  const int64_t element = dtype_size(storable("Tensor", stored_as));
  const auto given = static_cast<int64_t>(bytes.size());
  if (saturating_mul(tg::numel(shape), element) != given) {
    user_error<ShapeError>("Tensor", fmt::format("the data must fill the shape: {} elements for {}",
                                                 given / element, text(shape)));
  }
  Tensor t(make_state(data_buffer(shape, stored_as, options.device, bytes.data())));
  return options.dtype && *options.dtype != stored_as ? t.cast(*options.dtype) : t;
}

Tensor Tensor::empty(const Shape& shape, const TensorOptions& options) {
  check_sizes("empty", shape);
  const DType t = storable("empty", options.dtype.value_or(default_float()));
  return Tensor(make_state(empty_buffer(shape, t, options.device)));
}

Tensor Tensor::full(const Sizes& sizes, const Tensor& value, const FullOptions& options) {
  const Shape shape = largest("full", sizes);
  const DType t = storable("full", options.dtype.value_or(value.dtype()));
  UOp v = node_as(value, t, "full");
  if (!v.shape().empty()) {
    user_error<ShapeError>("full",
                           fmt::format("the value must have shape [], got {}", text(v.shape())));
  }
  UOp filled = broadcast_to(v, shape);
  if (!options.buffer || v.device() != 0) filled = on_device("full", filled, options.device);
  if (options.buffer) filled = stored(filled, options.device);
  for (size_t a = 0; a < shape.size(); ++a) {
    const SymInt& size = sizes.list()[a];
    if (!size.is_number()) filled = limited(filled, static_cast<int>(a), index_node(size));
  }
  return Tensor(make_state(filled));
}

Tensor Tensor::zeros(const Sizes& sizes, const TensorOptions& o) {
  largest("zeros", sizes);
  return full(sizes, 0,
              {.dtype = storable("zeros", o.dtype.value_or(default_float())), .device = o.device});
}

Tensor Tensor::ones(const Sizes& sizes, const TensorOptions& o) {
  largest("ones", sizes);
  return full(sizes, 1,
              {.dtype = storable("ones", o.dtype.value_or(default_float())), .device = o.device});
}

Tensor Tensor::arange(double stop, const RangeOptions& o) {
  if (o.step == 0 || !std::isfinite(o.step) || !std::isfinite(o.start) || !std::isfinite(stop)) {
    user_error<ArgumentError>("arange",
                              fmt::format("needs finite ends and a step other than 0: start {}, "
                                          "stop {}, step {}",
                                          o.start, stop, o.step));
  }
  const bool whole =
      o.start == std::trunc(o.start) && stop == std::trunc(stop) && o.step == std::trunc(o.step);
  const double count = std::max(0.0, std::ceil((stop - o.start) / o.step));
  const double last = o.start + std::max(0.0, count - 1) * o.step;
  const bool narrow = std::min(o.start, last) >= -0x1p31 && std::max(o.start, last) < 0x1p31;
  const DType counted = narrow ? DType::Int32 : DType::Int64;
  const DType t = storable("arange", o.dtype.value_or(whole ? counted : default_float()));
  if (count > 0x1p62) {
    user_error<ShapeError>("arange", fmt::format("too many elements: {}", count));
  }
  const auto n = static_cast<Dim>(count);
  const DType counter = place_dtype(n);
  UOp i = iota({n}, 0, whole && !is_float(t) ? promote(counter, is_int(t) ? t : counter) : counter);
  if (!whole || is_float(t)) i = tg::cast(i, dtype_size(t) == 8 ? DType::Float64 : DType::Float32);
  UOp v = i * const_like(i, Scalar::of_double(o.step, i.dtype())) +
          const_like(i, Scalar::of_double(o.start, i.dtype()));
  return wrap(placed(tg::cast(v, t), asked_device(o.device)));
}

// Each half is counted from its own end, so that both ends are exact.
Tensor Tensor::linspace(double start, double stop, int64_t steps, const TensorOptions& o) {
  if (steps < 0)
    user_error<ArgumentError>("linspace", fmt::format("steps must not be negative: {}", steps));
  const DType t = storable("linspace", o.dtype.value_or(default_float()));
  if (is_bool(t)) user_error<DTypeError>("linspace", "needs a dtype of numbers, got bool");
  const DType c = dtype_size(t) == 8 || !is_float(t) ? DType::Float64 : DType::Float32;
  UOp i = tg::cast(iota({steps}, 0, DType::Int64), c);
  const auto last = static_cast<double>(std::max<int64_t>(steps - 1, 1));
  const double step = (stop - start) / last;
  UOp up = i * const_like(i, step) + const_like(i, start);
  UOp down = (i - const_like(i, last)) * const_like(i, step) + const_like(i, stop);
  const bool single = steps <= 1;
  UOp v = single ? up : tg::where(tg::lt(i, const_like(i, last / 2)), up, down);
  return wrap(placed(tg::cast(v, t), asked_device(o.device)));
}

Tensor Tensor::eye(int64_t n, int64_t m, const TensorOptions& o) {
  const Shape shape = {n, m == -1 ? n : m};
  check_sizes("eye", shape);
  const DType t = storable("eye", o.dtype.value_or(default_float()));
  const UOp diagonal = tg::eq(iota(shape, 0, DType::Int32), iota(shape, 1, DType::Int32));
  return wrap(placed(tg::cast(diagonal, t), asked_device(o.device)));
}

Tensor Tensor::full_like(const Tensor& value) const {
  if (const UOp like = node_of(*this, "full_like"); is_group(like.device())) {
    const Tensor filled = full(Sizes(sizes()), value, {.dtype = dtype(), .buffer = false});
    const UOp there = copy_to(filled.state()->node(), like.device());
    return Tensor(make_state(stored(lying_like(there, like), "")));
  }
  return full(Sizes(sizes()), value, {.dtype = dtype(), .device = device()});
}
Tensor Tensor::zeros_like() const { return full_like(0); }
Tensor Tensor::ones_like() const { return full_like(1); }
Tensor Tensor::empty_like() const {
  const int axis = tg::shard_axis(node_of(*this, "empty_like"));
  return Tensor(make_state(empty_buffer(shape(), storable("empty", dtype()), device(), axis)));
}

}  // namespace tg

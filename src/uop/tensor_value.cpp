// Conversions of plain tensors; see tensor_value.h.
#include "uop/tensor_value.h"

#include <cstring>

#include "support/check.h"
#include "uop/shape.h"

namespace tg {

TensorValue TensorValue::zeros(Shape shape, DType t) {
  TensorValue v{.shape = std::move(shape), .dtype = t, .bits = {}};
  v.bits.assign(static_cast<size_t>(tg::numel(v.shape)), Scalar::of_int(0, t).bits());
  return v;
}

TensorValue TensorValue::of(Shape shape, DType t, std::span<const double> values) {
  TensorValue v = zeros(std::move(shape), t);
  if (values.size() != v.bits.size()) {
    user_error<ShapeError>("tensor value",
                           fmt::format("{} has {} elements, got {}", format_shape(v.shape),
                                       v.bits.size(), values.size()));
  }
  for (size_t i = 0; i < values.size(); ++i) v.bits[i] = Scalar::of_double(values[i], t).bits();
  return v;
}

TensorValue TensorValue::from_bytes(Shape shape, DType t, std::span<const std::byte> bytes) {
  TensorValue v = zeros(std::move(shape), t);
  const auto size = static_cast<size_t>(dtype_size(t));
  if (bytes.size() != v.bits.size() * size) {
    user_error<ShapeError>("tensor value",
                           fmt::format("{} of {} takes {} bytes, got {}", format_shape(v.shape),
                                       dtype_name(t), v.bits.size() * size, bytes.size()));
  }
  for (size_t i = 0; i < v.bits.size(); ++i) {
    uint64_t raw = 0;
    std::memcpy(&raw, bytes.data() + i * size, size);
    v.bits[i] = Scalar::from_memory(raw, t).bits();
  }
  return v;
}

std::vector<std::byte> TensorValue::to_bytes() const {
  const auto size = static_cast<size_t>(dtype_size(dtype));
  std::vector<std::byte> out(bits.size() * size);
  for (size_t i = 0; i < bits.size(); ++i) {
    const uint64_t raw = at(static_cast<int64_t>(i)).to_memory();
    std::memcpy(out.data() + i * size, &raw, size);
  }
  return out;
}

std::vector<double> TensorValue::doubles() const {
  std::vector<double> out;
  out.reserve(bits.size());
  for (int64_t i = 0; i < numel(); ++i) out.push_back(at(i).as_double());
  return out;
}

std::string TensorValue::str(int64_t most) const {
  std::string out = fmt::format("{}{}{{", dtype_name(dtype), format_shape(shape));
  for (int64_t i = 0; i < std::min(most, numel()); ++i) out += (i == 0 ? "" : ", ") + at(i).str();
  return out + (numel() > most ? ", …}" : "}");
}

}  // namespace tg

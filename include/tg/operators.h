// Operators of tensors, and the functions of Tensor that are templates. tensor.h includes it.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <vector>

#include "tg/tensor.h"

namespace tg {

inline Tensor operator+(const Tensor& a, const Tensor& b) { return a.add(b); }
inline Tensor operator-(const Tensor& a, const Tensor& b) { return a.sub(b); }
inline Tensor operator*(const Tensor& a, const Tensor& b) { return a.mul(b); }
inline Tensor operator/(const Tensor& a, const Tensor& b) { return a.div(b); }
inline Tensor operator%(const Tensor& a, const Tensor& b) { return a.mod(b); }
inline Tensor operator&(const Tensor& a, const Tensor& b) { return a.bitwise_and(b); }
inline Tensor operator|(const Tensor& a, const Tensor& b) { return a.bitwise_or(b); }
inline Tensor operator^(const Tensor& a, const Tensor& b) { return a.bitwise_xor(b); }
inline Tensor operator<<(const Tensor& a, int64_t count) { return a.lshift(count); }
inline Tensor operator>>(const Tensor& a, int64_t count) { return a.rshift(count); }
inline Tensor operator==(const Tensor& a, const Tensor& b) { return a.eq(b); }
inline Tensor operator!=(const Tensor& a, const Tensor& b) { return a.ne(b); }
inline Tensor operator<(const Tensor& a, const Tensor& b) { return a.lt(b); }
inline Tensor operator<=(const Tensor& a, const Tensor& b) { return a.le(b); }
inline Tensor operator>(const Tensor& a, const Tensor& b) { return a.gt(b); }
inline Tensor operator>=(const Tensor& a, const Tensor& b) { return a.ge(b); }
/// `a` where `condition` is true, else `b`.
inline Tensor where(const Tensor& condition, const Tensor& a, const Tensor& b) {
  return condition.where(a, b);
}
TG_API std::ostream& operator<<(std::ostream& out, const Tensor& t);

// Named N here, for T is a member of Tensor.
template <Number N>
Tensor Tensor::number(N value) {
  if constexpr (std::is_same_v<N, bool>)
    return from_bool(value);
  else if constexpr (std::is_floating_point_v<N>)
    return from_double(static_cast<double>(value));
  else
    return from_int(static_cast<int64_t>(value));
}

template <Number N>
Tensor Tensor::literals(std::initializer_list<N> values) {
  return Tensor(std::vector<Literal<N>>(values.begin(), values.end()));
}

template <Number N>
Tensor Tensor::literals(std::initializer_list<std::initializer_list<N>> rows) {
  std::vector<Literal<N>> flat;
  const int64_t columns = rows.size() == 0 ? 0 : static_cast<int64_t>(rows.begin()->size());
  for (const auto& row : rows) {
    check_row(static_cast<int64_t>(row.size()), columns);
    flat.insert(flat.end(), row.begin(), row.end());
  }
  return Tensor(flat, Shape{static_cast<int64_t>(rows.size()), columns});
}

template <Number N>
Tensor Tensor::from_vector(const std::vector<N>& data, const Shape& shape, const TensorOptions& o) {
  if constexpr (std::is_same_v<N, bool>) {
    const std::vector<uint8_t> bytes(data.begin(), data.end());
    return from_bytes(std::as_bytes(std::span(bytes)), shape, DType::Bool, o);
  } else {
    return from_bytes(std::as_bytes(std::span(data)), shape, dtype_of<N>(), o);
  }
}

template <Number T>
std::vector<T> Tensor::to_vector() const {
  const auto n = static_cast<size_t>(existing_elements());
  if constexpr (std::is_same_v<T, bool>) {
    std::vector<uint8_t> bytes(n);
    copy_out(DType::Bool, bytes.data(), static_cast<int64_t>(n));
    return std::vector<bool>(bytes.begin(), bytes.end());
  } else {
    std::vector<T> out(n);
    copy_out(dtype_of<T>(), out.data(), static_cast<int64_t>(n * sizeof(T)));
    return out;
  }
}

template <Number T>
T Tensor::item() const {
  check_single();
  T out{};
  copy_out(dtype_of<T>(), &out, static_cast<int64_t>(sizeof(T)));
  return out;
}

}  // namespace tg

// A tensor as plain data: what the evaluators (evaluate_tensor.h, evaluate_ranged.h) read and
// produce, and what tests compare. One 64-bit word an element, whatever the dtype: made for being
// obvious, not for being small or fast.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tg/ir/uop.h"

namespace tg {

struct TensorValue {
  Shape shape;
  DType dtype = DType::Void;
  /// Scalar::bits of each element, row-major; numel(shape) of them.
  std::vector<uint64_t> bits;

  /// All elements 0.
  static TensorValue zeros(Shape shape, DType t);
  /// Elements converted to `t` as by a cast; as many as the shape has (ShapeError).
  static TensorValue of(Shape shape, DType t, std::span<const double> values);
  /// From elements as devices store them, little endian; exactly as many bytes as the shape needs
  /// (ShapeError).
  static TensorValue from_bytes(Shape shape, DType t, std::span<const std::byte> bytes);

  int64_t numel() const { return static_cast<int64_t>(bits.size()); }
  Scalar at(int64_t i) const { return Scalar::of_bits(bits[static_cast<size_t>(i)], dtype); }
  void set(int64_t i, const Scalar& v) { bits[static_cast<size_t>(i)] = v.bits(); }
  /// Elements as devices store them: the inverse of from_bytes.
  std::vector<std::byte> to_bytes() const;
  /// All elements as doubles (exact but for 64-bit integers).
  std::vector<double> doubles() const;
  /// "float32[2,2]{1, 2, 3, 4}"; at most `most` elements, then "…".
  std::string str(int64_t most = 64) const;

  /// Equal shape, dtype and bits: all NaNs are equal, 0.0 and -0.0 are not.
  friend bool operator==(const TensorValue&, const TensorValue&) = default;
};

}  // namespace tg

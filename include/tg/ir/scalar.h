// One value with its element type: what CONST carries, constant folding computes with and the
// interpreter's lanes hold. Arithmetic on it belongs to the op records (src/uop/ops): here are only
// construction, conversion, comparison, printing.
#pragma once

#include <bit>
#include <cstdint>
#include <string>

#include "tg/dtype.h"
#include "tg/export.h"

namespace tg {

/// A value of dtype `t`, kept in normal form: integers wrapped to the width of `t` and extended to
/// 64 bits (sign for signed, zero for unsigned; UInt64 is its bit pattern), bool 0 or 1, floats as
/// the exact double of the rounded value. Equal values of one dtype have equal `bits` (all NaNs are
/// one pattern; -0.0 and 0.0 differ).
class TG_API Scalar {
 public:
  Scalar() = default;
  static Scalar of_int(
      int64_t v,
      DType t);  ///< v converted to t (wraps for integers, != 0 for bool, rounds for floats)
  static Scalar of_uint(uint64_t v, DType t);  ///< the same from an unsigned value
  static Scalar of_double(
      double v,
      DType t);  ///< v converted to t (truncates and wraps for integers; out of range → see cast)
  static Scalar of_bits(uint64_t bits,
                        DType t);  ///< from the normal form, as stored in a CONST's argument

  DType dtype() const { return dtype_; }
  uint64_t bits() const { return bits_; }
  int64_t i64() const { return static_cast<int64_t>(bits_); }  ///< integer and bool dtypes
  uint64_t u64() const { return bits_; }
  double f64() const { return std::bit_cast<double>(bits_); }  ///< float dtypes
  double as_double() const;                                    ///< value of any dtype as a double
  bool truthy() const { return is_float(dtype_) ? f64() != 0.0 : bits_ != 0; }

  /// C-like conversion. Float → integer truncates; NaN gives 0 and out-of-range values saturate at
  /// int64/uint64 before wrapping.
  Scalar cast(DType t) const;
  /// The same storage bits read as `t`; sizes must be equal (DTypeError).
  Scalar bitcast(DType t) const;
  /// The element's bytes in memory (little endian in the low bytes): the inverse of from_memory.
  uint64_t to_memory() const;
  static Scalar from_memory(uint64_t raw, DType t);

  /// Shortest text that reads back to the same value: "3", "0.1", "inf", "nan", "true".
  std::string str() const;
  static Scalar parse(const std::string& text, DType t);

  friend bool operator==(const Scalar& a, const Scalar& b) = default;

 private:
  uint64_t bits_ = 0;
  DType dtype_ = DType::Void;
};

}  // namespace tg

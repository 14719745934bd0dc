// Element types: names, sizes, kinds, and promotion. Scalar values: tg/ir/scalar.h; conversions of
// bits (half, bfloat16, fp8) are internal, src/dtype/convert.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "tg/export.h"

namespace tg {

/// The type of one element. `Void` is the type of effects; `Index` is the compiler's unbounded
/// integer for addresses and never holds data. All others can be stored. bool takes one byte.
enum class DType : uint8_t {
  Void,
  Index,
  Bool,
  Int8,
  UInt8,
  Int16,
  UInt16,
  Int32,
  UInt32,
  Int64,
  UInt64,
  Fp8E4M3,
  Fp8E5M2,
  Fp8E4M3Fnuz,
  Fp8E5M2Fnuz,
  Float16,
  BFloat16,
  Float32,
  Float64,
};
inline constexpr int kNumDTypes = 19;

/// Short names, as in `Tensor::zeros({2, 3}, dtypes::int32)`.
namespace dtypes {
inline constexpr DType bool_ = DType::Bool;
inline constexpr DType int8 = DType::Int8;
inline constexpr DType uint8 = DType::UInt8;
inline constexpr DType int16 = DType::Int16;
inline constexpr DType uint16 = DType::UInt16;
inline constexpr DType int32 = DType::Int32;
inline constexpr DType uint32 = DType::UInt32;
inline constexpr DType int64 = DType::Int64;
inline constexpr DType uint64 = DType::UInt64;
inline constexpr DType fp8e4m3 = DType::Fp8E4M3;
inline constexpr DType fp8e5m2 = DType::Fp8E5M2;
inline constexpr DType fp8e4m3fnuz = DType::Fp8E4M3Fnuz;
inline constexpr DType fp8e5m2fnuz = DType::Fp8E5M2Fnuz;
inline constexpr DType float16 = DType::Float16;
inline constexpr DType bfloat16 = DType::BFloat16;
inline constexpr DType float32 = DType::Float32;
inline constexpr DType float64 = DType::Float64;
}  // namespace dtypes

/// Bytes of one element; 0 for Void and Index.
TG_API int64_t dtype_size(DType t);
/// The name as printed and parsed: "float32", "bool", "fp8e4m3", …
TG_API std::string_view dtype_name(DType t);
/// Inverse of dtype_name; also accepts tinygrad's aliases (half, float, double, char, uchar, short,
/// ushort, int, uint, long, ulong). Empty if the name is unknown.
TG_API std::optional<DType> parse_dtype(std::string_view name);

TG_API bool is_float(DType t);     ///< any of the eight floats
TG_API bool is_int(DType t);       ///< any of the eight integers, and Index; not bool
TG_API bool is_unsigned(DType t);  ///< the four unsigned integers
TG_API bool is_bool(DType t);

/// Least upper bound in the promotion lattice (JAX's table, as tinygrad): bool → integers → floats;
/// an integer with a float gives the float; half with bfloat16 gives float32, two different fp8
/// give half. Two pairs are defined so that the result never depends on order or grouping: int64
/// with uint64 is uint64, fp8 with bfloat16 is float32. Symmetric, associative, idempotent. Void
/// and Index are refused with DTypeError.
TG_API DType promote(DType a, DType b);
/// A Python-like scalar does not widen a tensor of its own kind: the dtype of `tensor op scalar`
/// where the scalar is an integer (`scalar_is_float` false) or a float. int tensor with a float
/// scalar → default_float(); bool with an integer → int32.
TG_API DType promote_weak(DType tensor, bool scalar_is_float);
/// The dtype of floats that name none, as of Tensor::zeros({2}), and of what exp, sqrt, division…
/// make of integers: float32, unless the program sets another. For all threads.
TG_API DType default_float();
/// Sets it, and returns the one before. Throws DTypeError for a dtype that is no float.
/// `set_default_float(DType::Float16);`
TG_API DType set_default_float(DType t);
/// The float in which exp, sqrt, division… of `t` are computed: floats stay, all others become
/// default_float().
TG_API DType least_float(DType t);
/// The dtype in which a sum of `t` accumulates and is returned: unsigned → at least uint32, signed
/// and bool → at least int32, floats stay (half, bfloat16 and fp8 accumulate in float32 inside and
/// are rounded once at the end).
TG_API DType sum_dtype(DType t);

}  // namespace tg

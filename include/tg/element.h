// From types of C++ elements to dtypes.
#pragma once

#include <type_traits>

#include "tg/dtype.h"

namespace tg {

/// The dtype that a C++ element type is stored as: bool, the eight integers, float, double.
template <typename T>
constexpr DType dtype_of() {
  if constexpr (std::is_same_v<T, bool>)
    return DType::Bool;
  else if constexpr (std::is_same_v<T, float>)
    return DType::Float32;
  else if constexpr (std::is_same_v<T, double>)
    return DType::Float64;
  else {
    static_assert(std::is_integral_v<T>, "elements are bool, integers, float or double");
    constexpr bool s = std::is_signed_v<T>;
    if constexpr (sizeof(T) == 1)
      return s ? DType::Int8 : DType::UInt8;
    else if constexpr (sizeof(T) == 2)
      return s ? DType::Int16 : DType::UInt16;
    else if constexpr (sizeof(T) == 4)
      return s ? DType::Int32 : DType::UInt32;
    else
      return s ? DType::Int64 : DType::UInt64;
  }
}

template <typename T>
concept Number = std::is_arithmetic_v<T>;

}  // namespace tg

// How far the numbers of a dtype lie apart, by which tests say how close results must be.
#pragma once

#include "tg/dtype.h"

namespace tg::test {

/// Distance of neighbours above 1; 0 for integers and bool.
inline double spacing(DType t) {
  switch (t) {
    case DType::Float64:
      return 0x1p-52;
    case DType::Float32:
      return 0x1p-23;
    case DType::Float16:
      return 0x1p-10;
    case DType::BFloat16:
      return 0x1p-7;
    case DType::Fp8E4M3:
    case DType::Fp8E4M3Fnuz:
      return 0x1p-3;
    case DType::Fp8E5M2:
    case DType::Fp8E5M2Fnuz:
      return 0x1p-2;
    default:
      return 0;
  }
}

}  // namespace tg::test

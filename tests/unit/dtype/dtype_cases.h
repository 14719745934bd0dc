// The lists of element types that the tests of this folder run over, and special values.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "tg/dtype.h"

namespace tg {

inline constexpr double kInf = std::numeric_limits<double>::infinity();
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// All types that hold data, in the order of the enumeration.
inline std::vector<DType> data_dtypes() {
  std::vector<DType> all;
  for (int i = static_cast<int>(DType::Bool); i < kNumDTypes; ++i)
    all.push_back(static_cast<DType>(i));
  return all;
}

inline std::vector<DType> float_dtypes() {
  std::vector<DType> floats;
  for (DType t : data_dtypes())
    if (is_float(t)) floats.push_back(t);
  return floats;
}

/// The floats of 8 and 16 bits: few enough values to try them all.
inline std::vector<DType> small_floats() {
  std::vector<DType> small;
  for (DType t : float_dtypes())
    if (dtype_size(t) <= 2) small.push_back(t);
  return small;
}

/// Name of a parametrised case.
struct DTypeCaseName {
  template <typename ParamInfo>
  std::string operator()(const ParamInfo& info) const {
    return std::string(dtype_name(info.param));
  }
};

}  // namespace tg

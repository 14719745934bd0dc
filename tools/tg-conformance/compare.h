// When two values count as equal.
#pragma once

#include <string>
#include <vector>

#include "uop/tensor_value.h"

namespace tg::conformance {

/// |got − want| ≤ absolute + relative · |want|; both 0: the same number (all NaNs are one, and
/// zeros of both signs unless `zero_signs`).
struct Tolerance {
  double relative = 0;
  double absolute = 0;
  bool zero_signs = false;  ///< a zero has the sign of the zero that is wanted
};

/// Empty if they agree, else the first element that differs: "element 3 is 1.5, not 2".
std::string difference(const TensorValue& got, const TensorValue& want, const Tolerance& t);
std::string difference(const std::vector<double>& got, const std::vector<double>& want,
                       const Tolerance& t);

}  // namespace tg::conformance

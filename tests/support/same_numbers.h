// Comparison of values bit by bit, but for the sign of zero: the compiler takes a product with a
// factor that lies in padding to be zero, whatever the sign of the other factor.
#pragma once

#include <gtest/gtest.h>

#include "uop/tensor_value.h"

namespace tg::test {

inline TensorValue with_plain_zeros(TensorValue v) {
  for (int64_t i = 0; is_float(v.dtype) && i < v.numel(); ++i) {
    if (v.at(i).as_double() == 0) v.set(i, Scalar::of_int(0, v.dtype));
  }
  return v;
}

inline ::testing::AssertionResult same_numbers(const TensorValue& got, const TensorValue& want) {
  if (with_plain_zeros(got) == with_plain_zeros(want)) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "\n got " << got.str() << "\nwant " << want.str();
}

}  // namespace tg::test

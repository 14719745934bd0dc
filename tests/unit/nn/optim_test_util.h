// What the tests of optimisers share: a parameter, its loss, and the numbers that a step gives.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "tg/nn.h"

namespace tg::nn {

inline Tensor start_tensor() { return Tensor({1.0F, -2.0F, 3.0F}).is_param_(); }

/// Σ (p − ½)², whose gradient is 2 (p − ½).
inline Tensor loss_of(const Tensor& p) { return (p - 0.5).square().sum(); }

inline void expect_values(const Tensor& p, const std::vector<double>& want,
                          double tolerance = 2e-5) {
  const auto got = p.to_vector<float>();
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(got[i], want[i], tolerance) << "at " << i;
}

}  // namespace tg::nn

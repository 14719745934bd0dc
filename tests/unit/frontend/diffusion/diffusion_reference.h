// What the tests of diffusion share: two tiny models, "first" and "later", tables of schedules, and
// what `diffusers` makes of them (tests/reference/diffusion, made by make_diffusion.py there).
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>

#include "support/source_dir.h"
#include "tg/nn.h"

namespace tg::models {

inline std::filesystem::path diffusion_reference(const std::string& name) {
  return test::source_dir() / "tests/reference/diffusion" / name;
}

/// The largest difference of two numbers, as a share of the larger if that is above 1. Other shapes
/// and NaN differ by 1 and more.
inline double worst_difference(const Tensor& a, const Tensor& b) {
  EXPECT_EQ(a.shape(), b.shape());
  const auto x = a.to_vector<float>(), y = b.to_vector<float>();
  double worst = x.size() == y.size() && !x.empty() ? 0 : 1;
  for (size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
    const double d = std::abs(double{x[i]} - double{y[i]}) / std::max(1.0F, std::abs(y[i]));
    worst = d <= worst ? worst : d;
  }
  return worst;
}

}  // namespace tg::models

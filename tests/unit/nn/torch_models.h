// What the comparisons of layers with PyTorch share: parameters and inputs by a formula, the same
// that gave the numbers in the tests. PyTorch's state dict, sorted by name, was filled likewise, so
// the names are compared too.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tg/nn.h"

namespace tg::nn {

using Floats = std::vector<float>;

/// 0.4 · sin(0.37 · (i + 1) + k) for element i, times `scale`.
inline Tensor torch_numbers(const Shape& shape, int k, double scale = 2) {
  int64_t n = 1;
  for (const int64_t d : shape) n *= d;
  std::vector<double> values;
  for (int64_t i = 0; i < n; ++i)
    values.push_back(scale * 0.4 * std::sin(0.37 * static_cast<double>(i + 1) + k));
  return Tensor(values, shape, {.dtype = DType::Float32});
}

/// The same in each tensor of a model, k being its place among the names.
template <typename M>
void fill_as_torch(M& model) {
  int k = 0;
  for (const auto& [name, tensor] : state_dict(model))
    tensor.assign(torch_numbers(tensor.shape(), k++, 1));
}

inline void expect_floats(const Tensor& t, const Shape& shape, const Floats& want,
                          float tolerance = 2e-6F) {
  ASSERT_EQ(t.shape(), shape);
  const auto got = t.to_vector<float>();
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(got[i], want[i], tolerance) << "at " << i;
}

}  // namespace tg::nn

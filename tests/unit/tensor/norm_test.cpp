// Normalisation of small floats: computed in float32 and rounded once, whatever the dtypes of the
// other tensors are. Values and gradients beside PyTorch's: reference_test.cpp.
#include <gtest/gtest.h>

#include "tg/tensor.h"
#include "unit/tensor/support/tensor_test.h"

namespace tg {
namespace {

// Around 100 with differences of 1: bfloat16 has steps of 0.5 there, so sums and differences that
// are rounded on the way are far off.
Tensor around_a_hundred(DType t) {
  const Tensor x = (Tensor::arange(4 * 6 * 5).reshape({4, 6, 5}).cast(DType::Float32) * 7.0) % 11.0;
  return (x + 100.0).cast(t);
}
Tensor scales() { return (Tensor::arange(6).cast(DType::Float32) * 0.3 + 0.7); }
Tensor shifts() { return (Tensor::arange(6).cast(DType::Float32) * -0.2 + 0.4); }

void expect_rounded_once(const Tensor& got, const Tensor& exact, DType t) {
  EXPECT_EQ(got.dtype(), t);
  EXPECT_EQ(got.cast(DType::Float32).to_vector<float>(),
            exact.cast(t).cast(DType::Float32).to_vector<float>());
}

class NormsOfSmallFloats : public ::testing::TestWithParam<DType> {};

TEST_P(NormsOfSmallFloats, AreRoundedOnce) {
  const DType t = GetParam();
  const Tensor x = around_a_hundred(t), wide = x.cast(DType::Float32);
  const Tensor w = scales().cast(t), b = shifts().cast(t);
  const Tensor wide_w = w.cast(DType::Float32), wide_b = b.cast(DType::Float32);
  const Tensor last = x.transpose(1, 2), wide_last = wide.transpose(1, 2);
  expect_rounded_once(last.layer_norm({.weight = &w, .bias = &b}),
                      wide_last.layer_norm({.weight = &wide_w, .bias = &wide_b}), t);
  expect_rounded_once(x.group_norm(3, {.weight = &w, .bias = &b}),
                      wide.group_norm(3, {.weight = &wide_w, .bias = &wide_b}), t);
  expect_rounded_once(x.batch_norm({.weight = &w, .bias = &b, .training = true}),
                      wide.batch_norm({.weight = &wide_w, .bias = &wide_b, .training = true}), t);
  Tensor mean = (scales() + 99.5).cast(t), var = scales().cast(t);
  Tensor wide_mean = mean.cast(DType::Float32), wide_var = var.cast(DType::Float32);
  expect_rounded_once(
      x.batch_norm({.running_mean = &mean, .running_var = &var, .training = false}),
      wide.batch_norm({.running_mean = &wide_mean, .running_var = &wide_var, .training = false}),
      t);
}
INSTANTIATE_TEST_SUITE_P(All, NormsOfSmallFloats,
                         ::testing::Values(DType::BFloat16, DType::Float16),
                         [](const auto& info) { return std::string(dtype_name(info.param)); });

TEST(Norms, HaveTheDtypeOfAllOperandsTogether) {
  const Tensor x = around_a_hundred(DType::BFloat16), w = scales();
  const Tensor exact = x.cast(DType::Float32).batch_norm({.weight = &w, .training = true});
  expect_rounded_once(x.batch_norm({.weight = &w, .training = true}), exact, DType::Float32);
  const Tensor doubles = w.cast(DType::Float64);
  EXPECT_EQ(x.group_norm(2, {.weight = &doubles}).dtype(), DType::Float64);
  EXPECT_EQ(x.transpose(1, 2).layer_norm({.bias = &w}).dtype(), DType::Float32);
  EXPECT_EQ(Tensor::arange(6).reshape({2, 3}).layer_norm().dtype(), DType::Float32);
}

// On both ends, as in PyTorch 2.15.
TEST(Activations, AreFlatWhereTheyAreLimited) {
  const Tensor x({-3.f, 0.f, 3.f, 6.f});
  const auto slope = [&](const Tensor& y) { return y.sum().gradient({x})[0].to_vector<float>(); };
  EXPECT_EQ(slope(x.relu6()), (std::vector<float>{0, 0, 1, 0}));
  EXPECT_EQ(slope(x.hardswish()), (std::vector<float>{0, 0.5f, 1, 1}));
  EXPECT_EQ(slope(x.hardsigmoid()), (std::vector<float>{0, 1 / 6.f, 0, 0}));
  EXPECT_EQ(Tensor({7, -2, 3}).relu6().to_vector<int32_t>(), (std::vector<int32_t>{6, 0, 3}));
}

}  // namespace
}  // namespace tg

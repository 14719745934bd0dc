// Layers: shapes, initial values, and results on small numbers.
#include <gtest/gtest.h>

#include <cmath>

#include "nn_test_util.h"
#include "tg/autograd.h"
#include "tg/error.h"
#include "tg/nn.h"
#include "tg/random.h"

namespace tg::nn {
namespace {

using Floats = std::vector<float>;

void expect_all_near(const Tensor& t, const Floats& want, float tolerance = 1e-5F) {
  const auto got = t.to_vector<float>();
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(got[i], want[i], tolerance) << "at " << i;
}

void expect_bound(const Tensor& t, double bound) {
  float largest = 0;
  for (float x : t.to_vector<float>()) largest = std::max(largest, std::abs(x));
  EXPECT_LE(largest, bound);
  EXPECT_GT(largest, bound / 2);
}

TEST(LinearLayer, ShapesOfItsParameters) {
  Linear l(5, 7);
  EXPECT_EQ(l.weight.shape(), (Shape{7, 5}));
  EXPECT_EQ(l.bias->shape(), (Shape{7}));
  EXPECT_EQ(l(Tensor::ones({2, 3, 5})).shape(), (Shape{2, 3, 7}));
}

TEST(LinearLayer, ComputesXTimesWeightTransposedPlusBias) {
  Linear l(2, 3);
  l.weight.assign(Tensor({{1.0F, 2.0F}, {3.0F, 4.0F}, {5.0F, 6.0F}}));
  l.bias->assign(Tensor({0.5F, 0.25F, -1.0F}));
  expect_all_near(l(Tensor({{1.0F, -1.0F}})), {-0.5F, -0.75F, -2.0F});
}

TEST(LinearLayer, WithoutBiasMapsZeroToZero) {
  Linear l(4, 3, {.bias = false});
  EXPECT_FALSE(l.bias.has_value());
  expect_all_near(l(Tensor::zeros({1, 4})), {0, 0, 0});
}

TEST(LinearLayer, StartsUniformWithinTheRootOfItsInputs) {
  manual_seed(3);
  Linear l(64, 32);
  expect_bound(l.weight, 1.0 / 8);
  expect_bound(*l.bias, 1.0 / 8);
}

TEST(LinearLayer, TwoLayersDiffer) {
  Linear a(8, 8), b(8, 8);
  EXPECT_NE(a.weight.to_vector<float>(), b.weight.to_vector<float>());
}

TEST(LinearLayer, TheSeedDecidesItsParameters) {
  manual_seed(11);
  const auto a = Linear(4, 4).weight.to_vector<float>();
  manual_seed(11);
  EXPECT_EQ(a, Linear(4, 4).weight.to_vector<float>());
}

TEST(LinearLayer, PlacementChoosesTheDtype) {
  Linear l(2, 2, {.placement = {.dtype = dtypes::float64}});
  EXPECT_EQ(l.weight.dtype(), DType::Float64);
  EXPECT_EQ(l.bias->dtype(), DType::Float64);
}

TEST(LinearLayer, CopiesNameTheSameTensors) {
  Linear a(2, 2), b = a;
  a.weight.assign(Tensor::ones({2, 2}));
  expect_all_near(b.weight, {1, 1, 1, 1});
}

TEST(LinearLayer, SizesBelowOneAreErrors) {
  EXPECT_EQ(argument_error_of([] { Linear(0, 2); }), "Linear: in must be at least 1, got 0.");
  EXPECT_EQ(argument_error_of([] { Linear(2, -1); }), "Linear: out must be at least 1, got -1.");
}

TEST(LinearLayer, AWrongInputIsAShapeError) {
  Linear l(3, 2);
  EXPECT_THROW(l(Tensor::ones({1, 4})), ShapeError);
}

TEST(Conv2dLayer, ShapesOfItsParameters) {
  Conv2d c(4, 6, {3, 5}, {.groups = 2});
  EXPECT_EQ(c.weight.shape(), (Shape{6, 2, 3, 5}));
  EXPECT_EQ(c.bias->shape(), (Shape{6}));
}

TEST(Conv2dLayer, OneNumberIsASquareKernel) {
  EXPECT_EQ(Conv2d(1, 2, 5).weight.shape(), (Shape{2, 1, 5, 5}));
}

TEST(Conv2dLayer, StridePaddingAndDilationReachTheConvolution) {
  const Tensor x = Tensor::ones({1, 1, 8, 8});
  EXPECT_EQ(Conv2d(1, 1, 3)(x).shape(), (Shape{1, 1, 6, 6}));
  EXPECT_EQ(Conv2d(1, 1, 3, {.padding = 1})(x).shape(), (Shape{1, 1, 8, 8}));
  EXPECT_EQ(Conv2d(1, 1, 3, {.stride = 2})(x).shape(), (Shape{1, 1, 3, 3}));
  EXPECT_EQ(Conv2d(1, 1, 3, {.dilation = 2})(x).shape(), (Shape{1, 1, 4, 4}));
}

TEST(Conv2dLayer, SumsAWindowAndAddsTheBias) {
  Conv2d c(1, 1, 2);
  c.weight.assign(Tensor::ones({1, 1, 2, 2}));
  c.bias->assign(Tensor({10.0F}));
  const Tensor x = Tensor::arange(9, {.dtype = dtypes::float32}).reshape({1, 1, 3, 3});
  expect_all_near(c(x), {18, 22, 30, 34});
}

TEST(Conv2dLayer, StartsUniformWithinTheRootOfItsFan) {
  manual_seed(5);
  expect_bound(Conv2d(16, 16, 4, {.groups = 4}).weight, 1.0 / 8);
}

TEST(Conv2dLayer, WrongSizesAreErrors) {
  EXPECT_EQ(argument_error_of([] { Conv2d(3, 4, 3, {.groups = 2}); }),
            "Conv2d: groups must divide both numbers of channels: 2 groups, 3 in, 4 out.");
  EXPECT_EQ(argument_error_of([] { Conv2d(1, 1, {1, 2, 3}); }),
            "Conv2d: the kernel needs one number or two (height, width), got 3.");
  EXPECT_EQ(argument_error_of([] { Conv2d(1, 1, 0); }),
            "Conv2d: the kernel's height must be at least 1, got 0.");
  EXPECT_EQ(argument_error_of([] { Conv2d(1, 1, 1, {.groups = 0}); }),
            "Conv2d: groups must be at least 1, got 0.");
}

TEST(BatchNormLayer, NormalisesEachChannelOfTheBatchWhileTraining) {
  BatchNorm norm(2, {.eps = 0});
  const Tensor x({{1.0F, 10.0F}, {3.0F, 30.0F}});
  TrainingScope training;
  expect_all_near(norm(x), {-1, -1, 1, 1});
}

TEST(BatchNormLayer, MovesTheRunningStatisticsWhileTraining) {
  BatchNorm norm(2, {.momentum = 0.5});
  TrainingScope training;
  norm(Tensor({{1.0F, 10.0F}, {3.0F, 30.0F}})).realize();
  expect_all_near(norm.running_mean, {1, 10});
  // The unbiased variances are 2 and 200.
  expect_all_near(norm.running_var, {1.5F, 100.5F}, 1e-4F);
}

TEST(BatchNormLayer, UsesTheRunningStatisticsOtherwise) {
  BatchNorm norm(1, {.eps = 0});
  norm.running_mean.assign(Tensor({2.0F}));
  norm.running_var.assign(Tensor({4.0F}));
  expect_all_near(norm(Tensor({{6.0F}, {0.0F}})), {2, -1});
  expect_all_near(norm.running_mean, {2});
}

TEST(BatchNormLayer, ScalesAndShifts) {
  BatchNorm norm(1, {.eps = 0});
  norm.weight->assign(Tensor({3.0F}));
  norm.bias->assign(Tensor({1.0F}));
  expect_all_near(norm(Tensor({{2.0F}})), {7});
}

TEST(BatchNormLayer, WithoutAffineHasNoParameters) {
  BatchNorm norm(3, {.affine = false});
  EXPECT_TRUE(parameters(norm).empty());
  EXPECT_EQ(state_dict(norm).size(), 2U);
}

TEST(BatchNormLayer, ChannelsBelowOneAreAnError) {
  EXPECT_EQ(argument_error_of([] { BatchNorm(0); }),
            "BatchNorm: channels must be at least 1, got 0.");
}

}  // namespace
}  // namespace tg::nn

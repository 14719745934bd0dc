// How many kernels well-known expressions become, how much they read and how much they compute:
// what fusion is for. Numbers that may only get smaller.
#include <gtest/gtest.h>
#include <tg/tg.h>

#include "engine/counters.h"
#include "support/options.h"

namespace tg {
namespace {

class GoldenCounts : public testing::Test {
 protected:
  GoldenCounts() : scope_(on_cpu()) {}

  static Tensor data(const Shape& shape) {
    int64_t n = 1;
    for (int64_t d : shape) n *= d;
    std::vector<float> v(static_cast<size_t>(n));
    for (size_t i = 0; i < v.size(); ++i)
      v[i] = static_cast<float>(static_cast<int>(i * 7 % 11) - 5);
    return Tensor(v, shape).realize();
  }
  static EngineCounters counted(const std::vector<Tensor>& roots) {
    reset_counters();
    Tensor::realize(roots);
    return counters();
  }

 private:
  static Options on_cpu() {
    Options o = options();
    o.device = "CPU";
    return o;
  }
  const OptionsScope scope_;
};

TEST_F(GoldenCounts, ElementwiseAndSumAreOneKernel) {
  const Tensor x = data({32, 17});
  EXPECT_EQ(counted({(x * 2 + 1).relu().sum()}).kernels, 1);
}

TEST_F(GoldenCounts, AnMlpLayerIsOneKernel) {
  const Tensor x = data({8, 12}), w = data({12, 10}), b = data({10});
  EXPECT_EQ(counted({(x.matmul(w) + b).relu()}).kernels, 1);
}

// Of the terms of a strided convolution's input gradient only those are computed that exist.
TEST_F(GoldenCounts, InputGradientsOfStridedConvolutionsAreOneKernelOfTheirTermsAlone) {
  for (const int64_t size : {16, 17}) {
    const Tensor x = data({2, 4, size, size}), w = data({8, 4, 3, 3});
    const Tensor y = x.conv2d(w, {.stride = {2}, .padding = {1}});
    const std::vector<Tensor> targets = {x};
    const Tensor dy = data(y.shape());
    const EngineCounters c = counted((y * dy).sum().gradient(targets));
    EXPECT_EQ(c.kernels, 1);
    const double terms = 2.0 * static_cast<double>(x.numel()) * 8 * 9;
    EXPECT_LT(c.flops, 0.6 * terms);
  }
}

TEST_F(GoldenCounts, ASoftmaxIsOneKernel) {
  EXPECT_EQ(counted({data({16, 33}).softmax()}).kernels, 1);
}

TEST_F(GoldenCounts, ALogSoftmaxIsOneKernel) {
  EXPECT_EQ(counted({data({16, 33}).log_softmax()}).kernels, 1);
}

TEST_F(GoldenCounts, ACrossEntropyIsOneKernel) {
  const Tensor x = data({16, 40}),
               labels = (Tensor::arange(16) * 3 % 40).cast(DType::Int32).realize();
  EXPECT_EQ(counted({x.cross_entropy(labels)}).kernels, 1);
  EXPECT_EQ(counted({(x * 2).sparse_categorical_crossentropy(labels)}).kernels, 1);
}

TEST_F(GoldenCounts, NormsAreOneKernel) {
  const Tensor x = data({16, 40}), weight = data({40}), bias = data({40});
  EXPECT_EQ(counted({x.layer_norm({.weight = &weight, .bias = &bias})}).kernels, 1);
  const Tensor mean_square = (x * x).mean({.axis = {-1}, .keepdim = true});
  EXPECT_EQ(counted({x * (mean_square + 1e-5).rsqrt() * weight}).kernels, 1);
}

// What both compute is computed once, and nothing of it is stored: two arrays are read, two
// written.
TEST_F(GoldenCounts, AValueAndItsGradientAreOneKernel) {
  const Tensor x = data({32, 64}), dy = data({32, 64});
  const std::vector<Tensor (*)(const Tensor&)> functions = {
      [](const Tensor& t) { return (t.tanh() * t.sigmoid()).mish(); },
      [](const Tensor& t) { return (t.erf() * t.softplus()).tanh(); },
      [](const Tensor& t) { return t.asinh().tanh(); }};
  for (const auto& f : functions) {
    const Tensor y = f(x);
    const EngineCounters c = counted({y, y.gradient(std::vector<Tensor>{x}, dy)[0]});
    EXPECT_EQ(c.kernels, 1);
    EXPECT_LE(c.bytes, 4 * x.numel() * 4);
  }
}

TEST_F(GoldenCounts, SlopesWithAFormulaAreThatFormula) {
  const Tensor x = data({32, 64}), dy = data({32, 64});
  const EngineCounters c = counted(x.atan().gradient(std::vector<Tensor>{x}, dy));
  EXPECT_LE(c.flops, 6.0 * static_cast<double>(x.numel()));
}

// One kernel would read the matrix twice all the same, and one of the ways against its order.
TEST_F(GoldenCounts, AMatrixAndItsTransposeTimesVectorsAreTwoKernels) {
  const Tensor a = data({64, 64}), x = data({64}), y = data({64});
  EXPECT_EQ(counted({a.matmul(x), a.transpose(0, 1).matmul(y)}).kernels, 2);
  EXPECT_EQ(counted({a.matmul(x), a.matmul(y)}).kernels, 1);
}

TEST_F(GoldenCounts, BatchStatisticsAreOneKernel) {
  const Tensor x = data({8, 6, 5, 7});
  EXPECT_EQ(counted({x.mean({.axis = {0, 2, 3}}), x.var({.axis = {0, 2, 3}})}).kernels, 1);
}

TEST_F(GoldenCounts, AConvolutionTakesWhatFollowsIt) {
  const Tensor x = data({2, 3, 9, 9});
  nn::Conv2d conv(3, 4, 3);
  nn::BatchNorm norm(4);
  std::vector<Tensor> tensors;
  for (auto& [name, t] : nn::state_dict(conv)) tensors.push_back(t);
  for (auto& [name, t] : nn::state_dict(norm)) tensors.push_back(t);
  Tensor::realize(tensors);
  EXPECT_EQ(counted({norm(conv(x)).relu()}).kernels, 1);
}

TEST_F(GoldenCounts, DropoutAddsNone) {
  const TrainingScope training;
  const Tensor x = data({16, 40});
  (x + 1).dropout(0.5).realize();  // the generator's own state exists from here on
  EXPECT_EQ(counted({(x + 1).relu().dropout(0.5).sum()}).kernels,
            counted({(x + 1).relu().sum()}).kernels);
}

TEST_F(GoldenCounts, RowsThatAreNotAskedForAreNotRead) {
  constexpr int64_t kRows = 2000, kColumns = 16, kAsked = 3;
  const Tensor x = data({kRows, kColumns}), asked(std::vector<int32_t>{7, 1999, 7});
  asked.realize();
  const EngineCounters c = counted({x[asked]});
  EXPECT_EQ(c.kernels, 1);
  EXPECT_LE(c.bytes, 3 * kAsked * kColumns * 4);
}

TEST_F(GoldenCounts, TheInputGradientOfAConvolutionHasOneTapAWeight) {
  const Tensor x = data({2, 3, 12, 12}), w = data({4, 3, 5, 5});
  const Tensor y = x.conv2d(w, {.padding = {2}});
  const Tensor dx = y.gradient(std::vector<Tensor>{x}, data({2, 4, 12, 12}))[0];
  const double exact = 2.0 * 2 * 4 * 3 * 25 * 12 * 12;
  const double flops = static_cast<double>(counted({dx}).flops);
  EXPECT_GE(flops, exact);
  EXPECT_LE(flops, 1.05 * exact);
}

TEST_F(GoldenCounts, AChainOfViewsIsNoKernel) {
  const Tensor x = data({6, 8});
  EXPECT_EQ(counted({x.permute({1, 0}).flip({0})}).kernels, 0);
}

TEST_F(GoldenCounts, TwoRootsThatShareWorkComputeItOnce) {
  const Tensor x = data({64, 64}), w = data({64, 64});
  const Tensor y = x.matmul(w);
  const EngineCounters c = counted({y, y + 1});
  EXPECT_LE(c.flops, 2 * 64 * 64 * 64 + 64 * 64);
}

TEST_F(GoldenCounts, TheSameGraphOverOtherBuffersSchedulesAndCompilesNothing) {
  const Tensor a = data({9, 14}), b = data({9, 14});
  const EngineCounters first = counted({(a * 3).softmax()});
  const EngineCounters second = counted({(b * 3).softmax()});
  EXPECT_EQ(first.scheduled, 1);
  EXPECT_EQ(second.scheduled, 0);
  EXPECT_EQ(second.compiled, 0);
  EXPECT_EQ(second.kernels, first.kernels);
}

TEST_F(GoldenCounts, FiveThousandDependentOperationsAreComputed) {
  Tensor x = data({4});
  const std::vector<double> before = x.to_vector<double>();
  for (int i = 0; i < 5000; ++i) x = i % 2 == 0 ? x + 1 : x.maximum(-100);
  const EngineCounters c = counted({x});
  EXPECT_GE(c.kernels, 1);
  const std::vector<double> after = x.to_vector<double>();
  for (size_t i = 0; i < before.size(); ++i) EXPECT_EQ(after[i], before[i] + 2500);
}

}  // namespace
}  // namespace tg

// Optimisers against steps computed by hand in double, and what a step costs.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/counters.h"
#include "optim_test_util.h"
#include "tg/autograd.h"
#include "tg/error.h"
#include "tg/nn.h"
#include "tg/random.h"

namespace tg::nn {
namespace {

const std::vector<double> kStart = {1.0, -2.0, 3.0};
const std::vector<double> kTarget = {0.5, 0.5, 0.5};

double gradient_at(size_t i, double p) { return 2 * (p - kTarget[i]); }

struct SgdCase {
  const char* name;
  SgdOptions options;
};
class SgdSteps : public testing::TestWithParam<SgdCase> {};

TEST_P(SgdSteps, AgreeWithTheRecurrence) {
  const SgdOptions o = GetParam().options;
  const Tensor p = start_tensor();
  SGD sgd(std::vector<Tensor>{p}, o);
  std::vector<double> want = kStart, b(3, 0.0);
  for (int step = 0; step < 4; ++step) {
    sgd.step(loss_of(p));
    for (size_t i = 0; i < want.size(); ++i) {
      double g = gradient_at(i, want[i]) + o.weight_decay * want[i];
      b[i] = o.momentum * b[i] + g;
      if (o.momentum != 0) g = o.nesterov ? g + o.momentum * b[i] : b[i];
      want[i] -= o.lr * g;
    }
    expect_values(p, want);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Options, SgdSteps,
    testing::Values(SgdCase{"Plain", {.lr = 0.1}},
                    SgdCase{"Momentum", {.lr = 0.05, .momentum = 0.9}},
                    SgdCase{"Decay", {.lr = 0.1, .weight_decay = 0.3}},
                    SgdCase{"Nesterov", {.lr = 0.05, .momentum = 0.5, .nesterov = true}},
                    SgdCase{"Everything",
                            {.lr = 0.02, .momentum = 0.8, .weight_decay = 0.1, .nesterov = true}}),
    [](const auto& info) { return std::string(info.param.name); });

struct AdamCase {
  const char* name;
  AdamOptions options;
};
class AdamSteps : public testing::TestWithParam<AdamCase> {};

TEST_P(AdamSteps, AgreeWithTheRecurrence) {
  const AdamOptions o = GetParam().options;
  const Tensor p = start_tensor();
  Adam adam(std::vector<Tensor>{p}, o);
  std::vector<double> want = kStart, m(3, 0.0), v(3, 0.0);
  for (int step = 1; step <= 5; ++step) {
    adam.step(loss_of(p));
    for (size_t i = 0; i < want.size(); ++i) {
      const double g = gradient_at(i, want[i]);
      m[i] = o.beta1 * m[i] + (1 - o.beta1) * g;
      v[i] = o.beta2 * v[i] + (1 - o.beta2) * g * g;
      const double mean = m[i] / (1 - std::pow(o.beta1, step));
      const double root = std::sqrt(v[i] / (1 - std::pow(o.beta2, step)));
      want[i] -= o.lr * (mean / (root + o.eps) + o.weight_decay * want[i]);
    }
    expect_values(p, want, 2e-4);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Options, AdamSteps,
    testing::Values(AdamCase{"Defaults", {}}, AdamCase{"LargeRate", {.lr = 0.1}},
                    AdamCase{"OtherDecays", {.lr = 0.01, .beta1 = 0.5, .beta2 = 0.9}},
                    AdamCase{"NoMean", {.lr = 0.01, .beta1 = 0}},
                    AdamCase{"LargeEps", {.lr = 0.1, .eps = 0.5}},
                    AdamCase{"Decoupled", {.lr = 0.1, .weight_decay = 0.2}}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(OptimizerStep, FromBackwardEqualsStepOfTheLoss) {
  const Tensor a = start_tensor(), b = start_tensor();
  Adam first(std::vector<Tensor>{a}), second(std::vector<Tensor>{b});
  for (int i = 0; i < 3; ++i) {
    first.step(loss_of(a));
    second.zero_grad();
    loss_of(b).backward();
    second.step();
  }
  EXPECT_EQ(a.to_vector<float>(), b.to_vector<float>());
}

TEST(OptimizerStep, ComputesTheLossBeforeTheUpdate) {
  const Tensor p = start_tensor();
  SGD sgd(std::vector<Tensor>{p}, {.lr = 0.1});
  const Tensor loss = loss_of(p);
  sgd.step(loss);
  EXPECT_TRUE(loss.is_realized());
  EXPECT_FLOAT_EQ(loss.item<float>(), 12.75F);
}

TEST(OptimizerStep, AParameterWithoutGradientStays) {
  const Tensor a = start_tensor(), b = start_tensor();
  SGD sgd(std::vector<Tensor>{a, b}, {.lr = 0.1, .weight_decay = 0.5});
  loss_of(a).backward();
  sgd.step();
  expect_values(b, kStart);
  EXPECT_NE(a.to_vector<float>()[0], 1.0F);
}

TEST(OptimizerStep, WithoutAnyGradientIsAnError) {
  SGD sgd(std::vector<Tensor>{start_tensor()});
  try {
    sgd.step();
    FAIL() << "no error";
  } catch (const ArgumentError& e) {
    EXPECT_STREQ(e.what(),
                 "step: no parameter has a gradient. Hint: call backward() on the loss first, or "
                 "step(loss).");
  }
}

TEST(OptimizerStep, ZeroGradForgetsGradients) {
  const Tensor p = start_tensor();
  SGD sgd(std::vector<Tensor>{p});
  loss_of(p).backward();
  EXPECT_TRUE(p.has_grad());
  sgd.zero_grad();
  EXPECT_FALSE(p.has_grad());
}

TEST(OptimizerStep, LeavesGradAlone) {
  const Tensor p = start_tensor();
  Adam adam(std::vector<Tensor>{p});
  adam.step(loss_of(p));
  EXPECT_FALSE(p.has_grad());
}

TEST(OptimizerRate, ANewRateHoldsForTheNextStep) {
  const Tensor p = start_tensor();
  SGD sgd(std::vector<Tensor>{p}, {.lr = 0.1});
  sgd.set_lr(0.25);
  EXPECT_EQ(sgd.lr(), 0.25);
  sgd.step(loss_of(p));
  expect_values(p, {0.75, -0.75, 1.75});
}

TEST(OptimizerRate, ZeroChangesNothing) {
  const Tensor p = start_tensor();
  Adam adam(std::vector<Tensor>{p}, {.lr = 0});
  adam.step(loss_of(p));
  expect_values(p, kStart, 0);
}

TEST(OptimizerRate, ANegativeOrInfiniteRateIsAnError) {
  SGD sgd(std::vector<Tensor>{start_tensor()});
  EXPECT_THROW(sgd.set_lr(-0.1), ArgumentError);
  EXPECT_THROW(sgd.set_lr(INFINITY), ArgumentError);
  EXPECT_THROW(sgd.set_lr(NAN), ArgumentError);
  EXPECT_EQ(sgd.lr(), 0.001);
}

TEST(OptimizerOptions, WrongOnesAreErrors) {
  const std::vector<Tensor> p = {start_tensor()};
  EXPECT_THROW(SGD(p, {.momentum = 1}), ArgumentError);
  EXPECT_THROW(SGD(p, {.weight_decay = -1}), ArgumentError);
  EXPECT_THROW(SGD(p, {.nesterov = true}), ArgumentError);
  EXPECT_THROW(Adam(p, {.beta1 = 1}), ArgumentError);
  EXPECT_THROW(Adam(p, {.beta2 = -0.5}), ArgumentError);
  EXPECT_THROW(Adam(p, {.eps = NAN}), ArgumentError);
  EXPECT_THROW(Adam(std::vector<Tensor>{}), ArgumentError);
  EXPECT_THROW(Adam(std::vector<Tensor>{Tensor({1, 2})}), DTypeError);
}

class OptimizerDTypes : public testing::TestWithParam<DType> {};

TEST_P(OptimizerDTypes, ParametersAndStateKeepTheirs) {
  const Tensor p = Tensor({1.0F, -2.0F, 3.0F}).cast(GetParam()).is_param_();
  Adam adam(std::vector<Tensor>{p}, {.lr = 0.5, .weight_decay = 0.1});
  adam.step(loss_of(p));
  EXPECT_EQ(p.dtype(), GetParam());
  EXPECT_EQ(state_dict(adam).at("m.0").dtype(), GetParam());
  // The first step moves by the rate against the gradient's sign, and decays.
  expect_values(p, {1 - 0.5 - 0.05, -2 + 0.5 + 0.1, 3 - 0.5 - 0.15}, 2e-2);
}

TEST_P(OptimizerDTypes, SgdStepsInThem) {
  const Tensor p = Tensor({1.0F, -2.0F, 3.0F}).cast(GetParam()).is_param_();
  SGD sgd(std::vector<Tensor>{p}, {.lr = 0.25, .momentum = 0.5});
  sgd.step(loss_of(p));
  EXPECT_EQ(p.dtype(), GetParam());
  expect_values(p, {0.75, -0.75, 1.75}, 1e-2);
}

INSTANTIATE_TEST_SUITE_P(Floats, OptimizerDTypes,
                         testing::Values(DType::Float16, DType::BFloat16, DType::Float32,
                                         DType::Float64),
                         [](const auto& info) { return std::string(dtype_name(info.param)); });

struct Mlp {
  Linear l1{2, 8};
  BatchNorm norm{8};
  Linear l2{8, 2};
  Tensor operator()(const Tensor& x) const { return l2(norm(l1(x)).relu()); }
  template <typename F>
  void visit(F&& f) {
    f("l1", l1);
    f("norm", norm);
    f("l2", l2);
  }
};

struct Xor {
  Tensor x{{0.0F, 0.0F}, {0.0F, 1.0F}, {1.0F, 0.0F}, {1.0F, 1.0F}};
  Tensor y{0, 1, 1, 0};
};

template <typename Optimizer, typename Options>
void expect_learns_xor(const Options& options) {
  manual_seed(4);
  Mlp net;
  Optimizer optimizer(net, options);
  const Xor data;
  TrainingScope training;
  float first = 0, last = 0;
  for (int i = 0; i < 60; ++i) {
    const Tensor loss = net(data.x).cross_entropy(data.y);
    optimizer.step(loss);
    last = loss.item<float>();
    if (i == 0) first = last;
  }
  EXPECT_LT(last, 0.2F);
  EXPECT_LT(last, first / 2);
  EXPECT_EQ(net(data.x).argmax({.axis = 1}).to_vector<int>(), (std::vector<int>{0, 1, 1, 0}));
}

TEST(Training, AdamLearnsXor) { expect_learns_xor<Adam>(AdamOptions{.lr = 0.05}); }
TEST(Training, SgdLearnsXor) { expect_learns_xor<SGD>(SgdOptions{.lr = 0.2, .momentum = 0.9}); }

TEST(Training, TheSecondStepSchedulesAndCompilesNothing) {
  Mlp net;
  Adam adam(net);
  const Xor data;
  TrainingScope training;
  const auto step = [&](double rate) {
    adam.set_lr(rate);
    const Tensor loss = net(data.x).cross_entropy(data.y);
    adam.step(loss);
    return loss.item<float>();
  };
  step(0.01);
  const EngineCounters before = counters();
  step(0.005);
  step(0.0025);
  EXPECT_EQ(counters().scheduled, before.scheduled);
  EXPECT_EQ(counters().compiled, before.compiled);
  EXPECT_GT(counters().kernels, before.kernels);
}

TEST(Training, RunningStatisticsMoveWithEveryStep) {
  Mlp net;
  SGD sgd(net, {.lr = 0.01});
  const Xor data;
  TrainingScope training;
  sgd.step(net(data.x).cross_entropy(data.y));
  const auto first = net.norm.running_var.to_vector<float>();
  sgd.step(net(data.x).cross_entropy(data.y));
  EXPECT_NE(first, std::vector<float>(8, 1.0F));
  EXPECT_NE(first, net.norm.running_var.to_vector<float>());
}

}  // namespace
}  // namespace tg::nn

// AdamW, LAMB, LARS, Muon and groups of optimisers against steps computed by hand in double. SGD
// and Adam: optim_test.cpp.
#include <gtest/gtest.h>

#include <cmath>

#include "nn_test_util.h"
#include "optim_test_util.h"
#include "tg/error.h"
#include "tg/nn.h"
#include "tg/random.h"

namespace tg::nn {
namespace {

using Doubles = std::vector<double>;

double slope(double p) { return 2 * (p - 0.5); }
double length(const Doubles& v) {
  double s = 0;
  for (double x : v) s += x * x;
  return std::sqrt(s);
}

// Adam's direction after `step` steps, moments updated.
Doubles adam_direction(const Doubles& p, Doubles& m, Doubles& v, int step, double eps) {
  Doubles d(p.size());
  for (size_t i = 0; i < p.size(); ++i) {
    const double g = slope(p[i]);
    m[i] = 0.9 * m[i] + 0.1 * g;
    v[i] = 0.999 * v[i] + 0.001 * g * g;
    d[i] = m[i] / (1 - std::pow(0.9, step)) / (std::sqrt(v[i] / (1 - std::pow(0.999, step))) + eps);
  }
  return d;
}

TEST(AdamWSteps, DecayIsOnByDefault) {
  const Tensor p = start_tensor();
  AdamW adam(std::vector<Tensor>{p}, {.lr = 0.1});
  Doubles want = {1, -2, 3}, m(3), v(3);
  for (int step = 1; step <= 4; ++step) {
    adam.step(loss_of(p));
    const Doubles d = adam_direction(want, m, v, step, 1e-8);
    for (size_t i = 0; i < 3; ++i) want[i] -= 0.1 * (d[i] + 0.01 * want[i]);
    expect_values(p, want, 2e-4);
  }
}

class LambSteps : public testing::TestWithParam<double> {};
TEST_P(LambSteps, ScaleTheDirectionToTheParametersLength) {
  const Tensor p = start_tensor();
  LAMB lamb(std::vector<Tensor>{p}, {.lr = 0.05, .weight_decay = GetParam()});
  Doubles want = {1, -2, 3}, m(3), v(3);
  for (int step = 1; step <= 4; ++step) {
    lamb.step(loss_of(p));
    Doubles d = adam_direction(want, m, v, step, 1e-6);
    for (size_t i = 0; i < 3; ++i) d[i] += GetParam() * want[i];
    const double ratio = length(want) / length(d);
    for (size_t i = 0; i < 3; ++i) want[i] -= 0.05 * ratio * d[i];
    expect_values(p, want, 2e-4);
  }
}
INSTANTIATE_TEST_SUITE_P(Decays, LambSteps, testing::Values(0.0, 0.1));

TEST(LambSteps, AParameterOfZerosTakesThePlainStep) {
  const Tensor p = Tensor({0.0F, 0.0F}).is_param_();
  LAMB lamb(std::vector<Tensor>{p}, {.lr = 0.25});
  lamb.step((p - 1).square().sum());
  expect_values(p, {0.25, 0.25}, 1e-5);
}

struct LarsCase {
  const char* name;
  LarsOptions options;
};
class LarsSteps : public testing::TestWithParam<LarsCase> {};
TEST_P(LarsSteps, ScaleTheGradientToTheParametersLength) {
  const LarsOptions o = GetParam().options;
  const Tensor p = start_tensor();
  LARS lars(std::vector<Tensor>{p}, o);
  Doubles want = {1, -2, 3}, b(3);
  for (int step = 0; step < 4; ++step) {
    lars.step(loss_of(p));
    Doubles g(3);
    for (size_t i = 0; i < 3; ++i) g[i] = slope(want[i]);
    const double ratio = o.trust * length(want) / (length(g) + o.weight_decay * length(want));
    for (size_t i = 0; i < 3; ++i) {
      double d = ratio * (g[i] + o.weight_decay * want[i]);
      b[i] = o.momentum * b[i] + d;
      if (o.momentum != 0) d = o.nesterov ? d + o.momentum * b[i] : b[i];
      want[i] -= o.lr * d;
    }
    expect_values(p, want);
  }
}
INSTANTIATE_TEST_SUITE_P(
    Options, LarsSteps,
    testing::Values(LarsCase{"Defaults", {.lr = 10}},
                    LarsCase{"NoMomentum", {.lr = 0.5, .momentum = 0, .trust = 0.1}},
                    LarsCase{"Nesterov",
                             {.lr = 0.5, .weight_decay = 0.1, .nesterov = true, .trust = 0.05}}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(LarsSteps, SayWhatTheyCannotDo) {
  EXPECT_EQ(argument_error_of([] { LARS(std::vector<Tensor>{start_tensor()}, {.trust = 0}); }),
            "LARS: trust must be above 0, got 0.");
  EXPECT_EQ(argument_error_of([] { LARS(std::vector<Tensor>{start_tensor()}, {.momentum = 1}); }),
            "LARS: momentum must lie in [0, 1), got 1.");
}

// x ← a·x + (b·xxᵀ + c·(xxᵀ)²)·x on a diagonal matrix works on each element.
TEST(MuonSteps, OrthogonaliseADiagonalGradient) {
  const Tensor p = Tensor({{1.0F, 0.0F}, {0.0F, 0.5F}}).is_param_();
  Muon muon(std::vector<Tensor>{p},
            {.lr = 0.1, .momentum = 0.5, .weight_decay = 0, .nesterov = false});
  muon.step((p * p).sum());
  Doubles x = {2, 1};
  const double size = length(x);
  for (double& s : x) {
    s /= size;
    for (int i = 0; i < 5; ++i) s = 3.4445 * s - 4.775 * s * s * s + 2.0315 * std::pow(s, 5);
  }
  expect_values(p, {1 - 0.1 * x[0], 0, 0, 0.5 - 0.1 * x[1]}, 1e-4);
}
TEST(MuonSteps, DecayIsDecoupled) {
  const Tensor p = Tensor({{1.0F, 2.0F}}).is_param_();
  Muon muon(std::vector<Tensor>{p}, {.lr = 0.1, .weight_decay = 0.5});
  muon.step((p * 0).sum());
  expect_values(p, {0.95, 1.9}, 1e-5);
}
TEST(MuonSteps, AVectorFollowsItsMomentum) {
  const Tensor p = start_tensor();
  Muon muon(std::vector<Tensor>{p},
            {.lr = 0.1, .momentum = 0.5, .weight_decay = 0, .nesterov = true});
  Doubles want = {1, -2, 3}, b(3);
  for (int step = 0; step < 3; ++step) {
    muon.step(loss_of(p));
    for (size_t i = 0; i < 3; ++i) {
      const double g = slope(want[i]);
      b[i] = 0.5 * b[i] + g;
      want[i] -= 0.1 * (g + 0.5 * b[i]);
    }
    expect_values(p, want);
  }
}
TEST(MuonSteps, TrainTallAndWideMatricesAndKernels) {
  manual_seed(2);
  for (const Shape& s : {Shape{2, 5}, Shape{5, 2}, Shape{3, 2, 2, 2}}) {
    const Tensor p = Tensor::randn(s).is_param_();
    Muon muon(std::vector<Tensor>{p}, {.lr = 0.1});
    float first = 0, last = 0;
    for (int i = 0; i < 20; ++i) {
      const Tensor loss = loss_of(p);
      muon.step(loss);
      last = loss.item<float>();
      if (i == 0) first = last;
    }
    EXPECT_LT(last, first / 2);
  }
}
TEST(MuonSteps, SayWhatTheyCannotDo) {
  EXPECT_EQ(argument_error_of([] { Muon(std::vector<Tensor>{start_tensor()}, {.steps = 0}); }),
            "Muon: weight_decay must not be negative and steps at least 1: 0.1 and 0.");
}

TEST(Groups, StepAllTheirParametersTogether) {
  const Tensor a = start_tensor(), b = start_tensor(), c = start_tensor(), d = start_tensor();
  SGD one(std::vector<Tensor>{a}, {.lr = 0.1});
  Adam two(std::vector<Tensor>{b}, {.lr = 0.1});
  OptimizerGroup group({&one, &two});
  SGD alone(std::vector<Tensor>{c}, {.lr = 0.1});
  Adam lonely(std::vector<Tensor>{d}, {.lr = 0.1});
  for (int i = 0; i < 3; ++i) {
    group.step(loss_of(a) + loss_of(b));
    alone.step(loss_of(c));
    lonely.step(loss_of(d));
  }
  EXPECT_EQ(a.to_vector<float>(), c.to_vector<float>());
  EXPECT_EQ(b.to_vector<float>(), d.to_vector<float>());
}
TEST(Groups, ForgetAllGradients) {
  const Tensor a = start_tensor(), b = start_tensor();
  SGD one(std::vector<Tensor>{a}), two(std::vector<Tensor>{b});
  OptimizerGroup group({&one, &two});
  (loss_of(a) + loss_of(b)).backward();
  group.zero_grad();
  EXPECT_FALSE(a.has_grad() || b.has_grad());
}
TEST(Groups, SayWhatTheyCannotBe) {
  const Tensor a = start_tensor();
  SGD one(std::vector<Tensor>{a}), two(std::vector<Tensor>{a});
  EXPECT_EQ(argument_error_of([] { OptimizerGroup({}); }),
            "OptimizerGroup: needs at least one optimizer.");
  EXPECT_EQ(
      argument_error_of([&] {
        OptimizerGroup({&one, &two});
      }),
      "OptimizerGroup: a parameter belongs to two optimizers. Hint: give each parameter to one "
      "of them.");
}

struct TwoLayers {
  Linear a{3, 4}, b{4, 1};
  template <typename F>
  void visit(F&& f) {
    f("a", a);
    f("b", b);
  }
};
template <typename O>
void learns(double rate) {
  manual_seed(21);
  TwoLayers net;
  typename std::conditional_t<
      std::is_same_v<O, AdamW>, AdamWOptions,
      std::conditional_t<std::is_same_v<O, LAMB>, LambOptions,
                         std::conditional_t<std::is_same_v<O, LARS>, LarsOptions, MuonOptions>>>
      options;
  options.lr = rate;
  O optimizer(net, options);
  const Tensor x = Tensor::randn({16, 3}), y = x.sum({.axis = 1, .keepdim = true}) * 0.5;
  y.realize();
  float first = 0, last = 0;
  for (int i = 0; i < 40; ++i) {
    const Tensor loss = (net.b(net.a(x).tanh()) - y).square().mean();
    optimizer.step(loss);
    last = loss.template item<float>();
    if (i == 0) first = last;
  }
  EXPECT_LT(last, first / 2);
}
TEST(Models, LearnWithAdamW) { learns<AdamW>(0.05); }
TEST(Models, LearnWithLamb) { learns<LAMB>(0.05); }
TEST(Models, LearnWithLars) { learns<LARS>(20); }
TEST(Models, LearnWithMuon) { learns<Muon>(0.05); }

}  // namespace
}  // namespace tg::nn

// Gradients at the level of Tensor: what backward fills, second derivatives, scopes, the checker
// itself.
#include <cmath>
#include <thread>

#include "unit/tensor/support/tensor_test.h"

namespace tg {
namespace {

using namespace testing;

TEST(Backward, FillsStoredFloatTensors) {
  const Tensor w{1.f, 2.f}, x{3.f, 4.f};
  (w * x).sum().backward();
  expect_values(w.grad(), {2}, {3, 4});
  expect_values(x.grad(), {2}, {1, 2});
}
TEST(Backward, AddsToWhatIsThere) {
  const Tensor w{1.f};
  (w * 2).sum().backward();
  (w * 3).sum().backward();
  expect_values(w.grad(), {1}, {5});
  w.zero_grad();
  EXPECT_FALSE(w.has_grad());
}
TEST(Backward, LeavesOutWhatIsNoParameter) {
  const Tensor w{1.f}, data{2.f};
  data.is_param_(false);
  (w * data).sum().backward();
  EXPECT_TRUE(w.has_grad());
  EXPECT_FALSE(data.has_grad());
}
TEST(Backward, ReachesMarkedExpressions) {
  const Tensor w = Tensor{1.f, 2.f} * 2;
  EXPECT_FALSE(w.is_param());
  w.is_param_();
  EXPECT_TRUE(w.is_param());
  (w * w).sum().backward();
  expect_values(w.grad(), {2}, {4, 8});
}
TEST(Backward, TellsEqualConstantsApart) {
  const Tensor a = Tensor::zeros({2}), b = Tensor::zeros({2});
  (a * 2 + b * 3 + a.relu()).sum().backward();
  expect_values(a.grad(), {2}, {2, 2});
  expect_values(b.grad(), {2}, {3, 3});
}
TEST(Backward, TellsClonesApart) {
  const Tensor x{1.f, 2.f}, a = x.clone(), b = x.clone();
  const Tensor loss = (a * 3 + b).sum();
  const auto slopes = loss.gradient({a, b, x});
  expect_values(slopes[0], {2}, {3, 3});
  expect_values(slopes[1], {2}, {1, 1});
  expect_values(slopes[2], {2}, {4, 4});
}
TEST(Backward, ReachesLiveTensorsOnTheWayIfAsked) {
  const Tensor x = Tensor::eye(3).clone(), y({{2.0, 0.0, -2.0}});
  const Tensor loss = y.matmul(x).sum();
  EXPECT_FALSE((loss.backward(), x.has_grad()));
  y.zero_grad();
  loss.backward(1, true);
  expect_values(x.grad(), {3, 3}, {2, 2, 2, 0, 0, 0, -2, -2, -2});
  expect_values(y.grad(), {1, 3}, {1, 1, 1});
  const Tensor marked = (x * 2).is_param_(false), inside = marked * 3;
  inside.sum().backward(1, true);
  EXPECT_FALSE(marked.has_grad());
  expect_values(inside.grad(), {3, 3}, std::vector<double>(9, 1));
}
TEST(Backward, TakesAGivenGradient) {
  const Tensor w{1.f, 2.f};
  (w * 2).backward(Tensor{10.f, 100.f});
  expect_values(w.grad(), {2}, {20, 200});
}
TEST(Backward, WorksAgainAfterAnUpdateInPlace) {
  const Tensor w{1.f};
  for (int i = 0; i < 5; ++i) {
    w.zero_grad();
    (w * w).sum().backward();
    w.assign(w - w.grad() * 0.25).realize();
  }
  expect_values(w, {1}, {1.0 / 32});
}
TEST(Backward, WorksWithoutRealizingBetweenUpdates) {
  const Tensor w{1.f};
  for (int i = 0; i < 5; ++i) {
    w.zero_grad();
    (w * w).sum().backward();
    w.assign(w - w.grad() * 0.25);
  }
  expect_values(w, {1}, {1.0 / 32});
}
TEST(Backward, TrainsOnADataSetThatEveryStepReads) {
  const Tensor data({{1.f, 0.f}, {0.f, 2.f}}), w = Tensor::zeros({2});
  w.is_param_();
  for (int i = 0; i < 3; ++i) {
    w.zero_grad();
    const Tensor loss = (data.matmul(w) - 1).square().sum();
    loss.backward();
    w.assign(w - w.grad() * 0.1).realize();
    EXPECT_TRUE(std::isfinite(loss.item<double>()));
  }
  expect_values(w, {2}, {1 - 0.512, 0.5 - 0.5 * 0.008}, 1e-6);
}
TEST(Backward, OfAParameterAsksForZeroGrad) {
  const Tensor w{1.f, 2.f};
  w.is_param_();
  (w * w).sum().backward();
  w.assign(w - w.grad()).realize();
  (w * w).sum().backward();  // nobody may look at the sum of both
  EXPECT_EQ(error_of<ArgumentError>([&] { w.assign(w - w.grad()); }),
            "sub: the gradient of an earlier step was overwritten in place before it was computed. "
            "Hint: call zero_grad() before backward().");
  w.zero_grad();
  (w * w).sum().backward();
  expect_values(w.grad(), {2}, {-2, -4});
}
TEST(Backward, OfAComputedValueSaysWhyItReachesNothing) {
  const Tensor w{1.f};
  const Tensor loss = (w * 2).sum().realize();
  EXPECT_EQ(error_of<ArgumentError>([&] { loss.backward(); }),
            "backward: the value depends on no parameter and no stored float tensor. Hint: "
            "realize() makes a value forget its graph; differentiate before it.");
}

TEST(Gradient, IsZeroWhereNothingDepends) {
  const Tensor x{1.f, 2.f}, y{3.f};
  expect_values(x.sum().gradient({y})[0], {1}, {0});
}
TEST(Gradient, OfAnIntermediateValueAndItsSource) {
  const Tensor x{2.f};
  const Tensor h = x * x;
  const auto g = (h * 3).sum().gradient({h, x});
  expect_values(g[0], {1}, {3});
  expect_values(g[1], {1}, {12});
}
TEST(Gradient, OfItselfIsOne) {
  const Tensor x = Tensor{2.f}.sum();
  expect_values(x.gradient({x})[0], {}, {1});
}
TEST(Gradient, StopsAtDetach) {
  const Tensor x{2.f};
  expect_values((x * x.detach()).sum().gradient({x})[0], {1}, {2});
}
TEST(Gradient, CanBeTakenTwice) {
  const Tensor x(Doubles{0.5, 2});
  const Tensor first = (x.pow(3)).sum().gradient({x})[0];
  expect_values(first.sum().gradient({x})[0], {2}, {3, 12});
}
TEST(Gradient, CanBeTakenThreeTimes) {
  const Tensor x(Doubles{0.7});
  Tensor y = x.sin().sum();
  for (int i = 0; i < 3; ++i) y = y.gradient({x})[0].sum();
  EXPECT_NEAR(y.item<double>(), -std::cos(0.7), 1e-12);
}
TEST(Gradient, FlowsThroughLongChains) {
  const Tensor x{1.f};
  Tensor y = x;
  for (int i = 0; i < 5000; ++i) y = y * 1.0f + 0.0f;
  expect_values(y.sum().gradient({x})[0], {1}, {1});
}

// As PyTorch has it: 1 ÷ √(x² − 1), a number wherever that is one.
TEST(Gradient, OfAcoshIsANumberBelowMinusOneToo) {
  const Tensor x{-1e30f, -3.f, -2.f, 0.5f, 1.5f, 3.f, 1e9f};
  const auto slopes = x.acosh().sum().gradient({x})[0].to_vector<float>();
  EXPECT_FLOAT_EQ(slopes[0], 1e-30f);
  EXPECT_FLOAT_EQ(slopes[1], 0.35355338f);
  EXPECT_FLOAT_EQ(slopes[2], 0.57735026f);
  EXPECT_TRUE(std::isnan(slopes[3]));
  EXPECT_FLOAT_EQ(slopes[4], 0.8944272f);
  EXPECT_FLOAT_EQ(slopes[5], 0.35355338f);
  EXPECT_FLOAT_EQ(slopes[6], 1e-9f);
  for (const float y : x.shrink({{0, 4}}).acosh().to_vector<float>()) EXPECT_TRUE(std::isnan(y));
}

TEST(Scopes, NoGradStopsGradients) {
  const Tensor x{2.f};
  Tensor y;
  {
    NoGradScope scope;
    EXPECT_FALSE(is_grad_enabled());
    y = x * x;
  }
  EXPECT_TRUE(is_grad_enabled());
  expect_values((y * x).sum().gradient({x})[0], {1}, {4});
}
TEST(Scopes, TrainingNests) {
  EXPECT_FALSE(is_training());
  TrainingScope outer;
  EXPECT_TRUE(is_training());
  {
    TrainingScope inner(false);
    EXPECT_FALSE(is_training());
  }
  EXPECT_TRUE(is_training());
}
TEST(Scopes, AreOfTheThread) {
  TrainingScope scope;
  bool other = true;
  std::thread([&] { other = is_training(); }).join();
  EXPECT_FALSE(other);
}

TEST(BatchNorm, UpdatesItsRunningStatisticsWhileTraining) {
  Tensor mean = Tensor::zeros({2}), var = Tensor::ones({2});
  const Tensor x(Doubles{1, 2, 3, 6}, Shape{2, 2});
  TrainingScope scope;
  x.cast(DType::Float32).batch_norm({.running_mean = &mean, .running_var = &var}).realize();
  expect_values(mean, {2}, {0.2, 0.4});
  expect_values(var, {2}, {0.9 + 0.1 * 2, 0.9 + 0.1 * 8});
}
TEST(BatchNorm, UsesItsRunningStatisticsOtherwise) {
  Tensor mean = Tensor::full({1}, 1.0), var = Tensor::full({1}, 4.0);
  expect_values(Tensor({{5.f}}).batch_norm({.running_mean = &mean, .running_var = &var, .eps = 0}),
                {1, 1}, {2});
}

TEST(Gradcheck, AcceptsRightGradients) {
  const auto r =
      gradcheck([](const auto& x) { return x[0].exp() * x[1]; }, {Tensor{0.1f, 0.2f}, Tensor{1.f}});
  EXPECT_TRUE(r) << r.message;
  EXPECT_EQ(r.checked, 3);
}
TEST(Gradcheck, NamesAWrongGradient) {
  const auto r = gradcheck([](const auto& x) { return x[0] * x[0].detach(); }, {Tensor{3.f}});
  EXPECT_FALSE(r);
  EXPECT_EQ(r.message.substr(0, 41), "input 0 of shape [1], element 0: gradient");
  EXPECT_GT(r.max_error, 1);
}

class RandomGradients : public ::testing::TestWithParam<uint32_t> {};

// A random composition of smooth functions, broadcasts, views and reductions.
TEST_P(RandomGradients, OfRandomProgramsAgreeWithDifferences) {
  Random r(GetParam());
  const Shape s = {r.whole(1, 3), r.whole(1, 3), r.whole(1, 3)};
  const Tensor x = r.tensor(s), y = r.tensor({s[2]});
  std::vector<int64_t> steps;
  for (int i = 0; i < 6; ++i) steps.push_back(r.whole(0, 9));
  expect_gradients(
      [&](const std::vector<Tensor>& in) {
        Tensor t = in[0];
        for (int64_t step : steps) {
          switch (step) {
            case 0:
              t = t.tanh();
              break;
            case 1:
              t = t * in[1].reshape({1, 1, -1}).sum({.axis = 2, .keepdim = true});
              break;
            case 2:
              t = t.transpose(0, 2);
              break;
            case 3:
              t = t + t.mean({.axis = {1}, .keepdim = true});
              break;
            case 4:
              t = t.softmax(0);
              break;
            case 5:
              t = Tensor::cat({t, t.flip({0})}, 1)[{Slice(), Slice(0, {}, 2)}];
              break;
            case 6:
              t = t.sigmoid() * t;
              break;
            case 7:
              t = t.pad({{1, 0}, {0, 0}, {0, 1}});
              break;
            case 8:
              t = (t.square() + 1).sqrt();
              break;
            default:
              t = t.reshape({1, t.size(0), -1})
                      .matmul(t.reshape({1, t.size(0), -1}).transpose(1, 2));
              break;
          }
        }
        return t;
      },
      {x, y}, {.eps = 1e-5, .atol = 1e-4, .rtol = 1e-3});
}

TEST_P(RandomGradients, SecondDerivativesAgreeWithDifferences) {
  Random r(GetParam() + 70);
  const Tensor x = r.tensor({r.whole(1, 3), 2}), w = r.tensor({2, 2});
  expect_gradients(
      [](const std::vector<Tensor>& in) {
        const Tensor y = in[0].matmul(in[1]).tanh().square().sum();
        return y.gradient({in[0]})[0];
      },
      {x, w}, {.eps = 1e-5, .atol = 1e-4});
}

TEST_P(RandomGradients, OfAConvolutionalNetAgreeWithDifferences) {
  Random r(GetParam() + 170);
  const Tensor x = r.tensor({2, 1, 6, 6}), w = r.tensor({2, 1, 3, 3}), v = r.tensor({8, 3});
  const Tensor label = Tensor{0, 2};
  expect_gradients(
      [&](const std::vector<Tensor>& in) {
        const Tensor h = x.conv2d(in[0]).batch_norm({.training = true}).gelu().avg_pool2d();
        return h.flatten(1).matmul(in[1]).cross_entropy(label);
      },
      {w, v}, {.eps = 1e-5, .atol = 1e-5});
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomGradients, ::testing::Range(1u, 11u));

}  // namespace
}  // namespace tg

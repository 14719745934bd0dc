// Clipped gradients, averages of parameters and scaled losses: their numbers, that nothing is
// computed too early or compiled twice, and that captured steps hold them.
#include "tg/training.h"

#include <gtest/gtest.h>

#include <cmath>

#include "engine/counters.h"
#include "support/options.h"
#include "tg/autograd.h"
#include "tg/jit.h"
#include "unit/nn/nn_test_util.h"

namespace tg::nn {
namespace {

using Floats = std::vector<float>;

Tensor parameter(const Floats& values) { return Tensor(values).is_param_(); }
Tensor with_gradient_of(const Floats& gradient) {
  const Tensor p = parameter(Floats(gradient.size(), 1.0F));
  p.set_grad(Tensor(gradient));
  return p;
}
Floats gradient_of(const Tensor& p) { return p.grad().to_vector<float>(); }

void expect_near_floats(const Floats& got, const Floats& want, double tolerance = 1e-5) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(got[i], want[i], tolerance) << "at " << i;
}

// ---- clipping

TEST(ClipGradNorm, TakesAllGradientsForOneVector) {
  const Tensor a = with_gradient_of({3, 0}), b = with_gradient_of({-4});
  EXPECT_FLOAT_EQ(clip_grad_norm({a, b}, 1).item<float>(), 5);
  expect_near_floats(gradient_of(a), {0.6F, 0});
  expect_near_floats(gradient_of(b), {-0.8F});
}
TEST(ClipGradNorm, TakesAsManyGradientsAsADeepNetworkHas) {
  std::vector<Tensor> many;
  for (int i = 0; i < 100; ++i) many.push_back(with_gradient_of({0.3F, -0.4F}));
  EXPECT_NEAR(clip_grad_norm(many, 1).item<float>(), 5, 1e-5);
  for (const Tensor& p : many) expect_near_floats(gradient_of(p), {0.06F, -0.08F});
}
TEST(ClipGradNorm, LeavesShortGradientsAlone) {
  const Tensor a = with_gradient_of({0.3F, 0.4F});
  EXPECT_FLOAT_EQ(clip_grad_norm({a}, 1).item<float>(), 0.5F);
  EXPECT_EQ(gradient_of(a), (Floats{0.3F, 0.4F}));
  const Tensor zero = with_gradient_of({0, 0});
  EXPECT_EQ(clip_grad_norm({zero}, 1).item<float>(), 0);
  EXPECT_EQ(gradient_of(zero), (Floats{0, 0}));
}
TEST(ClipGradNorm, KnowsOtherNorms) {
  const auto norm = [](double p) {
    const Tensor a = with_gradient_of({1, -3}), b = with_gradient_of({4});
    const float total = clip_grad_norm({a, b}, 2, {.norm_type = p}).item<float>();
    EXPECT_NEAR(gradient_of(b)[0], 8 / total, 1e-5);
    return total;
  };
  EXPECT_NEAR(norm(1), 8, 1e-5);
  EXPECT_NEAR(norm(3), std::cbrt(1 + 27 + 64), 1e-5);
  EXPECT_NEAR(norm(INFINITY), 4, 1e-6);
}
TEST(ClipGradNorm, OfInfinityAndNanIsPyTorchs) {
  const Tensor inf = with_gradient_of({1, INFINITY});
  EXPECT_EQ(clip_grad_norm({inf}, 1).item<float>(), INFINITY);
  EXPECT_EQ(gradient_of(inf)[0], 0);
  EXPECT_TRUE(std::isnan(gradient_of(inf)[1]));
  for (const double p : {2.0, static_cast<double>(INFINITY)}) {
    const Tensor nan = with_gradient_of({1, NAN});
    EXPECT_TRUE(std::isnan(clip_grad_norm({nan}, 1, {.norm_type = p}).item<float>()));
    for (const float g : gradient_of(nan)) EXPECT_TRUE(std::isnan(g)) << p;
  }
}
TEST(ClipGradNorm, AddsSmallFloatsInFloat32) {
  const Tensor p = Tensor::ones({4}, DType::Float16).is_param_();
  p.set_grad(Tensor::full({4}, 300.0, {.dtype = DType::Float16}));  // squares leave float16
  const Tensor norm = clip_grad_norm({p}, 60);
  EXPECT_EQ(norm.dtype(), DType::Float32);
  EXPECT_EQ(norm.item<float>(), 600);
  EXPECT_EQ(p.grad().dtype(), DType::Float16);
  expect_near_floats(p.grad().cast(DType::Float32).to_vector<float>(), Floats(4, 30), 0.05);
}
TEST(ClipGradNorm, PassesOverParametersWithoutGradient) {
  const Tensor a = parameter({1}), b = with_gradient_of({2});
  EXPECT_FLOAT_EQ(clip_grad_norm({a, b}, 1).item<float>(), 2);
  EXPECT_FALSE(a.has_grad());
  EXPECT_EQ(clip_grad_norm({a}, 1).item<float>(), 0);
}
TEST(ClipGradNorm, ComputesNothingYet) {
  const Tensor p = parameter({1, 2});
  (p * p).sum().backward();
  const EngineCounters before = counters();
  clip_grad_norm({p}, 1);
  clip_grad_value({p}, 1);
  EXPECT_EQ(counters().kernels, before.kernels);
}
TEST(ClipGradNorm, RefusesNumbersWithoutMeaning) {
  const Tensor p = with_gradient_of({1});
  EXPECT_EQ(argument_error_of([] { clip_grad_norm(std::vector<Tensor>{}, 1); }),
            "clip_grad_norm: there are no parameters. Hint: mark tensors with is_param_() and list "
            "them in visit().");
  EXPECT_EQ(argument_error_of([&] { clip_grad_norm({p}, -1); }),
            "clip_grad_norm: max_norm must not be negative, got -1.");
  EXPECT_EQ(argument_error_of([&] { clip_grad_norm({p}, 1, {.norm_type = 0}); }),
            "clip_grad_norm: norm_type must be above 0, got 0.");
  EXPECT_EQ(argument_error_of([&] { clip_grad_value({p}, NAN); }),
            "clip_grad_value: clip_value must not be negative, got nan.");
}

TEST(ClipGradValue, MovesElementsIntoTheRange) {
  const Tensor a = with_gradient_of({-5, 0.25F, INFINITY, NAN}), b = parameter({1});
  clip_grad_value({a, b}, 0.5);
  const Floats g = gradient_of(a);
  EXPECT_EQ(Floats(g.begin(), g.end() - 1), (Floats{-0.5F, 0.25F, 0.5F}));
  EXPECT_TRUE(std::isnan(g[3]));
  EXPECT_FALSE(b.has_grad());
}

// Some steps, captured or not; `more` stands between backward and step.
template <typename More>
Floats trained(bool captured, More more) {
  Options o = options();
  o.device = "CPU";
  const OptionsScope scope(o);
  const Tensor p = parameter({1, -2, 3});
  Adam adam(std::vector<Tensor>{p}, {.lr = 0.1});
  const auto body = [&](const Tensor& x) {
    adam.zero_grad();
    const Tensor loss = (p * x).square().sum();
    loss.backward();
    more(p);
    adam.step();
    return loss;
  };
  TinyJit step(body);
  for (int i = 1; i < 6; ++i) {
    const Tensor x(Floats{1.0F * static_cast<float>(i), 2, 3});
    captured ? step(x) : body(x);
  }
  return p.to_vector<float>();
}

TEST(ClipGradNorm, StandsInACapturedStep) {
  const auto clip = [](const Tensor& p) { clip_grad_norm({p}, 2.5); };
  EXPECT_EQ(trained(false, clip), trained(true, clip));
}

TEST(Checkpoint, MovesRunningStatisticsOnce) {
  BatchNorm norm(2);
  const TrainingScope training;
  const Tensor x = Tensor({{1.F, 2.F}, {3.F, 5.F}}).realize();
  SGD sgd(norm);
  sgd.step(checkpoint([&](const auto& in) { return norm(in[0]); }, {x}).square().sum());
  expect_near_floats(norm.running_mean.to_vector<float>(), {0.2F, 0.35F});
}

// ---- averages

TEST(ExponentialMovingAverage, AgreesWithTheRecurrence) {
  const Tensor p = parameter({1, 2});
  ExponentialMovingAverage ema(std::vector<Tensor>{p}, 0.75);
  double want = 1;
  for (const float next : {5.0F, -1.0F, 2.0F}) {
    p.assign(Tensor(Floats{next, 2})).realize();
    ema.update();
    want = 0.75 * want + 0.25 * next;
  }
  expect_near_floats(ema.averages()[0].to_vector<float>(), {static_cast<float>(want), 2});
  EXPECT_EQ(p.to_vector<float>(), (Floats{2, 2}));
  EXPECT_FALSE(ema.averages()[0].is_param());
}
TEST(ExponentialMovingAverage, SwapsForAnEvaluationAndBack) {
  const Tensor p = Tensor(Floats{1}).cast(DType::Float16).is_param_();
  ExponentialMovingAverage ema(std::vector<Tensor>{p}, 0.999);
  p.assign(Tensor(Floats{3}).cast(DType::Float16)).realize();
  ema.update();  // 1.002, which float16 has not
  const Floats average = ema.averages()[0].to_vector<float>();
  expect_near_floats(average, {1.002F});
  ema.swap();
  EXPECT_TRUE(ema.is_swapped());
  EXPECT_NEAR(p.cast(DType::Float32).item<float>(), 1.002, 1e-3);
  EXPECT_EQ(argument_error_of([&] { ema.update(); }),
            "update: the averages stand in the place of the parameters. Hint: call swap() after "
            "the evaluation.");
  ema.swap();
  EXPECT_EQ(p.cast(DType::Float32).item<float>(), 3);
  EXPECT_EQ(ema.averages()[0].to_vector<float>(), average);
}
TEST(ExponentialMovingAverage, IsCopiedIntoAnotherModel) {
  Linear model(2, 3), other(2, 3);
  ExponentialMovingAverage ema(model, 0.5);
  const Floats before = model.weight.to_vector<float>();
  model.weight.assign(model.weight * 3).realize();
  ema.update();
  ema.copy_to(other);
  Floats want;
  for (const float w : before) want.push_back(2 * w);
  expect_near_floats(other.weight.to_vector<float>(), want);
  Linear larger(3, 3);
  EXPECT_EQ(message_of<ShapeError>([&] { ema.copy_to(larger); }),
            "copy_to: average 0 has shape [3,2], the parameter [3,3].");
  EXPECT_EQ(argument_error_of([&] { ema.copy_to({other.weight}); }),
            "copy_to: 2 averages do not fit into 1 parameters.");
}
TEST(ExponentialMovingAverage, IsAModelOfItsAverages) {
  Linear model(1, 1);
  ExponentialMovingAverage ema(model);
  EXPECT_EQ(state_dict(ema).size(), 2U);
  EXPECT_TRUE(state_dict(ema).contains("average.0"));
}
TEST(ExponentialMovingAverage, StandsInACapturedStep) {
  const auto averages = [](bool captured) {
    Options o = options();
    o.device = "CPU";
    const OptionsScope scope(o);
    const Tensor p = parameter({1, -2});
    ExponentialMovingAverage ema(std::vector<Tensor>{p}, 0.5);
    SGD sgd(std::vector<Tensor>{p}, {.lr = 0.1});
    const auto body = [&](const Tensor& x) {
      sgd.step((p * x).sum());
      ema.update();
    };
    TinyJit step(body);
    for (int i = 0; i < 5; ++i) {
      const Tensor x(Floats{static_cast<float>(i), 1});
      captured ? step(x) : body(x);
    }
    return ema.averages()[0].to_vector<float>();
  };
  EXPECT_EQ(averages(false), averages(true));
}
TEST(ExponentialMovingAverage, RefusesNumbersWithoutMeaning) {
  const Tensor p = parameter({1});
  EXPECT_EQ(argument_error_of([&] { ExponentialMovingAverage(std::vector<Tensor>{p}, 1.5); }),
            "ExponentialMovingAverage: decay must lie in [0, 1], got 1.5.");
  EXPECT_EQ(message_of<DTypeError>([&] {
              ExponentialMovingAverage(std::vector<Tensor>{Tensor{1, 2}.realize()});
            }),
            "ExponentialMovingAverage: parameters must be floats, got int32.");
}

// ---- scaled losses

// Everything that a step may change: the parameter, then Adam's state.
std::vector<Floats> all_of(const Tensor& p, Adam& adam) {
  std::vector<Floats> out = {p.to_vector<float>()};
  for (const auto& [name, t] : state_dict(adam)) out.push_back(t.to_vector<float>());
  return out;
}

struct Scaled {
  Tensor p = parameter({1, -2});
  Adam adam{std::vector<Tensor>{p}, {.lr = 0.1}};
  GradScaler scaler;

  explicit Scaled(const GradScalerOptions& options = {.init_scale = 1024}) : scaler(options) {}
  void turn(const Tensor& x) {
    adam.zero_grad();
    scaler.scale((p * x).square().sum()).backward();
    scaler.step(adam);
    scaler.update();
  }
  float scale() const { return scaler.current_scale().item<float>(); }
};

TEST(GradScaler, TakesTheStepThatTheLossAloneWouldTake) {
  Scaled s;
  const Tensor p = parameter({1, -2});
  Adam adam(std::vector<Tensor>{p}, {.lr = 0.1});
  for (int i = 1; i < 4; ++i) {
    const Tensor x(Floats{static_cast<float>(i), 2});
    s.turn(x);
    adam.step((p * x).square().sum());
  }
  expect_near_floats(s.p.to_vector<float>(), p.to_vector<float>());
  EXPECT_EQ(s.scale(), 1024);
}
TEST(GradScaler, SkipsAStepWithInfinityAndLowersTheScale) {
  Scaled s;
  s.turn(Tensor(Floats{1, 2}));
  const auto before = all_of(s.p, s.adam);
  for (const float bad : {INFINITY, NAN}) s.turn(Tensor(Floats{bad, 2}));
  EXPECT_EQ(all_of(s.p, s.adam), before);
  EXPECT_EQ(s.scale(), 256);
  s.turn(Tensor(Floats{1, 2}));
  EXPECT_NE(all_of(s.p, s.adam), before);
}
TEST(GradScaler, SkipsTheVeryFirstStep) {
  Scaled s;
  const auto before = all_of(s.p, s.adam);
  s.turn(Tensor(Floats{INFINITY, 2}));
  EXPECT_EQ(all_of(s.p, s.adam), before);
}
TEST(GradScaler, RaisesTheScaleAfterGoodSteps) {
  Scaled s({.init_scale = 8, .growth_factor = 4, .growth_interval = 3});
  const Tensor good(Floats{1, 2}), bad(Floats{INFINITY, 2});
  std::vector<float> scales;
  for (const Tensor& x : {good, good, bad, good, good, good, good}) {
    s.turn(x);
    scales.push_back(s.scale());
  }
  EXPECT_EQ(scales, (Floats{8, 8, 4, 4, 4, 16, 16}));
}
TEST(GradScaler, DoesNotRaiseTheScaleToInfinity) {
  Scaled s({.init_scale = 1.5e38, .growth_factor = 2.5, .growth_interval = 1});
  s.adam.zero_grad();
  (s.p * 0).sum().backward();
  s.scaler.step(s.adam);
  s.scaler.update();
  EXPECT_FLOAT_EQ(s.scale(), 1.5e38F);
}
TEST(GradScaler, KeepsSmallGradientsOfHalfPrecision) {
  const auto moved = [](auto step) {
    const Tensor p = Tensor(Floats{0.5F}).is_param_();
    SGD sgd(std::vector<Tensor>{p}, {.lr = 1e6});
    // The factor is below what float16 has; its product with the scale is not.
    const Tensor loss = (p.cast(DType::Float16) * 1e-4).cast(DType::Float32).sum() * 1e-5;
    step(sgd, loss);
    return p.item<float>() - 0.5F;
  };
  EXPECT_EQ(moved([](SGD& sgd, const Tensor& loss) { sgd.step(loss); }), 0);
  const float with_scale = moved([](SGD& sgd, const Tensor& loss) {
    GradScaler scaler;
    scaler.scale(loss).backward();
    scaler.step(sgd);
    scaler.update();
  });
  EXPECT_NEAR(with_scale, -1e-3, 2e-5);
}
TEST(GradScaler, UnscalesBeforeClipping) {
  Scaled s;
  s.scaler.scale((s.p * Tensor(Floats{3, 4})).sum()).backward();
  s.scaler.unscale(s.adam);
  EXPECT_NEAR(clip_grad_norm({s.p}, 1).item<float>(), 5, 1e-5);
  expect_near_floats(gradient_of(s.p), {0.6F, 0.8F});
  EXPECT_FALSE(s.scaler.found_inf().item<bool>());
  s.scaler.step(s.adam);
  s.scaler.update();
}
TEST(GradScaler, SkipsTheOptimizerWhoseGradientsAreInfinite) {
  const Tensor a = parameter({1}), b = parameter({1});
  SGD first(std::vector<Tensor>{a}, {.lr = 0.5}), second(std::vector<Tensor>{b}, {.lr = 0.5});
  GradScaler scaler({.init_scale = 4});
  scaler.scale((a * 1 + b * INFINITY).sum()).backward();
  scaler.step(first);
  scaler.step(second);
  EXPECT_TRUE(scaler.found_inf().item<bool>());
  scaler.update();
  EXPECT_EQ(a.item<float>(), 0.5);
  EXPECT_EQ(b.item<float>(), 1);
  EXPECT_EQ(scaler.current_scale().item<float>(), 2);
}
TEST(GradScaler, SchedulesNothingAgainForSkippedSteps) {
  Scaled s;
  const Tensor good(Floats{1, 2}), bad(Floats{INFINITY, 2});
  s.turn(good);
  s.turn(good);
  const EngineCounters before = counters();
  s.turn(bad);
  s.turn(good);
  EXPECT_EQ(counters().scheduled, before.scheduled);
  EXPECT_EQ(counters().compiled, before.compiled);
  EXPECT_GT(counters().kernels, before.kernels);
}
TEST(GradScaler, StandsInACapturedStep) {
  const auto run = [](bool captured) {
    Options o = options();
    o.device = "CPU";
    const OptionsScope scope(o);
    Scaled s({.init_scale = 64, .growth_interval = 2});
    TinyJit step([&](const Tensor& x) { s.turn(x); });
    for (const float x : {1.0F, 2.0F, 3.0F, INFINITY, 4.0F, 5.0F, 6.0F}) {
      const Tensor in(Floats{x, 2});
      captured ? step(in) : s.turn(in);
    }
    auto out = all_of(s.p, s.adam);
    out.push_back({s.scale()});
    return out;
  };
  const auto plain = run(false);
  EXPECT_EQ(plain, run(true));
  EXPECT_EQ(plain.back(), Floats{128});
}
TEST(GradScaler, RefusesCallsInAnotherOrder) {
  Scaled s;
  EXPECT_EQ(argument_error_of([&] { s.scaler.update(); }),
            "update: no optimizer has taken a step since the last update.");
  EXPECT_EQ(argument_error_of([&] { s.scaler.found_inf(); }),
            "found_inf: no gradients were divided by the scale yet. Hint: call unscale() or step() "
            "first.");
  s.scaler.scale(s.p.sum()).backward();
  s.scaler.unscale(s.adam);
  EXPECT_EQ(argument_error_of([&] { s.scaler.unscale(s.adam); }),
            "unscale: the gradients of this optimizer were divided by the scale already. Hint: "
            "call update() at the end of each step.");
  s.scaler.step(s.adam);
  EXPECT_EQ(argument_error_of([&] { s.scaler.step(s.adam); }),
            "step: this optimizer has taken its step already. Hint: call update() at the end of "
            "each step.");
  EXPECT_EQ(argument_error_of([] { GradScaler({.growth_factor = 1}); }),
            "GradScaler: needs init_scale > 0, growth_factor > 1, 0 < backoff_factor < 1 and "
            "growth_interval >= 1: 65536, 1, 0.5, 2000.");
}
TEST(GradScaler, IsAModelOfItsScale) {
  GradScaler a({.init_scale = 8}), b;
  load_state_dict(b, state_dict(a));
  EXPECT_EQ(b.current_scale().item<float>(), 8);
}

}  // namespace
}  // namespace tg::nn

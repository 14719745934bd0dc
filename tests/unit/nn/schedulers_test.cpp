// Schedulers against closed formulas in double (the library goes from rate to rate instead), what
// several do together, and what a change of the rate costs.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>

#include "engine/counters.h"
#include "tg/training.h"
#include "unit/nn/nn_test_util.h"

namespace tg::nn {
namespace {

constexpr double kBase = 0.5;

Tensor weights() { return Tensor({1.0F, -2.0F}).is_param_(); }

struct Fixture {
  Tensor p = weights();
  SGD sgd{std::vector<Tensor>{p}, {.lr = kBase}};
};

// The rates of epochs 0, 1, … are what `want` says.
void expect_rates(Optimizer& optimizer, LRScheduler& scheduler, int epochs,
                  const std::function<double(int)>& want) {
  for (int epoch = 0; epoch < epochs; ++epoch) {
    if (epoch > 0) scheduler.step();
    EXPECT_NEAR(optimizer.lr(), want(epoch), 1e-12) << "at epoch " << epoch;
    EXPECT_EQ(optimizer.lr(), scheduler.last_lr());
    EXPECT_EQ(scheduler.last_epoch(), epoch);
  }
}

double cosine(double from, double to, double share) {
  return to + (from - to) * (1 + std::cos(std::numbers::pi * share)) / 2;
}

TEST(StepLR, FallsEveryFewEpochs) {
  Fixture f;
  StepLR s(f.sgd, 3, 0.5);
  expect_rates(f.sgd, s, 10, [](int e) { return kBase * std::pow(0.5, e / 3); });
}
TEST(StepLR, FallsToATenthByDefault) {
  Fixture f;
  StepLR s(f.sgd, 1);
  expect_rates(f.sgd, s, 3, [](int e) { return kBase * std::pow(0.1, e); });
}

TEST(MultiStepLR, FallsAtEachMilestoneAsOftenAsItIsNamed) {
  Fixture f;
  MultiStepLR s(f.sgd, {5, 2, 5}, 0.5);
  expect_rates(f.sgd, s, 8, [](int e) { return kBase * (e < 2 ? 1 : e < 5 ? 0.5 : 0.125); });
}

TEST(ExponentialLR, FallsEveryEpoch) {
  Fixture f;
  ExponentialLR s(f.sgd, 0.9);
  expect_rates(f.sgd, s, 6, [](int e) { return kBase * std::pow(0.9, e); });
}

TEST(LinearLR, WarmsUpFromAThirdInFiveEpochs) {
  Fixture f;
  LinearLR s(f.sgd);
  expect_rates(f.sgd, s, 9, [](int e) { return kBase * (1. / 3 + 2. / 3 * std::min(e, 5) / 5.); });
}
TEST(LinearLR, GoesBetweenAnyFactors) {
  Fixture f;
  LinearLR s(f.sgd, {.start_factor = 1, .end_factor = 0, .total_iters = 4});
  expect_rates(f.sgd, s, 7, [](int e) { return kBase * (1 - std::min(e, 4) / 4.); });
}

TEST(CosineAnnealingLR, FallsAndRisesAlongACosine) {
  Fixture f;
  CosineAnnealingLR s(f.sgd, 5, 0.01);
  expect_rates(f.sgd, s, 23, [](int e) { return cosine(kBase, 0.01, e / 5.); });
}
TEST(CosineAnnealingLR, FallsToZeroByDefault) {
  Fixture f;
  CosineAnnealingLR s(f.sgd, 4);
  expect_rates(f.sgd, s, 9, [](int e) { return cosine(kBase, 0, e / 4.); });
}

TEST(CosineAnnealingWarmRestarts, BeginsAgain) {
  Fixture f;
  CosineAnnealingWarmRestarts s(f.sgd, 4);
  expect_rates(f.sgd, s, 13, [](int e) { return cosine(kBase, 0, e % 4 / 4.); });
}
TEST(CosineAnnealingWarmRestarts, TakesLongerEachTime) {
  Fixture f;
  CosineAnnealingWarmRestarts s(f.sgd, 2, {.t_mult = 2, .eta_min = 0.1});
  expect_rates(f.sgd, s, 20, [](int e) {  // cycles of 2, 4 and 8 begin at 0, 2 and 6
    const int begin = e < 2 ? 0 : e < 6 ? 2 : e < 14 ? 6 : 14;
    return cosine(kBase, 0.1, (e - begin) / static_cast<double>(begin + 2));
  });
}

TEST(OneCycleLR, RisesAndFalls) {
  Fixture f;
  OneCycleLR s(f.sgd, 1.0, 20);  // the top is at step 0.3 · 20 − 1
  expect_rates(f.sgd, s, 20, [](int e) {
    return e <= 5 ? cosine(1. / 25, 1, e / 5.) : cosine(1, 1. / 25 / 1e4, (e - 5) / 14.);
  });
}
TEST(OneCycleLR, GoesInThreeStraightPhases) {
  Fixture f;
  OneCycleLR s(f.sgd, 2.0, 11,
               {.pct_start = 4. / 11,
                .anneal = Anneal::Linear,
                .div_factor = 4,
                .final_div_factor = 10,
                .three_phase = true});
  expect_rates(f.sgd, s, 11, [](int e) {
    if (e <= 3) return 0.5 + 1.5 * e / 3;
    return e <= 6 ? 2 - 1.5 * (e - 3) / 3 : 0.5 - 0.45 * (e - 6) / 4;
  });
}
TEST(OneCycleLR, RefusesStepsAfterTheLast) {
  Fixture f;
  OneCycleLR s(f.sgd, 1.0, 2);
  s.step();
  s.step();  // after the last batch
  EXPECT_EQ(argument_error_of([&] { s.step(); }),
            "OneCycleLR: step 3 of 2. Hint: give the number of all steps as total_steps.");
}

TEST(LambdaLR, MultipliesTheFirstRate) {
  Fixture f;
  LambdaLR s(f.sgd, [](int64_t e) { return 1.0 / static_cast<double>(e + 2); });
  expect_rates(f.sgd, s, 5, [](int e) { return kBase / (e + 2); });
}

TEST(SequentialLR, WarmsUpThenFallsAlongACosine) {
  Fixture f;
  LinearLR up(f.sgd, {.start_factor = 0.1, .total_iters = 4});
  CosineAnnealingLR down(f.sgd, 6);
  SequentialLR s(f.sgd, {&up, &down}, {4});
  expect_rates(f.sgd, s, 11, [](int e) {
    return e < 4 ? kBase * (0.1 + 0.9 * e / 4) : cosine(kBase, 0, (e - 4) / 6.);
  });
}

TEST(ChainedScheduler, MultipliesWhatItsSchedulersSay) {
  Fixture f;
  LinearLR up(f.sgd, {.start_factor = 0.25, .total_iters = 3});
  ExponentialLR down(f.sgd, 0.5);
  ChainedScheduler s({&up, &down});
  expect_rates(f.sgd, s, 6,
               [](int e) { return kBase * (0.25 + 0.75 * std::min(e, 3) / 3) * std::pow(0.5, e); });
}

TEST(LRScheduler, GoesFromTheRateThatIsThere) {
  Fixture f;
  ExponentialLR s(f.sgd, 0.5);
  f.sgd.set_lr(8);
  s.step();
  EXPECT_EQ(f.sgd.lr(), 4);
}

TEST(LRScheduler, ResumesWhereOthersWere) {
  Fixture f, g;
  const auto make = [](Optimizer& o, auto run) {
    LinearLR up(o, {.start_factor = 0.5, .total_iters = 3});
    CosineAnnealingLR down(o, 9, 0.01);
    SequentialLR s(o, {&up, &down}, {3});
    run(s);
  };
  make(f.sgd, [](LRScheduler& s) {
    for (int i = 0; i < 7; ++i) s.step();
  });
  make(g.sgd, [](LRScheduler& s) {
    s.resume(7);
    EXPECT_EQ(s.last_epoch(), 7);
  });
  EXPECT_EQ(f.sgd.lr(), g.sgd.lr());
  EXPECT_LT(f.sgd.lr(), kBase);
}

TEST(LRScheduler, SetsTheRateOfStepsWithoutSchedulingAgain) {
  const Tensor p = weights();
  SGD sgd(std::vector<Tensor>{p}, {.lr = 0.5});
  ExponentialLR s(sgd, 0.5);
  const auto turn = [&] {
    sgd.step((p * 3).sum());
    s.step();
  };
  turn();
  turn();
  const EngineCounters before = counters();
  turn();
  turn();
  EXPECT_EQ(counters().scheduled, before.scheduled);
  EXPECT_EQ(counters().compiled, before.compiled);
  EXPECT_GT(counters().kernels, before.kernels);
  const double moved = 3 * (0.5 + 0.25 + 0.125 + 0.0625);
  EXPECT_NEAR(p.to_vector<float>()[0], 1 - moved, 1e-6);
}

TEST(LRScheduler, RefusesNumbersWithoutMeaning) {
  Fixture f;
  EXPECT_EQ(argument_error_of([&] { StepLR(f.sgd, 0); }),
            "StepLR: step_size must be at least 1, got 0.");
  EXPECT_EQ(argument_error_of([&] { LinearLR(f.sgd, {.start_factor = 0}); }),
            "LinearLR: start_factor must lie in (0, 1] and end_factor in [0, 1]: 0 and 1.");
  EXPECT_EQ(argument_error_of([&] { LinearLR(f.sgd, {.total_iters = 0}); }),
            "LinearLR: total_iters must be at least 1, got 0.");
  EXPECT_EQ(argument_error_of([&] { CosineAnnealingLR(f.sgd, 0); }),
            "CosineAnnealingLR: t_max must be at least 1, got 0.");
  EXPECT_EQ(argument_error_of([&] { CosineAnnealingWarmRestarts(f.sgd, 1, {.t_mult = 0}); }),
            "CosineAnnealingWarmRestarts: t_mult must be at least 1, got 0.");
  EXPECT_EQ(argument_error_of([&] { OneCycleLR(f.sgd, 1, 5, {.pct_start = 2}); }),
            "OneCycleLR: pct_start must lie in [0, 1], got 2.");
  EXPECT_EQ(argument_error_of([&] { OneCycleLR(f.sgd, 1, 5, {.div_factor = 0}); }),
            "OneCycleLR: div_factor and final_div_factor must be above 0: 0 and 10000.");
  EXPECT_EQ(argument_error_of([&] { ReduceLROnPlateau(f.sgd, {.factor = 1}); }),
            "ReduceLROnPlateau: factor must lie in [0, 1), got 1.");
  ExponentialLR s(f.sgd, 1);
  EXPECT_EQ(argument_error_of([&] { s.resume(-1); }),
            "resume: the epoch must not be negative, got -1.");
}

TEST(LRScheduler, RefusesSchedulersThatDoNotFitTogether) {
  Fixture f, g;
  ExponentialLR a(f.sgd, 1), b(g.sgd, 1);
  EXPECT_EQ(argument_error_of([&] { SequentialLR(f.sgd, {}, {}); }),
            "SequentialLR: needs at least one scheduler.");
  EXPECT_EQ(argument_error_of([&] { SequentialLR(f.sgd, {&a}, {1}); }),
            "SequentialLR: needs ascending milestones, one less than schedulers: 1 and 1.");
  EXPECT_EQ(argument_error_of([&] {
              SequentialLR(f.sgd, {&a, &b}, {1});
            }),
            "SequentialLR: a scheduler is of another optimizer.");
  EXPECT_EQ(argument_error_of([&] { ChainedScheduler({}); }),
            "ChainedScheduler: needs at least one scheduler.");
  EXPECT_EQ(argument_error_of([&] {
              ChainedScheduler({&a, &b});
            }),
            "ChainedScheduler: the schedulers are of different optimizers.");
}

struct Measured {
  double metric, lr;
};
void expect_rates(const PlateauOptions& options, const std::vector<Measured>& epochs) {
  Fixture f;
  ReduceLROnPlateau s(f.sgd, options);
  for (size_t i = 0; i < epochs.size(); ++i) {
    s.step(epochs[i].metric);
    EXPECT_DOUBLE_EQ(f.sgd.lr(), epochs[i].lr) << "after epoch " << i;
  }
}

TEST(ReduceLROnPlateau, WaitsThenLowersTheRate) {
  expect_rates({.factor = 0.5, .patience = 2},
               {{1, 0.5}, {1, 0.5}, {1, 0.5}, {1, 0.25}, {1, 0.25}, {1, 0.25}, {1, 0.125}});
}
TEST(ReduceLROnPlateau, CountsFromTheLastBetterNumber) {
  expect_rates({.factor = 0.5, .patience = 1}, {{3, 0.5}, {3, 0.5}, {2, 0.5}, {2, 0.5}, {2, 0.25}});
}
TEST(ReduceLROnPlateau, WantsMoreThanTheThreshold) {
  expect_rates({.factor = 0.5, .patience = 0, .threshold = 0.1},
               {{10, 0.5}, {9.5, 0.25}, {8.9, 0.25}});
  expect_rates({.factor = 0.5, .patience = 0, .threshold = 0.1, .relative = false},
               {{10, 0.5}, {9.95, 0.25}, {9.8, 0.25}});
}
TEST(ReduceLROnPlateau, TakesLargerNumbersForBetterIfAsked) {
  expect_rates({.maximize = true, .factor = 0.5, .patience = 0}, {{1, 0.5}, {2, 0.5}, {1.5, 0.25}});
}
TEST(ReduceLROnPlateau, DoesNotCountEpochsOfTheCooldown) {
  expect_rates({.factor = 0.5, .patience = 0, .cooldown = 2},
               {{1, 0.5}, {1, 0.25}, {1, 0.25}, {1, 0.25}, {1, 0.125}});
}
TEST(ReduceLROnPlateau, StopsAtTheLeastRate) {
  expect_rates({.factor = 0.1, .patience = 0, .min_lr = 0.2}, {{1, 0.5}, {1, 0.2}, {1, 0.2}});
}
TEST(ReduceLROnPlateau, TakesNanForNoBetterNumber) {
  Fixture f;
  ReduceLROnPlateau s(f.sgd, {.patience = 0});
  s.step(NAN);
  EXPECT_EQ(s.best(), INFINITY);
  EXPECT_DOUBLE_EQ(f.sgd.lr(), 0.05);
  EXPECT_EQ(s.last_epoch(), 1);
  EXPECT_EQ(s.num_bad_epochs(), 0);
}

}  // namespace
}  // namespace tg::nn

// Schedules of noise have the numbers of `diffusers`: the variance that is left, the times, and
// what each step makes of a given network and given noise (diffusion_reference.h).
#include "tg/models/noise_schedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/error_text.h"
#include "tg/error.h"
#include "unit/frontend/diffusion/diffusion_reference.h"

namespace tg::models {
namespace {

using test::error_text;

struct ScheduleCase {
  NoiseScheduleOptions options;
  int64_t steps = 0;
  double eta = 0;
};

// SCHEDULES of make_diffusion.py.
std::vector<ScheduleCase> schedule_cases() {
  using enum Sampler;
  using enum BetaCurve;
  const auto picture = Prediction::Picture;
  const auto velocity = Prediction::Velocity;
  const auto trailing = TimeSpacing::Trailing;
  const auto linspace = TimeSpacing::Linspace;
  return {
      {{.sampler = Ddpm}, 1000},
      {{.sampler = Ddpm, .has_large_variance = true}, 7},
      {{.sampler = Ddpm, .curve = ScaledLinear, .first_beta = 0.001}, 20},
      {{.sampler = Ddpm, .curve = SquaredCosine, .prediction = velocity, .spacing = trailing}, 13},
      {{.sampler = Ddpm, .prediction = picture, .spacing = linspace, .clip = 0.5}, 9},
      {{.sampler = Ddpm, .times = 100, .offset = 3, .clip = 0}, 11},
      {{.sampler = Ddpm, .times = 4, .betas = {0.02, 0.1, 0.3, 0.4}}, 4},
      {{.sampler = Ddim}, 50},
      {{.sampler = Ddim}, 12, 1},
      {{.sampler = Ddim, .offset = 1, .ends_without_noise = false}, 20, 0.3},
      {{.sampler = Ddim, .prediction = velocity, .spacing = trailing, .clip = 0}, 10, 0.5},
      {{.sampler = Ddim,
        .curve = ScaledLinear,
        .last_beta = 0.012,
        .prediction = picture,
        .spacing = linspace},
       15},
      {{.sampler = Ddim, .curve = SquaredCosine, .clip = 2}, 30, 0.2},
      {{.sampler = Euler, .spacing = linspace}, 20},
      {{.sampler = Euler, .offset = 1}, 15},
      {{.sampler = Euler, .curve = ScaledLinear, .prediction = velocity, .spacing = trailing}, 10},
      {{.sampler = Euler, .prediction = picture, .spacing = linspace, .ends_without_noise = false},
       7},
      {{.sampler = Euler, .spacing = linspace}, 1},
  };
}

class Schedules : public testing::TestWithParam<size_t> {
 protected:
  Tensor at(const std::string& name) const {
    return tensors.at(std::to_string(GetParam()) + "." + name);
  }
  // Draw 0 is the start; the others are its rows in another order, and of another sign.
  Tensor noise(int64_t draw) const {
    const Tensor& given = tensors.at("noise");
    return given.roll(draw) * static_cast<double>(1 - 2 * (draw % 2));
  }

  const nn::StateDict tensors = nn::load(diffusion_reference("schedules.safetensors"));
  const ScheduleCase given = schedule_cases().at(GetParam());
  const NoiseSchedule schedule{given.options};
};

TEST_P(Schedules, LeaveAsMuchOfThePictureAtEachTime) {
  std::vector<float> some;
  const std::vector<float>& all = schedule.signal();
  for (size_t i = 0; i < all.size(); i += std::max<size_t>(1, all.size() / 16))
    some.push_back(all[i]);
  const auto wanted = at("left").to_vector<float>();
  ASSERT_EQ(some.size(), wanted.size());
  for (size_t i = 0; i < some.size(); ++i) EXPECT_NEAR(some[i], wanted[i], 1e-7) << i;
}

TEST_P(Schedules, VisitTheSameTimes) {
  const NoisePlan plan = schedule.plan(given.steps, given.eta);
  EXPECT_EQ(std::ssize(plan.steps), given.steps);
  const auto wanted = at("times").to_vector<float>();
  for (size_t i = 0; i < wanted.size(); ++i) EXPECT_EQ(plan.steps[i].time, wanted[i]) << i;
}

// Each of the first and last steps is made from what `diffusers` had before it.
TEST_P(Schedules, MakeTheSameOfAPicture) {
  const NoisePlan plan = schedule.plan(given.steps, given.eta);
  const Tensor wanted = at("x");
  const int64_t half = wanted.size(0) / 2;
  Tensor x = noise(0) * plan.start;
  for (int64_t i = 0; i < wanted.size(0); ++i) {
    const bool is_late = given.steps > wanted.size(0) && i >= half;
    const int64_t at_step = is_late ? given.steps - wanted.size(0) + i : i;
    if (i > 0) x = wanted[i - 1];
    if (is_late && i == half) continue;  // what was before it is not kept
    const NoiseStep& s = plan.steps[static_cast<size_t>(at_step)];
    const Tensor y = (x * s.input_scale * 3 + s.time / 100).sin();
    EXPECT_LT(worst_difference(s.next(x, y, noise(at_step + 1)), wanted[i]), 1e-5)
        << "step " << at_step;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Schedules, testing::Range(size_t{0}, schedule_cases().size()));

TEST(NoiseSchedules, AddNoiseAndSayWhatItIs) {
  const nn::StateDict t = nn::load(diffusion_reference("schedules.safetensors"));
  const Tensor &x = t.at("added.x"), &e = t.at("added.e"), &times = t.at("added.t");
  const NoiseSchedule velocity(
      {.curve = BetaCurve::SquaredCosine, .prediction = Prediction::Velocity});
  EXPECT_LT(worst_difference(velocity.add_noise(x, e, times), t.at("added.noisy")), 1e-6);
  EXPECT_LT(worst_difference(velocity.target(x, e, times), t.at("added.velocity")), 1e-6);
  EXPECT_EQ(worst_difference(NoiseSchedule().target(x, e, times), e), 0);
  const NoiseSchedule picture({.prediction = Prediction::Picture});
  EXPECT_EQ(worst_difference(picture.target(x, e, times), x), 0);
  EXPECT_EQ(error_text([&] { velocity.add_noise(x, e[0], times); }),
            "add_noise: pictures and noise are [n, ...] and times [n], got [3, 2, 4], [2, 4] and "
            "[3].");
}

TEST(NoiseSchedules, RefuseNumbersOutOfRange) {
  const auto said = [](const NoiseScheduleOptions& o) {
    return error_text([&] { NoiseSchedule schedule(o); });
  };
  EXPECT_EQ(said({.times = 0}), "NoiseSchedule: times must be 1 to 100000, got 0.");
  EXPECT_EQ(said({.first_beta = 0}), "NoiseSchedule: betas must be above 0 and below 1, got 0.");
  EXPECT_EQ(said({.times = 2, .betas = {0.1, 1.5}}),
            "NoiseSchedule: betas must be above 0 and below 1, got 1.5.");
  EXPECT_EQ(said({.betas = {0.1}}),
            "NoiseSchedule: there must be a beta for each time: 1 for 1000 times.");
  EXPECT_EQ(said({.offset = -1}), "NoiseSchedule: offset must not be negative, got -1.");
  EXPECT_EQ(said({.clip = -1}), "NoiseSchedule: clip must not be negative, got -1.");
}

TEST(NoiseSchedules, RefuseStepsThatTheyCannotMake) {
  const auto said = [](const NoiseScheduleOptions& o, int64_t steps, double eta) {
    return error_text([&] { NoiseSchedule(o).plan(steps, eta); });
  };
  EXPECT_EQ(said({}, 0, 0), "plan: steps must be 1 to 1000, got 0.");
  EXPECT_EQ(said({}, 1001, 0), "plan: steps must be 1 to 1000, got 1001.");
  EXPECT_EQ(said({.sampler = Sampler::Ddim}, 9, 1.5), "plan: eta must be from 0 to 1, got 1.5.");
  EXPECT_EQ(said({}, 9, 0.5), "plan: eta is of ddim, and the sampler ddpm, got 0.5.");
  EXPECT_EQ(said({.offset = 1}, 1000, 0),
            "plan: 1000 steps with the offset 1 begin at the time 1000 of 1000. Hint: take fewer "
            "steps.");
  const NoiseStep noisy = NoiseSchedule().plan(10).steps[0];
  const Tensor x = Tensor::zeros({2});
  EXPECT_EQ(error_text([&] { noisy.next(x, x); }), "next: the step takes new noise.");
}

TEST(NoiseSchedules, HaveNamesOfSamplers) {
  for (const Sampler s : {Sampler::Ddpm, Sampler::Ddim, Sampler::Euler})
    EXPECT_EQ(sampler_of_name(sampler_name(s)), s);
  EXPECT_EQ(error_text([] { sampler_of_name("pndm"); }),
            "sampler_of_name: there is no sampler \"pndm\". Hint: there are ddpm, ddim, euler.");
}

}  // namespace
}  // namespace tg::models

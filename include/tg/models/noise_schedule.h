// Schedules of diffusion: how much noise there is at which time, and the steps by which it is taken
// away: DDPM (Ho et al., 2020), DDIM (Song et al., 2021) and Euler's method (Karras et al., 2022),
// with the numbers of `diffusers`. Values without tensors; a step is some numbers. Link
// `tinygrad::models`.
//
//   const tg::models::NoiseSchedule schedule({.sampler = tg::models::Sampler::Ddim});
//   const tg::models::NoisePlan plan = schedule.plan(50);
//   tg::Tensor x = noise * plan.start;
//   for (const auto& step : plan.steps)
//     x = step.next(x, net(x * step.input_scale, tg::Tensor::full({n}, step.time)));
//
// The network: unet.h. Both together, from published folders: diffusion.h.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "tg/export.h"
#include "tg/tensor.h"

namespace tg::models {

/// How the share of noise that a time adds (beta) goes from the first time to the last: evenly, its
/// root evenly, or so that what is left of the picture follows a squared cosine.
enum class BetaCurve { Linear, ScaledLinear, SquaredCosine };

/// What the network says: the noise ("epsilon"), the picture ("sample"), or their difference in the
/// direction of time ("v_prediction", Salimans and Ho, 2022).
enum class Prediction { Noise, Picture, Velocity };

/// Which times of all are used: multiples from 0 up, multiples from the last down, or evenly from
/// the first to the last.
enum class TimeSpacing { Leading, Trailing, Linspace };

/// How noise is taken away.
enum class Sampler { Ddpm, Ddim, Euler };

/// "ddpm", "ddim" or "euler".
TG_API std::string_view sampler_name(Sampler sampler);
/// Its inverse. ArgumentError for others.
TG_API Sampler sampler_of_name(std::string_view name);

/// Of NoiseSchedule.
struct NoiseScheduleOptions {
  Sampler sampler = Sampler::Ddpm;
  int64_t times = 1000;  ///< that the network was trained with
  BetaCurve curve = BetaCurve::Linear;
  double first_beta = 1e-4, last_beta = 0.02;  ///< of the linear curves
  std::vector<double> betas = {};              ///< in place of a curve, one for each time
  Prediction prediction = Prediction::Noise;
  TimeSpacing spacing = TimeSpacing::Leading;
  int64_t offset = 0;  ///< added to the times of TimeSpacing::Leading
  double clip = 1;     ///< an estimated picture is limited to ± this; 0: it is not. Not of Euler
  bool has_large_variance = false;  ///< DDPM: noise of variance beta, instead of the least
  bool ends_without_noise = true;   ///< DDIM and Euler: the last step leads to no noise, instead of
                                    ///< the noise of the first time
};

/// A step from a time to an earlier one. The estimated picture is (from_sample · x + from_output ·
/// y) / divisor, limited to ± limit, for the present x and what the network says, y. The next x is
/// the sum of the estimate, x, y and new noise, each times its number.
struct TG_API NoiseStep {
  float time = 0;
  float input_scale = 1;  ///< of what the network sees: y = net(x · input_scale, time)
  float from_sample = 0, from_output = 0, divisor = 1, limit = 0;
  float picture = 0, sample = 0, output = 0, noise = 0;

  /// The next x, lazily. `new_noise`: standard normal numbers of x's shape, which a step with
  /// `noise` 0 does not read.
  Tensor next(const Tensor& x, const Tensor& y, const Tensor& new_noise) const;
  /// The same of a step with `noise` 0. ArgumentError for others.
  Tensor next(const Tensor& x, const Tensor& y) const;
};

/// All steps, and the standard deviation that they start with.
struct NoisePlan {
  float start = 1;
  std::vector<NoiseStep> steps;
};

class TG_API NoiseSchedule {
 public:
  /// ArgumentError for times that are not 1 to 100000, betas that are not above 0 and below 1 or
  /// not as many as times, a negative offset or limit.
  explicit NoiseSchedule(const NoiseScheduleOptions& options = {});

  const NoiseScheduleOptions& options() const { return options_; }
  /// The share of the picture's variance that is left at each time, which falls (ᾱ).
  const std::vector<float>& signal() const { return signal_; }

  /// So many steps; `eta` is the share of new noise in those of DDIM: 0 none, 1 as much as DDPM.
  /// ArgumentError for less than 1 step or more than times, for an offset that leads beyond the
  /// last time, and for an eta that is not from 0 to 1 or not 0 for another sampler.
  NoisePlan plan(int64_t steps, double eta = 0) const;

  /// What the network is trained to see, lazily: √ᾱ · picture + √(1 − ᾱ) · noise, both [n, ...],
  /// for integer times [n].
  Tensor add_noise(const Tensor& pictures, const Tensor& noise, const Tensor& times) const;
  /// What it is trained to say, by `prediction`: of the same shape.
  Tensor target(const Tensor& pictures, const Tensor& noise, const Tensor& times) const;

 private:
  NoisePlan euler_plan(int64_t steps) const;
  std::vector<double> times_of(int64_t steps) const;

  NoiseScheduleOptions options_;
  std::vector<float> signal_;
};

}  // namespace tg::models

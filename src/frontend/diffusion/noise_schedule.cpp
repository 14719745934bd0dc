// See tg/models/noise_schedule.h. All numbers of a step are computed in float32, as where models
// were trained: 1 − ᾱ of the first times has few digits left, and others would be other pictures.
#include "tg/models/noise_schedule.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "frontend/diffusion/noise_step.h"
#include "support/check.h"

namespace tg::models {
namespace {

constexpr auto kSamplerNames = std::to_array<std::string_view>({"ddpm", "ddim", "euler"});

// From both ends, as PyTorch's.
std::vector<float> evenly(double first, double last, int64_t count) {
  const auto a = static_cast<float>(first), b = static_cast<float>(last);
  const float step = count == 1 ? 0 : (b - a) / static_cast<float>(count - 1);
  std::vector<float> out;
  for (int64_t i = 0; i < count; ++i) {
    out.push_back(i < count / 2 || count == 1 ? a + step * static_cast<float>(i)
                                              : b - step * static_cast<float>(count - 1 - i));
  }
  return out;
}

// What is left of the variance follows cos² (Nichol and Dhariwal, 2021).
std::vector<float> cosine_betas(int64_t count) {
  constexpr double kMostBeta = 0.999;
  const auto left = [&](int64_t i) {
    const double t = static_cast<double>(i) / static_cast<double>(count);
    const double c = std::cos((t + 0.008) / 1.008 * std::numbers::pi / 2);
    return c * c;
  };
  std::vector<float> out;
  for (int64_t i = 0; i < count; ++i)
    out.push_back(static_cast<float>(std::min(1 - left(i + 1) / left(i), kMostBeta)));
  return out;
}

std::vector<float> betas_of(const NoiseScheduleOptions& o) {
  if (!o.betas.empty()) return {o.betas.begin(), o.betas.end()};
  if (o.curve == BetaCurve::SquaredCosine) return cosine_betas(o.times);
  if (o.curve == BetaCurve::Linear) return evenly(o.first_beta, o.last_beta, o.times);
  std::vector<float> out = evenly(std::sqrt(o.first_beta), std::sqrt(o.last_beta), o.times);
  for (float& beta : out) beta *= beta;
  return out;
}

void check_beta(double beta) {
  if (beta > 0 && beta < 1) return;
  user_error<ArgumentError>("NoiseSchedule",
                            fmt::format("betas must be above 0 and below 1, got {}", beta));
}

void check_schedule(const NoiseScheduleOptions& o) {
  if (o.times < 1 || o.times > kMostNoiseTimes) {
    user_error<ArgumentError>(
        "NoiseSchedule", fmt::format("times must be 1 to {}, got {}", kMostNoiseTimes, o.times));
  }
  if (!o.betas.empty() && std::ssize(o.betas) != o.times) {
    user_error<ArgumentError>("NoiseSchedule", fmt::format("there must be a beta for each time: {} "
                                                           "for {} times",
                                                           o.betas.size(), o.times));
  }
  for (const double beta : o.betas) check_beta(beta);
  check_beta(o.first_beta);
  check_beta(o.last_beta);
  if (o.offset < 0) {
    user_error<ArgumentError>("NoiseSchedule",
                              fmt::format("offset must not be negative, got {}", o.offset));
  }
  if (!(o.clip >= 0)) {
    user_error<ArgumentError>("NoiseSchedule",
                              fmt::format("clip must not be negative, got {}", o.clip));
  }
}

// How a picture is estimated where so much of its variance is left; of DDPM and DDIM.
NoiseStep estimating(const NoiseScheduleOptions& o, float time, float left) {
  NoiseStep s{.time = time};
  s.limit = o.clip > 0 ? static_cast<float>(o.clip) : std::numeric_limits<float>::infinity();
  switch (o.prediction) {
    case Prediction::Noise:
      s.from_sample = 1;
      s.from_output = -std::sqrt(1 - left);
      s.divisor = std::sqrt(left);
      break;
    case Prediction::Picture:
      s.from_output = 1;
      break;
    case Prediction::Velocity:
      s.from_sample = std::sqrt(left);
      s.from_output = -std::sqrt(1 - left);
      break;
  }
  return s;
}

// The mean of what was before x, given picture and x, and its variance (Ho et al., equation 7).
NoiseStep ddpm_step(const NoiseScheduleOptions& o, int64_t time, float left, float left_before) {
  constexpr float kLeastVariance = 1e-20F;
  NoiseStep s = estimating(o, static_cast<float>(time), left);
  const float alpha = left / left_before;
  s.picture = std::sqrt(left_before) * (1 - alpha) / (1 - left);
  s.sample = std::sqrt(alpha) * (1 - left_before) / (1 - left);
  if (time > 0) {
    const float least = std::max((1 - left_before) / (1 - left) * (1 - alpha), kLeastVariance);
    s.noise = std::sqrt(o.has_large_variance ? 1 - alpha : least);
  }
  return s;
}

// The picture, and the noise that x has beside it (Song et al., equation 12).
NoiseStep ddim_step(const NoiseScheduleOptions& o, int64_t time, float left, float left_before,
                    float eta) {
  NoiseStep s = estimating(o, static_cast<float>(time), left);
  const float variance = (1 - left_before) / (1 - left) * (1 - left / left_before);
  s.noise = eta * std::sqrt(std::max(variance, 0.0F));
  s.picture = std::sqrt(left_before);
  const float kept = std::sqrt(std::max(1 - left_before - s.noise * s.noise, 0.0F));
  const float root = std::sqrt(left), rest = std::sqrt(1 - left);
  switch (o.prediction) {
    case Prediction::Noise:
      s.output = kept;
      break;
    case Prediction::Picture:
      s.sample = kept / rest;
      s.output = -kept * root / rest;
      break;
    case Prediction::Velocity:
      s.sample = kept * rest;
      s.output = kept * root;
      break;
  }
  return s;
}

// Along the slope from one standard deviation to the next, of pictures that are not made smaller
// for their noise.
NoiseStep euler_step(Prediction prediction, float time, float sigma, float next) {
  NoiseStep s{.time = time, .limit = std::numeric_limits<float>::infinity()};
  const float grown = sigma * sigma + 1;
  s.input_scale = 1 / std::sqrt(grown);
  if (prediction == Prediction::Noise) {  // the slope is what the network says
    s.sample = 1;
    s.output = next - sigma;
    return s;
  }
  s.from_output = prediction == Prediction::Picture ? 1 : -sigma / std::sqrt(grown);
  s.from_sample = prediction == Prediction::Picture ? 0 : 1 / grown;
  s.sample = next / sigma;
  s.picture = (sigma - next) / sigma;
  return s;
}

// Between the neighbours of a time that is no whole number.
double interpolated(const std::vector<float>& values, double time) {
  const auto below = static_cast<size_t>(time);
  if (below + 1 >= values.size()) return values.back();
  const double share = time - static_cast<double>(below);
  return values[below] + share * (double{values[below + 1]} - double{values[below]});
}

// A number for each picture, to be multiplied with [n, ...].
Tensor for_each_picture(const std::vector<float>& table, const Tensor& times, const Tensor& like) {
  Shape shape(like.shape().size(), 1);
  shape[0] = like.size(0);
  return Tensor(table, TensorOptions{.device = like.device()})[times].reshape(shape);
}

void check_noisy(std::string_view fn, const Tensor& pictures, const Tensor& noise,
                 const Tensor& times) {
  if (pictures.ndim() < 1 || noise.shape() != pictures.shape() ||
      times.shape() != Shape{pictures.size(0)}) {
    user_error<ShapeError>(
        fn, fmt::format("pictures and noise are [n, ...] and times [n], got [{}], [{}] and [{}]",
                        fmt::join(pictures.shape(), ", "), fmt::join(noise.shape(), ", "),
                        fmt::join(times.shape(), ", ")));
  }
}

}  // namespace

std::string_view sampler_name(Sampler sampler) {
  return kSamplerNames[static_cast<size_t>(sampler)];
}

Sampler sampler_of_name(std::string_view name) {
  const auto found = std::ranges::find(kSamplerNames, name);
  if (found == kSamplerNames.end()) {
    user_error<ArgumentError>("sampler_of_name", fmt::format("there is no sampler \"{}\"", name),
                              fmt::format("Hint: there are {}.", fmt::join(kSamplerNames, ", ")));
  }
  return static_cast<Sampler>(found - kSamplerNames.begin());
}

Tensor NoiseStep::next(const Tensor& x, const Tensor& y) const {
  if (noise != 0) user_error<ArgumentError>("next", "the step takes new noise");
  return stepped<float>({from_sample, from_output, divisor, limit, picture, sample, output}, x, y);
}

Tensor NoiseStep::next(const Tensor& x, const Tensor& y, const Tensor& new_noise) const {
  NoiseStep quiet = *this;
  quiet.noise = 0;
  return noise == 0 ? next(x, y) : quiet.next(x, y) + new_noise * noise;
}

NoiseSchedule::NoiseSchedule(const NoiseScheduleOptions& options) : options_(options) {
  check_schedule(options_);
  double left = 1;
  for (const float beta : betas_of(options_)) {
    left *= double{1 - beta};
    signal_.push_back(static_cast<float>(left));
  }
}

// From the noisiest on. Those of Euler's method are no whole numbers.
std::vector<double> NoiseSchedule::times_of(int64_t steps) const {
  const auto all = static_cast<double>(options_.times), n = static_cast<double>(steps);
  const bool is_whole = options_.sampler != Sampler::Euler;
  std::vector<double> out;
  for (int64_t i = 0; i < steps; ++i) {
    const auto from_end = static_cast<double>(steps - 1 - i);
    switch (options_.spacing) {
      case TimeSpacing::Leading:
        out.push_back(from_end * static_cast<double>(options_.times / steps) +
                      static_cast<double>(options_.offset));
        break;
      case TimeSpacing::Trailing:
        out.push_back(std::nearbyint(all - static_cast<double>(i) * (all / n)) - 1);
        break;
      case TimeSpacing::Linspace: {
        const double time = steps == 1 ? 0 : from_end * ((all - 1) / (n - 1));
        out.push_back(is_whole ? std::nearbyint(time) : double{static_cast<float>(time)});
        break;
      }
    }
  }
  return out;
}

NoisePlan NoiseSchedule::euler_plan(int64_t steps) const {
  std::vector<float> sigmas;
  for (const float left : signal_) sigmas.push_back(std::sqrt((1 - left) / left));
  const std::vector<double> times = times_of(steps);
  std::vector<float> of_step;
  for (const double time : times) of_step.push_back(static_cast<float>(interpolated(sigmas, time)));
  of_step.push_back(options_.ends_without_noise ? 0 : sigmas[0]);
  const float most = std::ranges::max(of_step);
  NoisePlan out{.start =
                    options_.spacing == TimeSpacing::Leading ? std::sqrt(most * most + 1) : most};
  for (size_t i = 0; i < times.size(); ++i) {
    out.steps.push_back(
        euler_step(options_.prediction, static_cast<float>(times[i]), of_step[i], of_step[i + 1]));
  }
  return out;
}

NoisePlan NoiseSchedule::plan(int64_t steps, double eta) const {
  const NoiseScheduleOptions& o = options_;
  if (steps < 1 || steps > o.times) {
    user_error<ArgumentError>("plan", fmt::format("steps must be 1 to {}, got {}", o.times, steps));
  }
  if (!(eta >= 0) || eta > 1)
    user_error<ArgumentError>("plan", fmt::format("eta must be from 0 to 1, got {}", eta));
  if (eta != 0 && o.sampler != Sampler::Ddim) {
    user_error<ArgumentError>("plan", fmt::format("eta is of ddim, and the sampler {}, got {}",
                                                  sampler_name(o.sampler), eta));
  }
  const std::vector<double> times = times_of(steps);
  if (times[0] >= static_cast<double>(o.times)) {
    user_error<ArgumentError>("plan",
                              fmt::format("{} steps with the offset {} begin at the time {} of {}",
                                          steps, o.offset, times[0], o.times),
                              "Hint: take fewer steps.");
  }
  if (o.sampler == Sampler::Euler) return euler_plan(steps);
  NoisePlan out;
  for (size_t i = 0; i < times.size(); ++i) {
    const auto time = static_cast<int64_t>(times[i]);
    const float left = signal_[static_cast<size_t>(time)];
    if (o.sampler == Sampler::Ddpm) {
      const bool is_last = i + 1 == times.size();
      out.steps.push_back(
          ddpm_step(o, time, left, is_last ? 1 : signal_[static_cast<size_t>(times[i + 1])]));
    } else {
      const int64_t before = time - o.times / steps;
      const float end = o.ends_without_noise ? 1 : signal_[0];
      out.steps.push_back(ddim_step(o, time, left,
                                    before < 0 ? end : signal_[static_cast<size_t>(before)],
                                    static_cast<float>(eta)));
    }
  }
  return out;
}

Tensor NoiseSchedule::add_noise(const Tensor& pictures, const Tensor& noise,
                                const Tensor& times) const {
  check_noisy("add_noise", pictures, noise, times);
  const Tensor left = for_each_picture(signal_, times, pictures);
  return left.sqrt() * pictures + (1 - left).sqrt() * noise;
}

Tensor NoiseSchedule::target(const Tensor& pictures, const Tensor& noise,
                             const Tensor& times) const {
  check_noisy("target", pictures, noise, times);
  if (options_.prediction == Prediction::Noise) return noise;
  if (options_.prediction == Prediction::Picture) return pictures;
  const Tensor left = for_each_picture(signal_, times, pictures);
  return left.sqrt() * noise - (1 - left).sqrt() * pictures;
}

}  // namespace tg::models

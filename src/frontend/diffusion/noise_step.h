// The sum that a step of diffusion is, for numbers that are constants of a graph (NoiseStep::next)
// or data of it (a captured step, diffusion.cpp). Where the numbers come from: noise_schedule.cpp.
#pragma once

#include "tg/models/noise_schedule.h"

namespace tg::models {

/// Beyond any published model.
inline constexpr int64_t kMostNoiseTimes = 100000;

/// The members of NoiseStep of the same names.
template <typename Number>
struct StepNumbers {
  Number from_sample, from_output, divisor, limit, picture, sample, output;
};

/// The next x without new noise.
template <typename Number>
Tensor stepped(const StepNumbers<Number>& s, const Tensor& x, const Tensor& y) {
  const Tensor estimate =
      ((x * s.from_sample + y * s.from_output) / s.divisor).clamp(-s.limit, s.limit);
  return estimate * s.picture + x * s.sample + y * s.output;
}

}  // namespace tg::models

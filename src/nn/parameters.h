// What layers share: checks of the numbers that describe them, and parameters as they start.
// Internal.
#pragma once

#include <cmath>
#include <optional>
#include <string_view>

#include "support/check.h"
#include "tg/nn.h"

namespace tg::nn {

/// ArgumentError for a size below 1.
inline void check_size(std::string_view layer, std::string_view what, int64_t n) {
  if (n >= 1) return;
  user_error<ArgumentError>(layer, fmt::format("{} must be at least 1, got {}", what, n));
}

/// ArgumentError for a probability outside [0, 1].
inline void check_share(std::string_view layer, double p) {
  if (p >= 0 && p <= 1) return;
  user_error<ArgumentError>(layer,
                            fmt::format("the probability must lie between 0 and 1, got {}", p));
}

/// Uniform in ±1/√fan, as storage of its own.
inline Tensor parameter(const Shape& shape, double fan, const TensorOptions& o) {
  const double bound = 1 / std::sqrt(fan);
  Tensor t =
      Tensor::uniform(shape, {.low = -bound, .high = bound, .dtype = o.dtype, .device = o.device});
  t.is_param_();
  return t;
}

inline Tensor marked(const Tensor& t, bool is_parameter) {
  t.is_param_(is_parameter);
  return t;
}

/// A parameter that starts at `value`, if it is wanted.
inline std::optional<Tensor> filled(const Shape& shape, double value, bool wanted,
                                    const TensorOptions& o) {
  if (!wanted) return std::nullopt;
  return marked(value == 0 ? Tensor::zeros(shape, o) : Tensor::ones(shape, o), true);
}

inline const Tensor* pointer_to(const std::optional<Tensor>& t) { return t ? &*t : nullptr; }

}  // namespace tg::nn

// How the next token is chosen by its logits: the likeliest, or one at random from those that the
// options leave. See GenerateOptions.
#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "tg/models/language_model.h"

namespace tg::models {

class Sampler {
 public:
  /// ArgumentError for options out of range.
  explicit Sampler(const GenerateOptions& options);
  /// A token, of those that are `allowed` if that is there. ArgumentError if none of them has a
  /// number as its logit.
  int32_t next(std::span<const float> logits, const std::vector<bool>* allowed = nullptr);

 private:
  GenerateOptions options_;
  std::mt19937_64 random_;
};

}  // namespace tg::models

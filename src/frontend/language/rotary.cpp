// See rotary.h.
#include "frontend/language/rotary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace tg::models {
namespace {

// Long waves are stretched, short ones stay, in between it is blended.
void scale_llama3(std::vector<double>& frequencies, const RotaryScaling& s) {
  for (double& f : frequencies) {
    const double turns = s.original_context * f / (2 * std::numbers::pi);
    const double share = (turns - s.low_frequency) / (s.high_frequency - s.low_frequency);
    const double kept = std::clamp(share, 0.0, 1.0);
    f = (1 - kept) * f / s.factor + kept * f;
  }
}

// Peng et al. 2023, https://arxiv.org/abs/2309.00071.
void scale_yarn(std::vector<double>& frequencies, double theta, const RotaryScaling& s) {
  const auto size = 2.0 * static_cast<double>(frequencies.size());
  const auto pair_of = [&](double turns) {
    return size * std::log(s.original_context / (turns * 2 * std::numbers::pi)) /
           (2 * std::log(theta));
  };
  const double first = std::max(std::floor(pair_of(s.fast)), 0.0);
  double last = std::min(std::ceil(pair_of(s.slow)), size - 1);
  if (last == first) last += 0.001;
  for (size_t i = 0; i < frequencies.size(); ++i) {
    const double stretched =
        std::clamp((static_cast<double>(i) - first) / (last - first), 0.0, 1.0);
    frequencies[i] *= stretched / s.factor + (1 - stretched);
  }
}

std::vector<double> read_factors(Settings& settings, std::string_view name) {
  std::vector<double> out;
  for (const JsonPart& p : settings.list(name)) {
    if (!(p.number() > 0)) p.fail("is not above 0");
    out.push_back(p.number());
  }
  return out;
}

}  // namespace

double long_rope_magnitude(const RotaryScaling& s) {
  if (s.factor <= 1) return 1;
  return std::sqrt(1 + std::log(s.factor) / std::log(s.original_context));
}

std::vector<double> plain_frequencies(int64_t size, double theta) {
  std::vector<double> out;
  for (int64_t i = 0; i < size; i += 2)
    out.push_back(std::pow(theta, -static_cast<double>(i) / static_cast<double>(size)));
  return out;
}

Rotary scaled_rotary(int64_t size, double theta, const RotaryScaling& s) {
  using Kind = RotaryScaling::Kind;
  Rotary out{.frequencies = plain_frequencies(size, theta)};
  if (s.kind == Kind::Linear) {
    for (double& f : out.frequencies) f /= s.factor;
  } else if (s.kind == Kind::Llama3) {
    scale_llama3(out.frequencies, s);
  } else if (s.kind == Kind::Yarn) {
    scale_yarn(out.frequencies, theta, s);
    const double magnitude = s.factor <= 1 ? 1 : 0.1 * std::log(s.factor) + 1;
    out.magnitude = s.magnitude.value_or(magnitude);
  } else if (s.kind == Kind::LongRope) {
    for (size_t i = 0; i < out.frequencies.size(); ++i) out.frequencies[i] /= s.factors[i];
    out.magnitude = s.magnitude.value_or(long_rope_magnitude(s));
  }
  return out;
}

RotaryScaling read_rotary_scaling(Settings& s, int64_t context, int64_t longest,
                                  double original_context) {
  using Kind = RotaryScaling::Kind;
  RotaryScaling out{.original_context = original_context};
  const std::string type = s.has("rope_type") ? s.text("rope_type") : s.text_or("type", "default");
  s.text_or("type", type);
  if (s.has("original_max_position_embeddings"))
    out.original_context = s.positive("original_max_position_embeddings");
  if (type == "default") return out;
  if (type == "linear") {
    out.kind = Kind::Linear;
    out.factor = s.positive("factor");
  } else if (type == "llama3") {
    out.kind = Kind::Llama3;
    out.factor = s.positive("factor");
    out.low_frequency = s.positive("low_freq_factor");
    out.high_frequency = s.positive("high_freq_factor");
    if (out.high_frequency <= out.low_frequency)
      s.fail("high_freq_factor", "is not above low_freq_factor");
  } else if (type == "yarn") {
    out.kind = Kind::Yarn;
    out.factor = s.positive("factor");
    out.fast = s.positive_or("beta_fast", 32);
    out.slow = s.positive_or("beta_slow", 1);
    if (s.has("attention_factor")) out.magnitude = s.positive("attention_factor");
  } else if (type == "longrope" || type == "su") {
    out.kind = Kind::LongRope;
    out.factor = s.positive_or("factor", static_cast<double>(longest) / out.original_context);
    const auto short_factors = read_factors(s, "short_factor");
    const auto long_factors = read_factors(s, "long_factor");
    const bool is_long = static_cast<double>(context) > out.original_context;
    out.factors = is_long ? long_factors : short_factors;
    if (s.has("attention_factor")) out.magnitude = s.positive("attention_factor");
  } else {
    s.fail(s.has("rope_type") ? "rope_type" : "type",
           fmt::format("is a scaling that is not supported: \"{}\"", type));
  }
  return out;
}

RotaryTable rotary_table(const Rotary& rotary, int64_t context, const std::string& device) {
  // Angles as transformers rounds them: products of float32.
  std::vector<float> cosines, sines;
  for (int64_t p = 0; p < context; ++p) {
    for (const double f : rotary.frequencies) {
      const float angle = static_cast<float>(p) * static_cast<float>(f);
      cosines.push_back(static_cast<float>(std::cos(double{angle}) * rotary.magnitude));
      sines.push_back(static_cast<float>(std::sin(double{angle}) * rotary.magnitude));
    }
  }
  const Shape shape = {context, static_cast<int64_t>(rotary.frequencies.size())};
  const TensorOptions on{.device = device};
  return {Tensor(cosines, shape, on).is_param_(false), Tensor(sines, shape, on).is_param_(false)};
}

}  // namespace tg::models

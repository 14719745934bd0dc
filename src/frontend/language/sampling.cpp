// See sampling.h.
#include "frontend/language/sampling.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "support/check.h"

namespace tg::models {
namespace {

struct Choice {
  int32_t token;
  double weight;  // not normalised
};

void require(bool holds, std::string_view name, std::string_view rule, double value) {
  if (!holds)
    user_error<ArgumentError>("generate", fmt::format("{} must be {}, got {}", name, rule, value));
}

// The likeliest first; of equal ones the first. NaN is never chosen.
std::vector<Choice> sorted(std::span<const float> logits, double temperature, size_t count) {
  std::vector<Choice> out;
  for (size_t i = 0; i < logits.size(); ++i)
    if (!std::isnan(logits[i])) out.push_back({static_cast<int32_t>(i), logits[i]});
  if (out.empty()) user_error<ArgumentError>("generate", "the model's logits are no numbers");
  const auto before = [](const Choice& a, const Choice& b) {
    return a.weight != b.weight ? a.weight > b.weight : a.token < b.token;
  };
  count = std::min(count, out.size());
  std::ranges::partial_sort(out, out.begin() + static_cast<std::ptrdiff_t>(count), before);
  out.resize(count);
  const double top = out[0].weight;
  for (Choice& c : out) c.weight = std::exp((c.weight - top) / temperature);
  out[0].weight = 1;  // also where it is infinite
  return out;
}

}  // namespace

Sampler::Sampler(const GenerateOptions& o) : options_(o), random_(o.seed) {
  require(o.max_tokens >= 0, "max_tokens", "0 or more", static_cast<double>(o.max_tokens));
  require(o.temperature >= 0 && std::isfinite(o.temperature), "temperature", "0 or more",
          o.temperature);
  require(o.top_k >= 0, "top_k", "0 or more", static_cast<double>(o.top_k));
  require(o.top_p > 0 && o.top_p <= 1, "top_p", "above 0, at most 1", o.top_p);
  require(o.min_p >= 0 && o.min_p <= 1, "min_p", "0 to 1", o.min_p);
}

int32_t Sampler::next(std::span<const float> logits) {
  if (options_.temperature == 0) return sorted(logits, 1, 1)[0].token;
  const size_t most = options_.top_k > 0 ? static_cast<size_t>(options_.top_k) : logits.size();
  std::vector<Choice> choices = sorted(logits, options_.temperature, most);
  double all = 0;
  for (const Choice& c : choices) all += c.weight;
  double sum = 0;
  size_t kept = 0;
  while (kept < choices.size() &&
         (kept == 0 || (sum < options_.top_p * all && choices[kept].weight >= options_.min_p)))
    sum += choices[kept++].weight;
  // 53 random bits, the same on every system.
  double rest = static_cast<double>(random_() >> 11) * 0x1p-53 * sum;
  for (size_t i = 0; i < kept; ++i) {
    rest -= choices[i].weight;
    if (rest < 0) return choices[i].token;
  }
  return choices[kept - 1].token;
}

}  // namespace tg::models

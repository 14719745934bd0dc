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

// The likeliest first; of equal ones the first.
bool comes_before(const Choice& a, const Choice& b) {
  return a.weight != b.weight ? a.weight > b.weight : a.token < b.token;
}

// All tokens that may be drawn, in order as far as they are looked at: sorting a whole vocabulary
// would take as long as a small model's step.
class Choices {
 public:
  // NaN is never chosen.
  Choices(std::span<const float> logits, double temperature, const std::vector<bool>* allowed) {
    const size_t count =
        allowed != nullptr ? std::min(logits.size(), allowed->size()) : logits.size();
    for (size_t i = 0; i < count; ++i)
      if (!std::isnan(logits[i]) && (allowed == nullptr || (*allowed)[i]))
        list_.push_back({static_cast<int32_t>(i), logits[i]});
    if (list_.empty()) {
      user_error<ArgumentError>(
          "generate", allowed != nullptr
                          ? "no token of the vocabulary continues the text as the grammar wants it"
                          : "the model's logits are no numbers");
    }
    if (temperature == 0) return;
    const double top = std::ranges::min_element(list_, comes_before)->weight;
    for (Choice& c : list_)
      c.weight =
          c.weight == top ? 1 : std::exp((c.weight - top) / temperature);  // also of infinity
  }

  size_t size() const { return list_.size(); }
  const Choice& operator[](size_t i) {
    constexpr size_t kFirst = 64;
    while (i >= sorted_) {
      const size_t next = std::min(std::max(kFirst, 2 * sorted_), list_.size());
      const auto at = [this](size_t n) { return list_.begin() + static_cast<std::ptrdiff_t>(n); };
      std::ranges::partial_sort(at(sorted_), at(next), list_.end(), comes_before);
      sorted_ = next;
    }
    return list_[i];
  }
  double sum(size_t count) {
    if (count > 0 && count < size()) (*this)[count - 1];
    double out = 0;
    for (size_t i = 0; i < count; ++i) out += list_[i].weight;
    return out;
  }
  int32_t likeliest() const { return std::ranges::min_element(list_, comes_before)->token; }

 private:
  std::vector<Choice> list_;
  size_t sorted_ = 0;
};

}  // namespace

Sampler::Sampler(const GenerateOptions& o) : options_(o), random_(o.seed) {
  require(o.max_tokens >= 0, "max_tokens", "0 or more", static_cast<double>(o.max_tokens));
  require(o.temperature >= 0 && std::isfinite(o.temperature), "temperature", "0 or more",
          o.temperature);
  require(o.top_k >= 0, "top_k", "0 or more", static_cast<double>(o.top_k));
  require(o.top_p > 0 && o.top_p <= 1, "top_p", "above 0, at most 1", o.top_p);
  require(o.min_p >= 0 && o.min_p <= 1, "min_p", "0 to 1", o.min_p);
}

int32_t Sampler::next(std::span<const float> logits, const std::vector<bool>* allowed) {
  const GenerateOptions& o = options_;
  Choices choices(logits, o.temperature, allowed);
  if (o.temperature == 0) return choices.likeliest();
  size_t kept = choices.size();
  if (o.top_k > 0) kept = std::min(kept, static_cast<size_t>(o.top_k));
  double sum = choices.sum(kept);
  if (o.top_p < 1 || o.min_p > 0) {
    const double most = o.top_p * sum;
    const size_t all = kept;
    for (kept = 0, sum = 0; kept < all; ++kept) {
      if (kept > 0 && !(sum < most && choices[kept].weight >= o.min_p)) break;
      sum += choices[kept].weight;
    }
  }
  // 53 random bits, the same on every system.
  double rest = static_cast<double>(random_() >> 11) * 0x1p-53 * sum;
  for (size_t i = 0; i < kept; ++i) {
    rest -= choices[i].weight;
    if (rest < 0) return choices[i].token;
  }
  return choices[kept - 1].token;
}

}  // namespace tg::models

// See guesses.h.
#include "frontend/vision/guesses.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "support/check.h"

namespace tg::models {

std::vector<ImageGuess> guesses_of(std::span<const float> logits,
                                   std::span<const std::string> labels, int64_t top) {
  const double largest = *std::ranges::max_element(logits);
  double sum = 0;
  for (const float x : logits) sum += std::exp(x - largest);
  std::vector<int64_t> order(logits.size());
  std::iota(order.begin(), order.end(), int64_t{0});
  const auto count = std::min<size_t>(static_cast<size_t>(top), order.size());
  const auto at = [&](int64_t i) { return logits[static_cast<size_t>(i)]; };
  std::partial_sort(order.begin(), order.begin() + static_cast<ptrdiff_t>(count), order.end(),
                    [&](int64_t a, int64_t b) { return at(a) != at(b) ? at(a) > at(b) : a < b; });
  std::vector<ImageGuess> out;
  for (size_t i = 0; i < count; ++i) {
    const int64_t index = order[i];
    out.push_back({.index = index,
                   .label = labels.empty() ? fmt::format("class {}", index)
                                           : labels[static_cast<size_t>(index)],
                   .probability = std::exp(at(index) - largest) / sum});
  }
  return out;
}

void check_top(std::string_view function, int64_t top) {
  if (top < 1)
    user_error<ArgumentError>(function, fmt::format("top must be at least 1, got {}", top));
}

}  // namespace tg::models

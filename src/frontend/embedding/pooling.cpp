// See pooling.h.
#include "frontend/embedding/pooling.h"

#include <algorithm>
#include <cmath>

namespace tg::models {
namespace {

bool is_sum(Pooling p) { return p != Pooling::Max; }

// Of the token at `place` of a text of `count`.
double share_of(Pooling pooling, int64_t place, int64_t count) {
  const auto n = static_cast<double>(count), at = static_cast<double>(place + 1);
  switch (pooling) {
    case Pooling::First:
      return place == 0 ? 1 : 0;
    case Pooling::Last:
      return place == count - 1 ? 1 : 0;
    case Pooling::MeanOfRoot:
      return 1 / std::sqrt(n);
    case Pooling::WeightedMean:
      return at * 2 / (n * (n + 1));
    case Pooling::Mean:
    case Pooling::Max:
      break;
  }
  return 1 / n;
}

// [texts, width]
Tensor largest_of_texts(const Tensor& hidden, const Tensor& of, int64_t texts) {
  constexpr double kBelowAll = -1e9;  // finite, so that texts that are not there are numbers
  const Tensor text = Tensor::arange(static_cast<double>(texts), {.device = hidden.device()});
  const Tensor is_of = text.reshape({texts, 1, 1}) == of.reshape({1, hidden.size(0), 1});
  return is_of.where(hidden.unsqueeze(0), kBelowAll).max({.axis = 1});
}

}  // namespace

std::vector<float> pooling_shares(std::span<const Pooling> poolings,
                                  std::span<const TextPlace> places, int64_t texts, int64_t row) {
  std::vector<float> out;
  for (const Pooling pooling : poolings) {
    if (!is_sum(pooling)) continue;
    const size_t begin = out.size();
    out.resize(begin + static_cast<size_t>(texts * row));
    for (size_t text = 0; text < places.size(); ++text) {
      const auto [first, last] = places[text];
      const size_t at = begin + text * static_cast<size_t>(row);
      for (int64_t i = first; i < last; ++i)
        out[at + static_cast<size_t>(i)] =
            static_cast<float>(share_of(pooling, i - first, last - first));
    }
  }
  return out;
}

Tensor pooled(std::span<const Pooling> poolings, const Tensor& hidden, const Tensor& of,
              const Tensor& shares, int64_t texts) {
  std::vector<Tensor> parts;
  int64_t sums = 0;
  for (const Pooling pooling : poolings) {
    if (!is_sum(pooling)) {
      parts.push_back(largest_of_texts(hidden, of, texts));
      continue;
    }
    const Slice mine(sums * texts, (sums + 1) * texts);
    parts.push_back(shares[{mine}].matmul(hidden));
    ++sums;
  }
  return parts.size() == 1 ? parts[0] : Tensor::cat(parts, -1);
}

Tensor of_length_one(const Tensor& rows) {
  constexpr double kLeast = 1e-12;
  const Tensor length = (rows * rows).sum({.axis = -1, .keepdim = true}).sqrt();
  return rows / length.maximum(kLeast);
}

}  // namespace tg::models

// Pooling: the vectors of tokens that several texts have in a row become one vector for each text.
// All ways but the maximum are sums with shares that depend on places only, which the caller makes
// on the host; so one product does them all. Which ways a model has: sentence_files.h.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "frontend/embedding/sentence_files.h"
#include "tg/tensor.h"

namespace tg::models {

/// First and last place of a text in a row of tokens, the last one not included.
using TextPlace = std::pair<int64_t, int64_t>;

/// The shares of `row` tokens in the vectors of `texts` texts, of which `places` are there, for
/// each way that is a sum: [ways · texts, row]. Rows of others are zeros.
std::vector<float> pooling_shares(std::span<const Pooling> poolings,
                                  std::span<const TextPlace> places, int64_t texts, int64_t row);

/// Tokens float32 [row, width] to texts [texts, ways · width]; `shares` as above, `of` the text of
/// each token, int32 [row].
Tensor pooled(std::span<const Pooling> poolings, const Tensor& hidden, const Tensor& of,
              const Tensor& shares, int64_t texts);

/// Each row by its Euclidean length, as sentence-transformers' Normalize.
Tensor of_length_one(const Tensor& rows);

}  // namespace tg::models

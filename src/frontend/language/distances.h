// Biases of attention by the distance of two tokens, as T5 (Raffel et al., 2020) and MPNet have
// them: distances are put into groups, each of which has a number for each head.
#pragma once

#include <cstdint>
#include <string>

#include "tg/tensor.h"

namespace tg::models {

struct DistanceGroups {
  int64_t count = 32;
  int64_t farthest = 128;        ///< from here on all distances are of one group
  bool is_bidirectional = true;  ///< half of the groups for each direction; else tokens before only
};

/// The group of a distance, position of the token that is seen less that of the one that sees: one
/// a distance at first, then by logarithms. From T5Attention._relative_position_bucket of
/// `transformers`. Of groups of both directions the count is a multiple of 4, else of 2; `farthest`
/// is above the number of distances that have groups of their own.
int32_t group_of_distance(int64_t distance, const DistanceGroups& groups);

/// The biases of the distances from `begin` to `end` − 1, [end − begin, heads], with storage.
/// `table`: those of the groups, [groups, heads].
Tensor bias_of_distances(const Tensor& table, const DistanceGroups& groups, int64_t begin,
                         int64_t end, const std::string& device);

}  // namespace tg::models

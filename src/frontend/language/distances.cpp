// See distances.h.
#include "frontend/language/distances.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

namespace tg::models {

int32_t group_of_distance(int64_t distance, const DistanceGroups& groups) {
  const bool both = groups.is_bidirectional;
  const int64_t count = both ? groups.count / 2 : groups.count, exact = count / 2;
  const int64_t first = both && distance > 0 ? count : 0;
  const int64_t far = both ? std::abs(distance) : std::max<int64_t>(0, -distance);
  if (far < exact) return static_cast<int32_t>(first + far);
  const auto near = static_cast<float>(exact);
  // In float32 as there, where a distance lies between two groups.
  const double span = std::log(static_cast<double>(groups.farthest) / double{near});
  const float share = std::log(static_cast<float>(far) / near) / static_cast<float>(span);
  const auto more = static_cast<int64_t>(share * static_cast<float>(count - exact));
  return static_cast<int32_t>(first + std::min(exact + more, count - 1));
}

Tensor bias_of_distances(const Tensor& table, const DistanceGroups& groups, int64_t begin,
                         int64_t end, const std::string& device) {
  std::vector<int32_t> of;
  for (int64_t d = begin; d < end; ++d) of.push_back(group_of_distance(d, groups));
  return table[{Tensor(of, TensorOptions{.device = device})}].contiguous().realize();
}

}  // namespace tg::models

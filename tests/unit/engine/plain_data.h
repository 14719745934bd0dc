// Numbers for programs whose results are compared exactly.
#pragma once

#include <tg/tg.h>

#include <vector>

namespace tg::test {

/// Quarters from −2¾ to 2¾, which small sums of products keep exactly, in storage of the default
/// device.
inline Tensor data(const Shape& shape, int seed = 1) {
  int64_t n = 1;
  for (int64_t d : shape) n *= d;
  std::vector<float> v(static_cast<size_t>(n));
  for (size_t i = 0; i < v.size(); ++i)
    v[i] = static_cast<float>(static_cast<int>((i * 7 + static_cast<size_t>(seed)) % 23) - 11) / 4;
  return Tensor(v, shape).realize();
}

}  // namespace tg::test

// Threefry: four rounds, then a key injection, five times.
#include "uop/ops/eval.h"

#include <bit>

namespace tg::ops {

std::array<uint32_t, 2> threefry2x32(std::array<uint32_t, 2> key, std::array<uint32_t, 2> counter) {
  const std::array<uint32_t, 3> ks = {key[0], key[1], key[0] ^ key[1] ^ kThreefryParity};
  uint32_t x = counter[0] + ks[0], y = counter[1] + ks[1];
  for (uint32_t group = 0; group < 5; ++group) {
    for (uint32_t i = 0; i < 4; ++i) {
      x += y;
      y = std::rotl(y, kThreefryRotations[(group % 2) * 4 + i]) ^ x;
    }
    x += ks[(group + 1) % 3];
    y += ks[(group + 2) % 3] + group + 1;
  }
  return {x, y};
}

}  // namespace tg::ops

// Threefry-2x32-20 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3, SC
// 2011): four rounds, then a key injection, five times. Equal subgraphs are one node, so a kernel
// that wants both words pays for one set of rounds.
#include "codegen/decompose/lanes.h"
#include "codegen/decompose/math.h"
#include "uop/ops/eval.h"

namespace tg {
namespace {

using namespace lanes;

UOp rotated(const UOp& x, int by) { return either(up(x, by), down(x, 32 - by)); }

}  // namespace

UOp threefry_rounds(const UOp& k0, const UOp& k1, const UOp& c0, const UOp& c1, int word) {
  const UOp parity = whole(k0, ops::kThreefryParity);
  const std::array<UOp, 3> keys = {k0, k1, (k0 ^ k1) ^ parity};
  UOp x = c0 + keys[0], y = c1 + keys[1];
  for (size_t group = 0; group < 5; ++group) {
    for (size_t i = 0; i < 4; ++i) {
      x = x + y;
      y = rotated(y, ops::kThreefryRotations[(group % 2) * 4 + i]) ^ x;
    }
    x = x + keys[(group + 1) % 3];
    y = y + (keys[(group + 2) % 3] + whole(y, static_cast<int64_t>(group) + 1));
  }
  return word == 0 ? x : y;
}

}  // namespace tg

// Evaluations that stand on their own because decompositions and tests use them too.
#pragma once

#include <array>
#include <cstdint>

namespace tg::ops {

/// Threefry-2x32 with 20 rounds. Source: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
std::array<uint32_t, 2> threefry2x32(std::array<uint32_t, 2> key, std::array<uint32_t, 2> counter);

/// The rotations of its rounds and the parity constant of its key schedule.
inline constexpr std::array<int, 8> kThreefryRotations = {13, 15, 26, 6, 17, 29, 16, 24};
inline constexpr uint32_t kThreefryParity = 0x1BD11BDAu;

}  // namespace tg::ops

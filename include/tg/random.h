// The random number source, which is counter-based (Threefry-2x32, Salmon et al., SC 2011): a draw
// depends only on the seed and on what was drawn on its device before, not on threads or the time
// of computation. The sequences are tinygrad's: equal seeds give equal numbers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tg/export.h"

namespace tg {

/// Starts the sequences of `seed` from their beginning. Thread-safe; all threads of the process
/// share them.
TG_API void manual_seed(uint64_t seed);

/// How far one device is in its sequence.
struct RandomStream {
  std::string device;  ///< as "CPU"
  uint64_t drawn = 0;  ///< words of 32 bits since the seed was set
};

/// The position in the sequences: a checkpoint must save it.
struct RandomState {
  uint64_t seed = 0;
  std::vector<RandomStream> streams;  ///< in the order in which devices drew first
};
TG_API RandomState random_state();
TG_API void set_random_state(const RandomState& state);

}  // namespace tg

// The random number source, which is counter-based (Threefry-2x32, Salmon et al., SC 2011): element
// i of the n-th draw depends only on the seed and on the count of numbers drawn before, not on
// device, threads or the time of computation.
#pragma once

#include <cstdint>

#include "tg/export.h"

namespace tg {

/// Starts the sequence of `seed` from its beginning. Thread-safe; all threads of the process share
/// the sequence.
TG_API void manual_seed(uint64_t seed);

/// The position in the sequence: a checkpoint must save it.
struct RandomState {
  uint64_t seed = 0;
  uint64_t drawn = 0;  ///< numbers drawn since the seed was set
};
TG_API RandomState random_state();
TG_API void set_random_state(const RandomState& state);

}  // namespace tg

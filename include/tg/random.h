// The random number source. Numbers are counted (Threefry-2x32, Salmon et al., SC 2011): element i
// of the n-th draw depends only on the seed and on how many numbers were drawn before, not on
// device, threads or when it is computed.
#pragma once

#include <cstdint>

#include "tg/export.h"

namespace tg {

/// Starts the sequence of `seed` from its beginning. Thread-safe; the sequence is shared by all
/// threads of the process.
TG_API void manual_seed(uint64_t seed);

/// Where the sequence stands: what a checkpoint must keep.
struct RandomState {
  uint64_t seed = 0;
  uint64_t drawn = 0;  ///< numbers drawn since the seed was set
};
TG_API RandomState random_state();
TG_API void set_random_state(const RandomState& state);

}  // namespace tg

// Random numbers for the host side of data sets: a pure function of key and counter, the same on
// every platform. No state to save, no order to keep. Random tensors are made on the device
// (Threefry, src/tensor) and are another sequence.
#pragma once

#include <cstdint>

#include "support/hash.h"

namespace tg::nn {

/// One stream of a seed. Streams with different numbers are independent.
class CounterRandom {
 public:
  CounterRandom(uint64_t seed, uint64_t stream) : key_(hash_combine(hash_mix(seed), stream)) {}

  /// 64 random bits: a bijection of the counter under a random key.
  uint64_t bits(uint64_t counter) const { return hash_mix(hash_mix(counter ^ key_) + key_); }

  /// A number below `n`, n from 1 to 2^32: the high part of a 32-bit product; the bias is below n /
  /// 2^32.
  uint64_t below(uint64_t counter, uint64_t n) const { return ((bits(counter) >> 32) * n) >> 32; }

  /// A number in [0, 1) with 24 random bits, exact in float.
  float uniform(uint64_t counter) const {
    return static_cast<float>(bits(counter) >> 40) * 0x1p-24F;
  }

  /// A number in [low, high).
  float uniform(uint64_t counter, float low, float high) const {
    return low + (high - low) * uniform(counter);
  }

 private:
  uint64_t key_;
};

}  // namespace tg::nn

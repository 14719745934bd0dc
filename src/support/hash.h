// Hashes that are the same in every process and on every machine: a 64-bit mixer, a way to combine,
// and a 128-bit hash of bytes for cache keys. None resists an attacker; caches verify what they
// read.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace tg {

/// A bijection on 64 bits in which every input bit changes about half of the output bits (finaliser
/// of splitmix64, Steele, Lea, Flood 2014, constants by Stafford).
constexpr uint64_t hash_mix(uint64_t x) {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

/// A hash of an ordered pair: combine(a, b) differs from combine(b, a).
constexpr uint64_t hash_combine(uint64_t seed, uint64_t value) {
  return hash_mix(seed * 0x9DDFEA08EB382D69u + hash_mix(value));
}

/// 128 bits, comparable and printable.
struct Hash128 {
  uint64_t low = 0;
  uint64_t high = 0;
  auto operator<=>(const Hash128&) const = default;
  /// 32 lower-case hexadecimal digits, `high` first; usable as a file name.
  std::string hex() const;
};

/// MurmurHash3 x64-128 by Austin Appleby (public domain algorithm), on any machine's byte order.
/// `seed` separates uses.
Hash128 hash_bytes(std::string_view bytes, uint32_t seed = 0);

/// The low half of hash_bytes: a 64-bit hash of text.
inline uint64_t hash_text(std::string_view text) { return hash_bytes(text).low; }

}  // namespace tg

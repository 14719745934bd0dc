// MurmurHash3 x64-128: two 64-bit lanes over blocks of 16 bytes, a tail, and a finaliser that mixes
// the lanes.
#include "support/hash.h"

#include <fmt/format.h>

#include <bit>

namespace tg {
namespace {

constexpr uint64_t kFirst = 0x87C37B91114253D5u;
constexpr uint64_t kSecond = 0x4CF5AD432745937Fu;

// Little-endian load of up to eight bytes.
uint64_t load_bytes(std::string_view bytes) {
  uint64_t value = 0;
  for (size_t i = 0; i < bytes.size(); ++i) {
    value |= static_cast<uint64_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  }
  return value;
}

uint64_t scramble_low(uint64_t k) { return std::rotl(k * kFirst, 31) * kSecond; }
uint64_t scramble_high(uint64_t k) { return std::rotl(k * kSecond, 33) * kFirst; }

uint64_t finalise(uint64_t k) {
  k = (k ^ (k >> 33)) * 0xFF51AFD7ED558CCDu;
  k = (k ^ (k >> 33)) * 0xC4CEB9FE1A85EC53u;
  return k ^ (k >> 33);
}

}  // namespace

Hash128 hash_bytes(std::string_view bytes, uint32_t seed) {
  const uint64_t length = bytes.size();
  uint64_t low = seed;
  uint64_t high = seed;
  for (; bytes.size() >= 16; bytes.remove_prefix(16)) {
    low = (std::rotl(low ^ scramble_low(load_bytes(bytes.substr(0, 8))), 27) + high) * 5 +
          0x52DCE729u;
    high = (std::rotl(high ^ scramble_high(load_bytes(bytes.substr(8, 8))), 31) + low) * 5 +
           0x38495AB5u;
  }
  if (bytes.size() > 8) high ^= scramble_high(load_bytes(bytes.substr(8)));
  if (!bytes.empty()) low ^= scramble_low(load_bytes(bytes.substr(0, 8)));
  low ^= length;
  high ^= length;
  low += high;
  high += low;
  low = finalise(low);
  high = finalise(high);
  low += high;
  high += low;
  return {low, high};
}

std::string Hash128::hex() const { return fmt::format("{:016x}{:016x}", high, low); }

}  // namespace tg

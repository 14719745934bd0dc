// Hashes: published values of the algorithms, and that every bit counts.
#include "support/hash.h"

#include <gtest/gtest.h>

#include <bit>
#include <set>
#include <string>

namespace tg {
namespace {

TEST(Hash, MixIsSplitmix64) {
  // First outputs of the published generator for seed 0: its state is a multiple of the golden
  // gamma.
  EXPECT_EQ(hash_mix(0), 0xE220A8397B1DCDAFu);
  EXPECT_EQ(hash_mix(0x9E3779B97F4A7C15u), 0x6E789E6AA1B965F4u);
}

TEST(Hash, EveryInputBitChangesManyOutputBits) {
  for (int bit = 0; bit < 64; ++bit) {
    const int changed = std::popcount(hash_mix(12345) ^ hash_mix(12345 ^ (uint64_t{1} << bit)));
    EXPECT_GT(changed, 10) << bit;
    EXPECT_LT(changed, 54) << bit;
  }
}

TEST(Hash, CombineDependsOnOrder) { EXPECT_NE(hash_combine(1, 2), hash_combine(2, 1)); }

TEST(Hash, CombineOfSmallNumbersHasNoCollisions) {
  std::set<uint64_t> seen;
  for (uint64_t a = 0; a < 200; ++a) {
    for (uint64_t b = 0; b < 200; ++b) EXPECT_TRUE(seen.insert(hash_combine(a, b)).second);
  }
}

TEST(Hash, BytesMatchTheReferenceImplementation) {
  EXPECT_EQ(hash_bytes("").hex(), "00000000000000000000000000000000");
  // MurmurHash3_x64_128 with seed 0: h1 is `low`, h2 is `high`.
  const Hash128 fox = hash_bytes("The quick brown fox jumps over the lazy dog");
  EXPECT_EQ(fox.low, 0xE34BBC7BBC071B6Cu);
  EXPECT_EQ(fox.high, 0x7A433CA9C49A9347u);
  const Hash128 hello = hash_bytes("hello");
  EXPECT_EQ(hello.low, 0xCBD8A7B341BD9B02u);
  EXPECT_EQ(hello.high, 0x5B1E906A48AE1D19u);
}

class HashLength : public testing::TestWithParam<size_t> {};
TEST_P(HashLength, EveryByteAndTheLengthCount) {
  const std::string text(GetParam(), 'a');
  std::set<std::string> seen = {hash_bytes(text).hex(), hash_bytes(text + "a").hex(),
                                hash_bytes(text + std::string(1, '\0')).hex()};
  for (size_t i = 0; i < text.size(); ++i) {
    std::string changed = text;
    changed[i] = 'b';
    seen.insert(hash_bytes(changed).hex());
  }
  EXPECT_EQ(seen.size(), text.size() + 3);
}
INSTANTIATE_TEST_SUITE_P(Lengths, HashLength,
                         testing::Values(0, 1, 7, 8, 9, 15, 16, 17, 31, 32, 100));

TEST(Hash, TheSeedSeparatesUses) { EXPECT_NE(hash_bytes("x", 1), hash_bytes("x", 2)); }

TEST(Hash, HexIsHighThenLow) {
  EXPECT_EQ((Hash128{0xAB, 1}).hex(), "000000000000000100000000000000ab");
}

TEST(Hash, TextIsTheLowHalf) { EXPECT_EQ(hash_text("hello"), hash_bytes("hello").low); }

}  // namespace
}  // namespace tg

// SHA-256 against the examples of FIPS 180-4 and NIST's test vectors, and around the padding's
// boundaries.
#include "support/sha256.h"

#include <gtest/gtest.h>

#include <set>

namespace tg {
namespace {

TEST(Sha256, OfNothing) {
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(Sha256, OfOneBlock) {
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Sha256, OfTwoBlocks) {
  EXPECT_EQ(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

TEST(Sha256, OfAMillionLetters) {
  EXPECT_EQ(sha256_hex(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, OfOneHighByte) {
  EXPECT_EQ(sha256_hex("\xbd"), "68325720aabd7c82f30f554b313d0570c95accbb7dc4b5aae11204c08ffe732b");
}

TEST(Sha256, DiffersForEveryLengthAroundTheBoundariesOfABlock) {
  std::set<std::string> digests;
  for (size_t size = 0; size <= 200; ++size) digests.insert(sha256_hex(std::string(size, '\0')));
  EXPECT_EQ(digests.size(), 201u);
  for (const std::string& digest : digests) EXPECT_EQ(digest.size(), 64u);
}

TEST(Sha256, OfZerosAroundTheBoundariesOfABlock) {
  EXPECT_EQ(sha256_hex(std::string(55, '\0')),
            "02779466cdec163811d078815c633f21901413081449002f24aa3e80f0b88ef7");
  EXPECT_EQ(sha256_hex(std::string(56, '\0')),
            "d4817aa5497628e7c77e6b606107042bbba3130888c5f47a375e6179be789fbb");
  EXPECT_EQ(sha256_hex(std::string(64, '\0')),
            "f5a5fd42d16a20302798ef6ed309979b43003d2320d9f0e8ea9831a92759fb4b");
}

}  // namespace
}  // namespace tg

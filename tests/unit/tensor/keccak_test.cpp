// SHA-3 against the digests that FIPS 202 and its test vectors give, and what makes a hash one.
#include <fmt/format.h>

#include "unit/tensor/support/tensor_test.h"

namespace tg {
namespace {

using namespace testing;

Tensor bytes_of(const std::string& text) {
  const std::vector<uint8_t> bytes(text.begin(), text.end());
  return Tensor(bytes, {static_cast<int64_t>(bytes.size())});
}
std::string digits(const Tensor& bytes) {
  std::string out;
  for (const int b : bytes.to_vector<int>()) out += fmt::format("{:02x}", b);
  return out;
}

TEST(Keccak, GivesTheKnownDigests) {
  const Tensor abc = bytes_of("abc");
  EXPECT_EQ(digits(abc.keccak({.variant = KeccakVariant::Sha3_224})),
            "e642824c3f8cf24ad09234ee7d3c766fc9a3a5168d0c94ad73b46fdf");
  EXPECT_EQ(digits(abc.keccak()),
            "3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532");
  EXPECT_EQ(
      digits(abc.keccak({.variant = KeccakVariant::Sha3_384})),
      "ec01498288516fc926459f58e2c6ad8df9b473cb0fc08c2596da7cf0e49be4b298d88cea927ac7f539f1edf228"
      "376d25");
  EXPECT_EQ(
      digits(abc.keccak({.variant = KeccakVariant::Sha3_512})),
      "b751850b1a57168a5693cd924b6b096e08f621827444f70d884f5d0240d2712e10e116e9192af3c91a7ec57647"
      "e3934057340b4cf408d5a56592f8274eec53f0");
  EXPECT_EQ(digits(bytes_of("").keccak({.variant = KeccakVariant::Shake128, .size = 32})),
            "7f9c2ba4e88f827d616045507605853ed73b8093f6efbc88eb1a6eacfa66ef26");
  EXPECT_EQ(digits(bytes_of("").keccak({.variant = KeccakVariant::Shake256})),
            "46b9dd2b0ba88d13233b3feb743eeb243fcd52ea62b81b82b50c27646ed5762f");
}
// 135 bytes leave one for the ending, which then begins and ends in it; 136 leave none.
TEST(Keccak, EndsMessagesOfEveryLength) {
  EXPECT_EQ(digits(bytes_of(std::string(135, 'a')).keccak()),
            "8094bb53c44cfb1e67b7c30447f9a1c33696d2463ecc1d9c92538913392843c9");
  EXPECT_EQ(digits(bytes_of(std::string(136, 'a')).keccak()),
            "3fc5559f14db8e453a0a3091edbd2bc25e11528d81c66fa570a4efdcc2695ee1");
}
TEST(Keccak, HashesEachRow) {
  const Tensor rows = Tensor::stack({bytes_of("abc"), bytes_of("xyz")});
  const Tensor hashed = rows.reshape({2, 1, 3}).keccak();
  ASSERT_EQ(hashed.shape(), (Shape{2, 1, 32}));
  EXPECT_EQ(digits(hashed[{0, 0}]), digits(bytes_of("abc").keccak()));
  EXPECT_EQ(digits(hashed[{1, 0}]), digits(bytes_of("xyz").keccak()));
}
TEST(Keccak, ReadsTheBytesOfEveryDtype) {
  const Tensor words{0x64636261, 0};
  EXPECT_EQ(digits(words.keccak()), digits(bytes_of(std::string("abcd\0\0\0\0", 8)).keccak()));
}
TEST(Keccak, GivesMoreThanOneBlock) {
  const Tensor longer = bytes_of("abc").keccak({.variant = KeccakVariant::Shake128, .size = 200});
  EXPECT_EQ(longer.shape(), (Shape{200}));
  EXPECT_EQ(digits(longer.shrink_to({16})),
            digits(bytes_of("abc").keccak({.variant = KeccakVariant::Shake128})));
}

TEST(Hash, TellsTensorsApart) {
  const Tensor x = Tensor::arange(5000);
  const std::string of_x = digits(x.hash());
  EXPECT_EQ(of_x.size(), 32u);
  EXPECT_EQ(digits(Tensor::arange(5000).hash()), of_x);
  EXPECT_NE(digits((x + x.eq(4999)).hash()), of_x);
  EXPECT_NE(digits(Tensor::zeros({1}).hash()), digits(Tensor::zeros({2}).hash()));
  EXPECT_EQ(Tensor::zeros({0}).hash().shape(), (Shape{16}));
}

TEST(RandomBits, AreDecidedByKeyAndCounter) {
  const auto words = [](int a, int b) { return Tensor{a, b}.cast(DType::UInt32); };
  const Tensor key = words(1, 2);
  const auto seven = key.random_bits(words(5, 0), 7).to_vector<uint32_t>();
  EXPECT_EQ(seven.size(), 7u);
  EXPECT_EQ(key.random_bits(words(5, 0), 7).to_vector<uint32_t>(), seven);
  EXPECT_NE(key.random_bits(words(6, 0), 7).to_vector<uint32_t>(), seven);
  EXPECT_NE(words(1, 3).random_bits(words(5, 0), 7).to_vector<uint32_t>(), seven);
  EXPECT_EQ(key.random_bits(words(5, 0), 0).shape(), (Shape{0}));
}

}  // namespace
}  // namespace tg

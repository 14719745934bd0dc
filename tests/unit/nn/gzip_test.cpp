// Unpacking of gzip: streams that are whole, in several members and beyond a block; and each way to
// be damaged.
#include "nn/format/gzip.h"

#include <gtest/gtest.h>

#include "nn_test_util.h"

namespace tg::nn {
namespace {

constexpr uint64_t kLimit = 1 << 24;

class GzipSize : public testing::TestWithParam<size_t> {};

TEST_P(GzipSize, UnpacksToTheSameBytes) {
  const std::string text = sample_text(GetParam());
  EXPECT_EQ(gunzip(gzip(text), "x.gz", kLimit), text);
}

TEST_P(GzipSize, UnpacksExactlyAtTheLimit) {
  const std::string text = sample_text(GetParam());
  EXPECT_EQ(gunzip(gzip(text), "x.gz", GetParam()).size(), GetParam());
}

TEST_P(GzipSize, RefusesOneByteOverTheLimit) {
  if (GetParam() == 0) return;
  const std::string message =
      file_error_of([&] { gunzip(gzip(sample_text(GetParam())), "x.gz", GetParam() - 1); });
  EXPECT_EQ(message, "gunzip: \"x.gz\" is too large: it unpacks to more than " +
                         std::to_string(GetParam() - 1) + " bytes.");
}

INSTANTIATE_TEST_SUITE_P(Sizes, GzipSize,
                         testing::Values(0, 1, 100, 65535, 65536, 65537, 131072, 1000003));

TEST(Gzip, IsKnownByItsFirstBytes) {
  EXPECT_TRUE(is_gzip(gzip("x")));
  EXPECT_FALSE(is_gzip("\x1f"));
  EXPECT_FALSE(is_gzip(""));
  EXPECT_FALSE(is_gzip("PK"));
}

TEST(Gzip, JoinsSeveralMembers) {
  EXPECT_EQ(gunzip(gzip("one ") + gzip("two ") + gzip("three"), "x.gz", kLimit), "one two three");
}

TEST(Gzip, CountsTheLimitOverAllMembers) {
  EXPECT_EQ(file_error_of([] { gunzip(gzip("1234") + gzip("5678"), "x.gz", 7); }),
            "gunzip: \"x.gz\" is too large: it unpacks to more than 7 bytes.");
}

TEST(Gzip, RefusesWhatIsNoGzip) {
  EXPECT_EQ(file_error_of([] { gunzip("hello", "x.gz", kLimit); }),
            "gunzip: \"x.gz\" is no gzip file. A gzip file begins with the bytes 1f 8b.");
  EXPECT_EQ(file_error_of([] { gunzip("", "e.gz", kLimit); }),
            "gunzip: \"e.gz\" is no gzip file. A gzip file begins with the bytes 1f 8b.");
}

TEST(Gzip, RefusesEveryTruncation) {
  const std::string whole = gzip(sample_text(500));
  for (size_t size = 2; size < whole.size(); ++size)
    ASSERT_EQ(file_error_of([&] { gunzip(whole.substr(0, size), "x.gz", kLimit); }),
              "gunzip: \"x.gz\" is truncated: the stream does not end within its " +
                  std::to_string(size) + " bytes.");
}

TEST(Gzip, RefusesATruncatedSecondMember) {
  const std::string first = gzip("one");
  const std::string second = gzip("two");
  const std::string cut = first + second.substr(0, second.size() - 1);
  EXPECT_EQ(file_error_of([&] { gunzip(cut, "x.gz", kLimit); }),
            "gunzip: \"x.gz\" is truncated: the stream does not end within its " +
                std::to_string(cut.size()) + " bytes.");
}

TEST(Gzip, RefusesAWrongChecksum) {
  std::string bytes = gzip("some text");
  bytes[bytes.size() - 8] ^= 1;
  EXPECT_EQ(file_error_of([&] { gunzip(bytes, "x.gz", kLimit); }),
            "gunzip: \"x.gz\" is corrupt near byte " + std::to_string(bytes.size() - 4) +
                ": incorrect data check.");
}

TEST(Gzip, RefusesAWrongLength) {
  std::string bytes = gzip("some text");
  bytes[bytes.size() - 4] ^= 1;
  EXPECT_EQ(file_error_of([&] { gunzip(bytes, "x.gz", kLimit); }),
            "gunzip: \"x.gz\" is corrupt near byte " + std::to_string(bytes.size()) +
                ": incorrect length check.");
}

TEST(Gzip, RefusesAnUnknownBlockType) {
  std::string bytes = gzip("some text");
  bytes[10] = '\x07';  // the first byte after the header: last block, type 3
  EXPECT_EQ(file_error_of([&] { gunzip(bytes, "x.gz", kLimit); }),
            "gunzip: \"x.gz\" is corrupt near byte 11: invalid block type.");
}

TEST(Gzip, RefusesBytesAfterTheStream) {
  const std::string stream = gzip("some text");
  EXPECT_EQ(file_error_of([&] { gunzip(stream + "junk", "x.gz", kLimit); }),
            "gunzip: \"x.gz\" is corrupt at byte " + std::to_string(stream.size()) +
                ": the stream has ended, but 4 bytes follow.");
}

TEST(Gzip, StopsABombAtTheLimit) {
  const std::string bomb = gzip(std::string(50'000'000, '\0'));
  ASSERT_LT(bomb.size(), 60'000u);
  EXPECT_EQ(file_error_of([&] { gunzip(bomb, "bomb.gz", 1'000'000); }),
            "gunzip: \"bomb.gz\" is too large: it unpacks to more than 1000000 bytes.");
}

TEST(Gzip, EveryFlippedBitGivesTheSameBytesOrAFileError) {
  const std::string text = sample_text(300);
  const std::string whole = gzip(text);
  size_t refused = 0;
  for (size_t bit = 0; bit < whole.size() * 8; ++bit) {
    try {
      // Bits that mean nothing (time, system) may change freely.
      EXPECT_EQ(gunzip(with_flipped_bit(whole, bit), "x.gz", kLimit), text) << "bit " << bit;
    } catch (const FileError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, whole.size() * 8 / 2);
}

}  // namespace
}  // namespace tg::nn

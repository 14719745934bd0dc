// IDX files: read back, gzipped or plain, and every rule of the format broken once.
#include "nn/format/idx.h"

#include <gtest/gtest.h>

#include "nn_test_util.h"
#include "support/file.h"

namespace tg::nn {
namespace {

TEST(Idx, ReadsShapeAndBytes) {
  const IdxArray a = parse_idx(idx({2, 3}, "abcdef"), "x");
  EXPECT_EQ(a.shape, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(std::string(a.data.begin(), a.data.end()), "abcdef");
}

TEST(Idx, ReadsOneAndFourDimensions) {
  EXPECT_EQ(parse_idx(idx({5}, "01234"), "x").shape, (std::vector<int64_t>{5}));
  EXPECT_EQ(parse_idx(idx({1, 2, 1, 2}, "0123"), "x").shape, (std::vector<int64_t>{1, 2, 1, 2}));
}

TEST(Idx, ReadsAnEmptyArray) {
  const IdxArray a = parse_idx(idx({0, 28, 28}, ""), "x");
  EXPECT_EQ(a.shape, (std::vector<int64_t>{0, 28, 28}));
  EXPECT_TRUE(a.data.empty());
}

TEST(Idx, KeepsBytesAbove127) {
  EXPECT_EQ(parse_idx(idx({2}, "\xff\x80"), "x").data, (std::vector<uint8_t>{255, 128}));
}

TEST(Idx, ReadsSizesBigEndian) {
  EXPECT_EQ(parse_idx(idx({258}, std::string(258, 'x')), "x").shape[0], 258);
}

struct Broken {
  const char* name;
  std::string bytes;
  const char* problem;
};
class BrokenIdx : public testing::TestWithParam<Broken> {};

TEST_P(BrokenIdx, SaysWhatIsWrong) {
  EXPECT_EQ(file_error_of([] { parse_idx(GetParam().bytes, "f.idx"); }),
            std::string("parse_idx: \"f.idx\" ") + GetParam().problem);
}

std::string with_type(char type) {
  std::string bytes = idx({1}, "x");
  bytes[2] = type;
  return bytes;
}

const Broken kBroken[] = {
    {"Empty", "", "is truncated: it has 0 bytes, an IDX header at least 4."},
    {"ThreeBytes", std::string("\0\0\x08", 3),
     "is truncated: it has 3 bytes, an IDX header at least 4."},
    {"AnotherMagic", "PNG.", "is no IDX file: it begins with 504e472e, not with 0000."},
    {"GzipMagic", "\x1f\x8b\x08\x01", "is no IDX file: it begins with 1f8b0801, not with 0000."},
    {"Float", with_type('\x0d'),
     "has elements of IDX type 0x0d: only unsigned bytes (0x08) are read."},
    {"SignedByte", with_type('\x09'),
     "has elements of IDX type 0x09: only unsigned bytes (0x08) are read."},
    {"NoDimensions", idx({}, ""), "has no dimensions."},
    {"HeaderCut", idx({2, 3}, "").substr(0, 11),
     "is truncated: it has 11 bytes, its header of 2 dimensions needs 12."},
    {"DataMissing", idx({2, 3}, "abcde"),
     "is truncated: its dimensions [2, 3] do not match its 5 bytes of data."},
    {"DataLeftOver", idx({2, 3}, "abcdefg"),
     "is too long: its dimensions [2, 3] do not match its 7 bytes of data."},
    {"HugeDimensions", idx({0xffffffff, 0xffffffff}, "abc"),
     "is truncated: its dimensions [4294967295, 4294967295] do not match its 3 bytes of data."},
    {"OverflowingDimensions", idx({0x80000000, 0x80000000, 4}, ""),
     "is truncated: its dimensions [2147483648, 2147483648, 4] do not match its 0 bytes of data."},
    {"ManyDimensions", std::string("\0\0\x08\xff", 4),
     "is truncated: it has 4 bytes, its header of 255 dimensions needs 1024."},
};

INSTANTIATE_TEST_SUITE_P(Cases, BrokenIdx, testing::ValuesIn(kBroken),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(IdxFile, IsReadPlainAndGzipped) {
  const TempDir folder;
  const std::string bytes = idx({2, 2}, "abcd");
  write_file(folder.path() / "plain", bytes);
  write_file(folder.path() / "packed.gz", gzip(bytes));
  EXPECT_EQ(read_idx(folder.path() / "plain").data, read_idx(folder.path() / "packed.gz").data);
}

TEST(IdxFile, NamesTheFileInErrors) {
  const TempDir folder;
  const std::string path = (folder.path() / "bad.gz").string();
  write_file(path, gzip(idx({9}, "abcd")));
  EXPECT_EQ(file_error_of([&] { read_idx(path); }),
            "parse_idx: \"" + path +
                "\" is truncated: its dimensions [9] do not match its 4 bytes of data.");
}

TEST(IdxFile, MissingIsAFileError) {
  EXPECT_EQ(file_error_of([] { read_idx("/nowhere/at/all"); }),
            "read_file: cannot read \"/nowhere/at/all\": No such file or directory.");
}

TEST(IdxFile, LimitsPackedAndUnpackedBytes) {
  const TempDir folder;
  const std::string path = (folder.path() / "big.gz").string();
  write_file(path, gzip(idx({5000}, std::string(5000, 'x'))));
  EXPECT_EQ(file_error_of([&] { read_idx(path, 4000); }),
            "gunzip: \"" + path + "\" is too large: it unpacks to more than 4000 bytes.");
  EXPECT_EQ(file_error_of([&] { read_idx(path, 10); }),
            "read_file: \"" + path + "\" has more than 10 bytes.");
}

TEST(Idx, EveryFlippedBitIsValidOrAFileError) {
  const std::string whole = idx({3, 4}, "abcdefghijkl");
  size_t valid = 0;
  for (size_t bit = 0; bit < whole.size() * 8; ++bit) {
    try {
      const IdxArray a = parse_idx(with_flipped_bit(whole, bit), "x");
      EXPECT_EQ(a.data.size(), 12u);
      ++valid;
    } catch (const FileError&) {
    }
  }
  EXPECT_EQ(valid, 12u * 8);  // only the elements may change
}

}  // namespace
}  // namespace tg::nn

// Text helpers: join, split, trim, parsing, sizes, times, counts.
#include "support/text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace tg {
namespace {

using Pieces = std::vector<std::string_view>;

TEST(Text, JoinPutsTheSeparatorBetween) {
  EXPECT_EQ(join({}, ", "), "");
  EXPECT_EQ(join({"a"}, ", "), "a");
  EXPECT_EQ(join({"a", "", "c"}, ", "), "a, , c");
}

TEST(Text, SplitGivesOnePieceMoreThanSeparators) {
  EXPECT_EQ(split("", ','), Pieces{""});
  EXPECT_EQ(split("a,b", ','), (Pieces{"a", "b"}));
  EXPECT_EQ(split(",a,,", ','), (Pieces{"", "a", "", ""}));
}

TEST(Text, TrimRemovesBlanksAtBothEndsOnly) {
  EXPECT_EQ(trim(" \t a b\r\n"), "a b");
  EXPECT_EQ(trim(" \n "), "");
  EXPECT_EQ(trim(""), "");
}

TEST(Text, LowerCaseChangesAsciiLettersOnly) { EXPECT_EQ(to_lower("AbZ-é9["), "abz-é9["); }

TEST(Text, ParseInt64AcceptsTheWholeRange) {
  EXPECT_EQ(parse_int64("9223372036854775807"), INT64_MAX);
  EXPECT_EQ(parse_int64("-9223372036854775808"), INT64_MIN);
  EXPECT_EQ(parse_int64("+7"), 7);
}

TEST(Text, ParseUint64AcceptsTheWholeRange) {
  EXPECT_EQ(parse_uint64("18446744073709551615"), UINT64_MAX);
  EXPECT_EQ(parse_uint64("0"), 0u);
}

class NotAnInteger : public testing::TestWithParam<const char*> {};
TEST_P(NotAnInteger, IsRefused) {
  EXPECT_EQ(parse_int64(GetParam()), std::nullopt);
  EXPECT_EQ(parse_uint64(GetParam()), std::nullopt);
}
INSTANTIATE_TEST_SUITE_P(Texts, NotAnInteger,
                         testing::Values("", " ", "+", "-", "+-1", "1 ", " 1", "0x10", "1e3", "1.0",
                                         "99999999999999999999", "one"));

class Bytes : public testing::TestWithParam<std::pair<uint64_t, const char*>> {};
TEST_P(Bytes, ReadWell) { EXPECT_EQ(human_bytes(GetParam().first), GetParam().second); }
INSTANTIATE_TEST_SUITE_P(
    Sizes, Bytes,
    testing::Values(std::pair{0ul, "0 B"}, std::pair{1023ul, "1023 B"},
                    std::pair{1024ul, "1.00 KiB"}, std::pair{1536ul, "1.50 KiB"},
                    std::pair{10240ul, "10.0 KiB"}, std::pair{1048575ul, "1.00 MiB"},
                    std::pair{5ul << 30, "5.00 GiB"}, std::pair{UINT64_MAX, "16.0 EiB"}));

class Times : public testing::TestWithParam<std::pair<double, const char*>> {};
TEST_P(Times, ReadWell) { EXPECT_EQ(human_time(GetParam().first), GetParam().second); }
INSTANTIATE_TEST_SUITE_P(Seconds, Times,
                         testing::Values(std::pair{0.0, "0 ns"}, std::pair{350e-9, "350 ns"},
                                         std::pair{12.34e-6, "12.3 us"},
                                         std::pair{4.56e-3, "4.56 ms"}, std::pair{0.9999, "1.00 s"},
                                         std::pair{7.89, "7.89 s"}, std::pair{59.999, "1m00s"},
                                         std::pair{123.0, "2m03s"}, std::pair{3720.0, "1h02m"},
                                         std::pair{-2.0, "-2.00 s"}, std::pair{std::nan(""), "?"},
                                         std::pair{std::numeric_limits<double>::infinity(), "inf"},
                                         std::pair{1e300, "1e+300 s"}));

class Counts : public testing::TestWithParam<std::pair<double, const char*>> {};
TEST_P(Counts, ReadWell) { EXPECT_EQ(human_count(GetParam().first), GetParam().second); }
INSTANTIATE_TEST_SUITE_P(Numbers, Counts,
                         testing::Values(std::pair{0.0, "0"}, std::pair{999.0, "999"},
                                         std::pair{1000.0, "1.00 k"}, std::pair{12345.0, "12.3 k"},
                                         std::pair{999999.0, "1.00 M"}, std::pair{7.89e9, "7.89 G"},
                                         std::pair{-1500.0, "-1.50 k"}));

TEST(Text, ColumnsCountCodePoints) {
  EXPECT_EQ(text_columns("abc"), 3u);
  EXPECT_EQ(text_columns("é→x"), 3u);
  EXPECT_EQ(text_columns(""), 0u);
}

}  // namespace
}  // namespace tg

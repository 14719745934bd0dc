// Printing and parsing of scalars: the shortest text, its way back for every value of the small
// types and for random values of the large ones, and the exact message for text that is no value.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>

#include "dtype_cases.h"
#include "tg/error.h"
#include "tg/ir/scalar.h"

namespace tg {
namespace {

struct Printed {
  Scalar value;
  const char* text;
};
class PrintedScalar : public testing::TestWithParam<Printed> {};

TEST_P(PrintedScalar, IsTheShortestText) { EXPECT_EQ(GetParam().value.str(), GetParam().text); }

TEST_P(PrintedScalar, ReadsBack) {
  EXPECT_EQ(Scalar::parse(GetParam().text, GetParam().value.dtype()), GetParam().value);
}

const Printed kPrinted[] = {
    {Scalar::of_int(3, dtypes::int32), "3"},
    {Scalar::of_int(-7, dtypes::int8), "-7"},
    {Scalar::of_int(std::numeric_limits<int64_t>::min(), dtypes::int64), "-9223372036854775808"},
    {Scalar::of_int(-1, dtypes::uint64), "18446744073709551615"},
    {Scalar::of_int(-12, DType::Index), "-12"},
    {Scalar::of_int(1, dtypes::bool_), "true"},
    {Scalar::of_int(0, dtypes::bool_), "false"},
    {Scalar::of_double(3, dtypes::float32), "3"},
    {Scalar::of_double(0.1, dtypes::float64), "0.1"},
    {Scalar::of_double(0.1, dtypes::float32), "0.1"},
    {Scalar::of_double(0.1, dtypes::float16), "0.1"},
    {Scalar::of_double(0.1, dtypes::bfloat16), "0.1"},
    {Scalar::of_double(0.1, dtypes::fp8e4m3), "0.1"},
    {Scalar::of_double(0.5, dtypes::fp8e5m2fnuz), "0.5"},
    {Scalar::of_double(-0.0, dtypes::float32), "-0"},
    {Scalar::of_double(0.0, dtypes::float16), "0"},
    {Scalar::of_double(kInf, dtypes::float32), "inf"},
    {Scalar::of_double(-kInf, dtypes::float16), "-inf"},
    {Scalar::of_double(std::nan(""), dtypes::float64), "nan"},
    {Scalar::of_double(std::nan(""), dtypes::fp8e4m3), "nan"},
    {Scalar::of_double(1e20, dtypes::float32), "1e+20"},
    {Scalar::of_double(3.4028234663852886e38, dtypes::float32), "3.4028235e+38"},
    {Scalar::of_double(0x1p-149, dtypes::float32), "1e-45"},
    {Scalar::of_double(5e-324, dtypes::float64), "5e-324"},
    {Scalar::of_double(1.0 / 3, dtypes::float64), "0.3333333333333333"},
    {Scalar::of_double(1.0 / 3, dtypes::float32), "0.33333334"},
};

INSTANTIATE_TEST_SUITE_P(Table, PrintedScalar, testing::ValuesIn(kPrinted));

class TextOf : public testing::TestWithParam<DType> {};

TEST_P(TextOf, EveryValueOrARandomSampleReadsBack) {
  DType t = GetParam();
  bool all = dtype_size(t) <= 2;
  uint64_t seed = 977 + static_cast<uint64_t>(t);
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  uint64_t count = all ? uint64_t{1} << (8 * dtype_size(t)) : 20000;
  for (uint64_t i = 0; i < count; ++i) {
    Scalar s = Scalar::from_memory(all ? i : random(), t);
    ASSERT_EQ(Scalar::parse(s.str(), t), s) << s.str();
  }
}

INSTANTIATE_TEST_SUITE_P(AllTypes, TextOf, testing::ValuesIn(data_dtypes()), DTypeCaseName());

struct Refused {
  const char* text;
  DType t;
  const char* message;
};
class RefusedText : public testing::TestWithParam<Refused> {};

TEST_P(RefusedText, SaysWhy) {
  try {
    Scalar::parse(GetParam().text, GetParam().t);
    FAIL() << "accepted";
  } catch (const ArgumentError& e) {
    EXPECT_STREQ(e.what(), GetParam().message);
  }
}

const Refused kRefused[] = {
    {"", dtypes::int32, "Scalar::parse: \"\" is not a value of int32."},
    {"3x", dtypes::int32, "Scalar::parse: \"3x\" is not a value of int32."},
    {" 3", dtypes::int32, "Scalar::parse: \" 3\" is not a value of int32."},
    {"3.5", dtypes::int32, "Scalar::parse: \"3.5\" is not a value of int32."},
    {"+3", dtypes::int32, "Scalar::parse: \"+3\" is not a value of int32."},
    {"-1", dtypes::uint8, "Scalar::parse: \"-1\" is not a value of uint8."},
    {"256", dtypes::uint8, "Scalar::parse: \"256\" is out of the range of uint8."},
    {"128", dtypes::int8, "Scalar::parse: \"128\" is out of the range of int8."},
    {"-129", dtypes::int8, "Scalar::parse: \"-129\" is out of the range of int8."},
    {"4294967296", dtypes::uint32, "Scalar::parse: \"4294967296\" is out of the range of uint32."},
    {"9223372036854775808", dtypes::int64,
     "Scalar::parse: \"9223372036854775808\" is out of the range of int64."},
    {"18446744073709551616", dtypes::uint64,
     "Scalar::parse: \"18446744073709551616\" is out of the range of uint64."},
    {"", dtypes::float32, "Scalar::parse: \"\" is not a value of float32."},
    {"1.0f", dtypes::float32, "Scalar::parse: \"1.0f\" is not a value of float32."},
    {"1e39", dtypes::float32, "Scalar::parse: \"1e39\" is out of the range of float32."},
    {"1e400", dtypes::float64, "Scalar::parse: \"1e400\" is out of the range of float64."},
    {"70000", dtypes::float16, "Scalar::parse: \"70000\" is out of the range of float16."},
    {"500", dtypes::fp8e4m3, "Scalar::parse: \"500\" is out of the range of fp8e4m3."},
    {"inf", dtypes::fp8e4m3, "Scalar::parse: \"inf\" is out of the range of fp8e4m3."},
    {"yes", dtypes::bool_, "Scalar::parse: \"yes\" is not a value of bool."},
    {"2", dtypes::bool_, "Scalar::parse: \"2\" is not a value of bool."},
    {"0", DType::Void, "Scalar::parse: \"0\" is not a value of void."},
};

INSTANTIATE_TEST_SUITE_P(Table, RefusedText, testing::ValuesIn(kRefused));

TEST(ScalarParse, TinyFloatsBecomeZero) {
  EXPECT_EQ(Scalar::parse("1e-50", dtypes::float32), Scalar::of_double(0, dtypes::float32));
  EXPECT_EQ(Scalar::parse("1e-10", dtypes::fp8e4m3), Scalar::of_double(0, dtypes::fp8e4m3));
}

TEST(ScalarParse, BoolsAreAlsoDigits) {
  EXPECT_EQ(Scalar::parse("1", dtypes::bool_), Scalar::of_int(1, dtypes::bool_));
  EXPECT_EQ(Scalar::parse("0", dtypes::bool_), Scalar::of_int(0, dtypes::bool_));
}

TEST(ScalarParse, Float32TextIsRoundedOnce) {
  // Above the midpoint of 1 and its successor by less than a double can hold.
  Scalar s = Scalar::parse("1.000000059604644775390625000000000001", dtypes::float32);
  EXPECT_EQ(s.f64(), 1.0 + 0x1p-23);
}

}  // namespace
}  // namespace tg

// The small floats, exhaustively: every pattern reads back, every midpoint between neighbours goes
// to the even one, and both neighbours of a midpoint go to their side. Known values are those of
// IEEE 754, the OCP 8-bit specification and ml_dtypes.
#include "dtype/convert.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "dtype_cases.h"
#include "tg/error.h"
#include "tg/ir/scalar.h"

namespace tg {
namespace {

bool is_fnuz(DType t) { return t == dtypes::fp8e4m3fnuz || t == dtypes::fp8e5m2fnuz; }
bool has_infinity(DType t) { return !is_fnuz(t) && t != dtypes::fp8e4m3; }
uint64_t pattern_count(DType t) { return uint64_t{1} << (8 * dtype_size(t)); }

// All finite non-negative values, ascending; equal to their codes in order.
std::vector<double> finite_values(DType t) {
  std::vector<double> values;
  for (uint64_t code = 0; code < pattern_count(t) / 2; ++code) {
    double v = float_from_bits(code, t);
    if (std::isfinite(v)) values.push_back(v);
  }
  return values;
}

// Every value of the types that have few of them, in each float.
TEST(HoldsValuesOf, IsWhatRoundingSays) {
  std::vector<DType> small = {DType::Int8, DType::UInt8, DType::Int16, DType::UInt16},
                     floats = {DType::Float32, DType::Float64};
  for (DType t : {DType::Fp8E4M3, DType::Fp8E5M2, DType::Fp8E4M3Fnuz, DType::Fp8E5M2Fnuz,
                  DType::Float16, DType::BFloat16}) {
    small.push_back(t);
    floats.push_back(t);
  }
  for (DType from : small) {
    std::vector<double> values;
    for (uint64_t code = 0; code < pattern_count(from); ++code) {
      const double v = is_float(from) ? float_from_bits(code, from)
                                      : Scalar::from_memory(code, from).as_double();
      if (std::isfinite(v)) values.push_back(v);
    }
    for (DType t : floats) {
      const bool held =
          std::ranges::all_of(values, [&](double v) { return round_to_float(v, t) == v; });
      EXPECT_EQ(holds_values_of(t, from), held) << dtype_name(t) << " of " << dtype_name(from);
    }
  }
  EXPECT_TRUE(holds_values_of(DType::Float64, DType::Int32));
  EXPECT_FALSE(holds_values_of(DType::Float32, DType::Int32));
  EXPECT_FALSE(holds_values_of(DType::Float64, DType::UInt64));
}

class SmallFloat : public testing::TestWithParam<DType> {};

TEST_P(SmallFloat, EveryPatternReadsBack) {
  for (uint64_t code = 0; code < pattern_count(GetParam()); ++code) {
    double v = float_from_bits(code, GetParam());
    if (!std::isnan(v)) {
      ASSERT_EQ(float_to_bits(v, GetParam()), code) << v;
    }
  }
}

TEST_P(SmallFloat, EveryValueIsAFixedPointOfRounding) {
  for (uint64_t code = 0; code < pattern_count(GetParam()); ++code) {
    double v = float_from_bits(code, GetParam());
    if (!std::isnan(v)) {
      ASSERT_EQ(std::bit_cast<uint64_t>(round_to_float(v, GetParam())), std::bit_cast<uint64_t>(v))
          << code;
    }
  }
}

TEST_P(SmallFloat, ValuesAscendWithTheirCodes) {
  std::vector<double> values = finite_values(GetParam());
  EXPECT_TRUE(std::is_sorted(values.begin(), values.end(), std::less_equal<double>()));
  EXPECT_EQ(values.front(), 0.0);
}

TEST_P(SmallFloat, EveryMidpointGoesToTheEvenNeighbour) {
  std::vector<double> values = finite_values(GetParam());
  for (size_t code = 0; code + 1 < values.size(); ++code) {
    double middle = (values[code] + values[code + 1]) / 2;
    ASSERT_EQ(float_to_bits(middle, GetParam()), code + (code & 1)) << middle;
  }
}

TEST_P(SmallFloat, JustBesideAMidpointGoesToTheNearerNeighbour) {
  std::vector<double> values = finite_values(GetParam());
  for (size_t code = 0; code + 1 < values.size(); ++code) {
    double middle = (values[code] + values[code + 1]) / 2;
    ASSERT_EQ(float_to_bits(std::nextafter(middle, 0.0), GetParam()), code) << middle;
    ASSERT_EQ(float_to_bits(std::nextafter(middle, kInf), GetParam()), code + 1) << middle;
  }
}

TEST_P(SmallFloat, RoundingIsSymmetricInTheSign) {
  std::vector<double> values = finite_values(GetParam());
  for (size_t code = 0; code + 1 < values.size(); ++code) {
    double x = values[code] * 0.3 + values[code + 1] * 0.7;
    ASSERT_EQ(round_to_float(-x, GetParam()), -round_to_float(x, GetParam())) << x;
  }
}

TEST_P(SmallFloat, OverflowBeginsHalfAStepBeyondTheLargest) {
  std::vector<double> values = finite_values(GetParam());
  double largest = values.back();
  double step = largest - values[values.size() - 2];
  double tie = largest + step / 2;
  EXPECT_EQ(round_to_float(std::nextafter(tie, 0.0), GetParam()), largest);
  bool largest_is_even = ((values.size() - 1) & 1) == 0;
  for (double beyond : {std::nextafter(tie, kInf), largest + step, largest * 4, 1e300, kInf}) {
    double r = round_to_float(beyond, GetParam());
    EXPECT_TRUE(has_infinity(GetParam()) ? r == kInf : std::isnan(r)) << beyond << " gave " << r;
  }
  double at_tie = round_to_float(tie, GetParam());
  EXPECT_EQ(std::isfinite(at_tie), largest_is_even);
}

TEST_P(SmallFloat, UnderflowBeginsAtHalfTheSmallest) {
  double smallest = float_from_bits(1, GetParam());
  EXPECT_EQ(round_to_float(smallest / 2, GetParam()), 0.0);
  EXPECT_EQ(round_to_float(std::nextafter(smallest / 2, 1.0), GetParam()), smallest);
  EXPECT_EQ(round_to_float(1e-300, GetParam()), 0.0);
  EXPECT_EQ(round_to_float(std::numeric_limits<double>::denorm_min(), GetParam()), 0.0);
}

TEST_P(SmallFloat, NegativeZeroIsKeptWhereTheFormatHasOne) {
  bool kept = std::signbit(round_to_float(-0.0, GetParam()));
  EXPECT_EQ(kept, !is_fnuz(GetParam()));
  EXPECT_EQ(std::signbit(round_to_float(-1e-300, GetParam())), !is_fnuz(GetParam()));
}

TEST_P(SmallFloat, NaNStaysNaNInOnePattern) {
  uint64_t code = float_to_bits(kNaN, GetParam());
  EXPECT_TRUE(std::isnan(float_from_bits(code, GetParam())));
  EXPECT_EQ(float_to_bits(-kNaN, GetParam()), code);
  EXPECT_TRUE(std::isnan(round_to_float(kNaN, GetParam())));
}

TEST_P(SmallFloat, EveryNaNPatternGivesTheOneNaN) {
  uint64_t expected = std::bit_cast<uint64_t>(kNaN);
  for (uint64_t code = 0; code < pattern_count(GetParam()); ++code) {
    double v = float_from_bits(code, GetParam());
    if (std::isnan(v)) {
      ASSERT_EQ(std::bit_cast<uint64_t>(v), expected) << code;
    }
  }
}

TEST_P(SmallFloat, HighBitsOfThePatternAreIgnored) {
  uint64_t junk = ~uint64_t{0} << (8 * dtype_size(GetParam()));
  for (uint64_t code : {uint64_t{1}, uint64_t{0x35}, uint64_t{0x42}})
    EXPECT_EQ(float_from_bits(junk | code, GetParam()), float_from_bits(code, GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Formats, SmallFloat, testing::ValuesIn(small_floats()), DTypeCaseName());

struct Known {
  DType t;
  uint64_t code;
  double value;
};
class KnownValue : public testing::TestWithParam<Known> {};

TEST_P(KnownValue, DecodesAndEncodes) {
  const Known& k = GetParam();
  EXPECT_EQ(float_from_bits(k.code, k.t), k.value);
  EXPECT_EQ(float_to_bits(k.value, k.t), k.code);
}

const Known kKnown[] = {
    {dtypes::float16, 0x3c00, 1.0},
    {dtypes::float16, 0x7bff, 65504.0},
    {dtypes::float16, 0x0001, 0x1p-24},
    {dtypes::float16, 0x0400, 0x1p-14},
    {dtypes::float16, 0x7c00, kInf},
    {dtypes::float16, 0xfc00, -kInf},
    {dtypes::float16, 0x2e66, 0.0999755859375},
    {dtypes::bfloat16, 0x3f80, 1.0},
    {dtypes::bfloat16, 0x4049, 3.140625},
    {dtypes::bfloat16, 0x7f7f, 0x1.fep127},
    {dtypes::bfloat16, 0x0001, 0x1p-133},
    {dtypes::bfloat16, 0xff80, -kInf},
    {dtypes::fp8e4m3, 0x38, 1.0},
    {dtypes::fp8e4m3, 0x7e, 448.0},
    {dtypes::fp8e4m3, 0xfe, -448.0},
    {dtypes::fp8e4m3, 0x01, 0x1p-9},
    {dtypes::fp8e4m3, 0x08, 0x1p-6},
    {dtypes::fp8e5m2, 0x3c, 1.0},
    {dtypes::fp8e5m2, 0x7b, 57344.0},
    {dtypes::fp8e5m2, 0x01, 0x1p-16},
    {dtypes::fp8e5m2, 0x7c, kInf},
    {dtypes::fp8e4m3fnuz, 0x40, 1.0},
    {dtypes::fp8e4m3fnuz, 0x7f, 240.0},
    {dtypes::fp8e4m3fnuz, 0x01, 0x1p-10},
    {dtypes::fp8e5m2fnuz, 0x40, 1.0},
    {dtypes::fp8e5m2fnuz, 0x7f, 57344.0},
    {dtypes::fp8e5m2fnuz, 0x01, 0x1p-17},
};

INSTANTIATE_TEST_SUITE_P(Table, KnownValue, testing::ValuesIn(kKnown), [](const auto& info) {
  return std::string(dtype_name(info.param.t)) + "_" + std::to_string(info.param.code);
});

TEST(FloatNaN, HasTheUsualPatterns) {
  EXPECT_EQ(float_to_bits(kNaN, dtypes::fp8e4m3), 0x7fu);
  EXPECT_EQ(float_to_bits(kNaN, dtypes::fp8e5m2), 0x7eu);
  EXPECT_EQ(float_to_bits(kNaN, dtypes::fp8e4m3fnuz), 0x80u);
  EXPECT_EQ(float_to_bits(kNaN, dtypes::fp8e5m2fnuz), 0x80u);
  EXPECT_EQ(float_to_bits(kNaN, dtypes::float16), 0x7e00u);
  EXPECT_EQ(float_to_bits(kNaN, dtypes::bfloat16), 0x7fc0u);
  EXPECT_EQ(float_to_bits(kNaN, dtypes::float32), 0x7fc00000u);
  EXPECT_EQ(float_to_bits(kNaN, dtypes::float64), 0x7ff8000000000000u);
}

TEST(Float32, RoundsAsTheProcessor) {
  uint64_t seed = 20260711;
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  for (int i = 0; i < 20000; ++i) {
    double x = std::bit_cast<double>(random());
    if (std::isnan(x)) continue;
    float f = static_cast<float>(x);
    ASSERT_EQ(float_to_bits(x, dtypes::float32), std::bit_cast<uint32_t>(f)) << x;
    ASSERT_EQ(round_to_float(x, dtypes::float32), static_cast<double>(f)) << x;
  }
}

TEST(Float32, KeepsSubnormalsAndOverflowsToInfinity) {
  EXPECT_EQ(float_to_bits(0x1p-149, dtypes::float32), 1u);
  EXPECT_EQ(round_to_float(0x1p-150, dtypes::float32), 0.0);
  EXPECT_EQ(round_to_float(1e39, dtypes::float32), kInf);
  EXPECT_EQ(float_from_bits(0xffffffff00000001u, dtypes::float32), 0x1p-149);
}

TEST(Float64, IsTheIdentity) {
  for (double x : {0.0, -0.0, 0.1, -1e308, kInf, std::numeric_limits<double>::denorm_min()}) {
    EXPECT_EQ(float_to_bits(x, dtypes::float64), std::bit_cast<uint64_t>(x));
    EXPECT_EQ(std::bit_cast<uint64_t>(round_to_float(x, dtypes::float64)),
              std::bit_cast<uint64_t>(x));
    EXPECT_EQ(float_from_bits(std::bit_cast<uint64_t>(x), dtypes::float64), x);
  }
}

TEST(Float16, RoundsADoubleOnceAndNotThroughFloat32) {
  // 1 + 2^-11 + 2^-40: above the tie, but float32 would drop the last term and then round to even.
  EXPECT_EQ(float_to_bits(1.0 + 0x1p-11 + 0x1p-40, dtypes::float16), 0x3c01u);
  EXPECT_EQ(float_to_bits(1.0 + 0x1p-11, dtypes::float16), 0x3c00u);
}

TEST(Convert, RefusesTypesThatAreNoFloats) {
  EXPECT_THROW(round_to_float(1.0, dtypes::int32), InternalError);
  EXPECT_THROW(round_to_float(kNaN, dtypes::bool_), InternalError);
  EXPECT_THROW(float_to_bits(1.0, DType::Void), InternalError);
  EXPECT_THROW(float_from_bits(1, DType::Index), InternalError);
}

}  // namespace
}  // namespace tg

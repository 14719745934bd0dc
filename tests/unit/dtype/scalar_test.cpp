// Scalars of every dtype: normal form, the cast table of extremes, reinterpretation and memory. The
// reference for casts is C where C defines them, and NumPy on x86-64 for negative floats to
// unsigned types; out of range saturates at 64 bits first.
#include "tg/ir/scalar.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "dtype_cases.h"
#include "tg/error.h"

namespace tg {
namespace {

constexpr int64_t kMin64 = std::numeric_limits<int64_t>::min();
constexpr int64_t kMax64 = std::numeric_limits<int64_t>::max();
constexpr uint64_t kMaxU64 = std::numeric_limits<uint64_t>::max();

class ScalarOf : public testing::TestWithParam<DType> {};

TEST_P(ScalarOf, ZeroAndOneAreExactFromEveryConstructor) {
  for (int v : {0, 1}) {
    Scalar a = Scalar::of_int(v, GetParam());
    EXPECT_EQ(a, Scalar::of_uint(static_cast<uint64_t>(v), GetParam()));
    EXPECT_EQ(a, Scalar::of_double(v, GetParam()));
    EXPECT_EQ(a.as_double(), v);
    EXPECT_EQ(a.truthy(), v == 1);
    EXPECT_EQ(a.dtype(), GetParam());
  }
}

TEST_P(ScalarOf, BitsReadBack) {
  for (int v : {-3, 0, 1, 2, 100}) {
    Scalar a = Scalar::of_int(v, GetParam());
    EXPECT_EQ(Scalar::of_bits(a.bits(), GetParam()), a) << v;
  }
}

TEST_P(ScalarOf, MemoryReadsBack) {
  for (int v : {-3, 0, 1, 2, 100}) {
    Scalar a = Scalar::of_int(v, GetParam());
    EXPECT_EQ(Scalar::from_memory(a.to_memory(), GetParam()), a) << v;
  }
}

TEST_P(ScalarOf, MemoryUsesOnlyTheBytesOfTheElement) {
  int64_t size = dtype_size(GetParam());
  if (size == 8) return;
  EXPECT_EQ(Scalar::of_int(-1, GetParam()).to_memory() >> (8 * size), 0u);
  EXPECT_EQ(Scalar::of_double(-1.5, GetParam()).to_memory() >> (8 * size), 0u);
}

TEST_P(ScalarOf, CastToItselfChangesNothing) {
  Scalar a = Scalar::of_double(1.75, GetParam());
  EXPECT_EQ(a.cast(GetParam()), a);
  EXPECT_EQ(a.bitcast(GetParam()), a);
}

TEST_P(ScalarOf, CastToFloat64AndBackIsExactForSmallIntegers) {
  for (int v = -128; v < 256; ++v) {
    Scalar a = Scalar::of_int(v, GetParam());
    if (is_float(GetParam()) && a.as_double() != v) continue;
    if (GetParam() == dtypes::uint64 && v < 0) continue;
    EXPECT_EQ(a.cast(dtypes::float64).cast(GetParam()), a) << v;
  }
}

TEST_P(ScalarOf, CastToBoolIsWhetherItIsNotZero) {
  EXPECT_EQ(Scalar::of_int(2, GetParam()).cast(dtypes::bool_).bits(), 1u);
  EXPECT_EQ(Scalar::of_int(0, GetParam()).cast(dtypes::bool_).bits(), 0u);
}

INSTANTIATE_TEST_SUITE_P(AllTypes, ScalarOf, testing::ValuesIn(data_dtypes()), DTypeCaseName());

TEST(ScalarInteger, WrapsToTheWidth) {
  EXPECT_EQ(Scalar::of_int(128, dtypes::int8).i64(), -128);
  EXPECT_EQ(Scalar::of_int(255, dtypes::int8).i64(), -1);
  EXPECT_EQ(Scalar::of_int(-1, dtypes::uint8).u64(), 255u);
  EXPECT_EQ(Scalar::of_int(256, dtypes::uint8).u64(), 0u);
  EXPECT_EQ(Scalar::of_int(40000, dtypes::int16).i64(), 40000 - 65536);
  EXPECT_EQ(Scalar::of_int(-1, dtypes::uint16).u64(), 65535u);
  EXPECT_EQ(Scalar::of_int(int64_t{1} << 31, dtypes::int32).i64(), -(int64_t{1} << 31));
  EXPECT_EQ(Scalar::of_int(-1, dtypes::uint32).u64(), 0xffffffffu);
  EXPECT_EQ(Scalar::of_uint(kMaxU64, dtypes::int64).i64(), -1);
  EXPECT_EQ(Scalar::of_int(-1, dtypes::uint64).u64(), kMaxU64);
  EXPECT_EQ(Scalar::of_int(kMin64, DType::Index).i64(), kMin64);
}

TEST(ScalarInteger, Int8AndUInt8WrapForEveryInput) {
  for (int v = -600; v < 600; ++v) {
    EXPECT_EQ(Scalar::of_int(v, dtypes::int8).i64(), static_cast<int8_t>(v)) << v;
    EXPECT_EQ(Scalar::of_int(v, dtypes::uint8).u64(), static_cast<uint8_t>(v)) << v;
  }
}

TEST(ScalarInteger, EqualValuesHaveEqualBits) {
  EXPECT_EQ(Scalar::of_int(255, dtypes::int8), Scalar::of_int(-1, dtypes::int8));
  EXPECT_EQ(Scalar::of_bits(0xff, dtypes::int8), Scalar::of_int(-1, dtypes::int8));
  EXPECT_NE(Scalar::of_int(1, dtypes::int8), Scalar::of_int(1, dtypes::uint8));
}

TEST(ScalarBool, IsZeroOrOne) {
  EXPECT_EQ(Scalar::of_int(-7, dtypes::bool_).bits(), 1u);
  EXPECT_EQ(Scalar::of_double(0.25, dtypes::bool_).bits(), 1u);
  EXPECT_EQ(Scalar::of_double(-0.0, dtypes::bool_).bits(), 0u);
  EXPECT_EQ(Scalar::of_double(kNaN, dtypes::bool_).bits(), 1u);
  EXPECT_EQ(Scalar::from_memory(0x80, dtypes::bool_).bits(), 1u);
  EXPECT_EQ(Scalar::from_memory(0x100, dtypes::bool_).bits(), 0u);
}

TEST(ScalarFloat, RoundsToItsType) {
  EXPECT_EQ(Scalar::of_double(0.1, dtypes::float32).f64(), static_cast<double>(0.1f));
  EXPECT_EQ(Scalar::of_double(1e6, dtypes::float16).f64(), kInf);
  EXPECT_TRUE(std::isnan(Scalar::of_double(1e6, dtypes::fp8e4m3).f64()));
  EXPECT_EQ(Scalar::of_double(17.0, dtypes::fp8e4m3).f64(), 16.0);
  EXPECT_EQ(Scalar::of_double(19.0, dtypes::fp8e4m3).f64(), 20.0);
}

TEST(ScalarFloat, AllNaNsAreEqualAndZerosOfDifferentSignAreNot) {
  for (DType t : {dtypes::float16, dtypes::bfloat16, dtypes::float32, dtypes::float64}) {
    EXPECT_EQ(Scalar::of_double(kNaN, t), Scalar::of_double(-kNaN, t));
    EXPECT_EQ(Scalar::of_bits(0x7ff8000000000123, t), Scalar::of_double(kNaN, t));
    EXPECT_NE(Scalar::of_double(0.0, t), Scalar::of_double(-0.0, t));
  }
}

TEST(ScalarFloat, TruthIsWhetherItIsNotZero) {
  EXPECT_FALSE(Scalar::of_double(-0.0, dtypes::float32).truthy());
  EXPECT_TRUE(Scalar::of_double(kNaN, dtypes::float32).truthy());
  EXPECT_TRUE(Scalar::of_double(1e-40, dtypes::float32).truthy());
  EXPECT_FALSE(Scalar::of_double(1e-60, dtypes::float32).truthy());
}

TEST(ScalarFloat, LargeIntegersAreRoundedOnce) {
  // Just above the midpoint of two bfloat16 neighbours; a double or a float32 on the way would land
  // on the midpoint.
  uint64_t v = (uint64_t{0x101} << 55) + 1;
  EXPECT_EQ(Scalar::of_uint(v, dtypes::bfloat16).f64(), std::ldexp(0x102, 55));
  EXPECT_EQ(Scalar::of_uint(v - 1, dtypes::bfloat16).f64(), std::ldexp(0x100, 55));
  EXPECT_EQ(Scalar::of_int(-static_cast<int64_t>(v >> 1) - 1, dtypes::bfloat16).f64(),
            -std::ldexp(0x102, 54));
}

TEST(ScalarFloat, IntegersToFloat32AndFloat64AreThoseOfTheProcessor) {
  uint64_t seed = 20261121;
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  for (int i = 0; i < 20000; ++i) {
    uint64_t u = random() >> (random() % 64);
    auto s = static_cast<int64_t>(u);
    ASSERT_EQ(Scalar::of_uint(u, dtypes::float32).f64(), static_cast<float>(u)) << u;
    ASSERT_EQ(Scalar::of_int(s, dtypes::float32).f64(), static_cast<float>(s)) << s;
    ASSERT_EQ(Scalar::of_uint(u, dtypes::float64).f64(), static_cast<double>(u)) << u;
    ASSERT_EQ(Scalar::of_int(s, dtypes::float64).f64(), static_cast<double>(s)) << s;
  }
}

struct CastCase {
  double from;
  int64_t i8, i32, i64;
  uint64_t u8, u32, u64;
};

const CastCase kCasts[] = {
    {0.0, 0, 0, 0, 0, 0, 0},
    {0.99, 0, 0, 0, 0, 0, 0},
    {-0.99, 0, 0, 0, 0, 0, 0},
    {1.99, 1, 1, 1, 1, 1, 1},
    {-1.0, -1, -1, -1, 255, 0xffffffffu, kMaxU64},
    {-1.99, -1, -1, -1, 255, 0xffffffffu, kMaxU64},
    {127.5, 127, 127, 127, 127, 127, 127},
    {128.0, -128, 128, 128, 128, 128, 128},
    {300.0, 44, 300, 300, 44, 300, 300},
    {-129.0, 127, -129, -129, 127, 0xffffff7fu, kMaxU64 - 128},
    {4294967296.0, 0, 0, 4294967296, 0, 0, 4294967296u},
    {-2147483649.0, -1, 2147483647, -2147483649, 255, 2147483647u, kMaxU64 - 2147483648u},
    {9223372036854774784.0, 0, -1024, 9223372036854774784, 0, 0xfffffc00u, 9223372036854774784u},
    {9223372036854775808.0, -1, -1, kMax64, 0, 0, 9223372036854775808u},
    {18446744073709551616.0, -1, -1, kMax64, 255, 0xffffffffu, kMaxU64},
    {-9223372036854775808.0, 0, 0, kMin64, 0, 0, 9223372036854775808u},
    {1e300, -1, -1, kMax64, 255, 0xffffffffu, kMaxU64},
    {-1e300, 0, 0, kMin64, 0, 0, 9223372036854775808u},
    {kInf, -1, -1, kMax64, 255, 0xffffffffu, kMaxU64},
    {-kInf, 0, 0, kMin64, 0, 0, 9223372036854775808u},
    {kNaN, 0, 0, 0, 0, 0, 0},
};

class CastFromDouble : public testing::TestWithParam<CastCase> {};

TEST_P(CastFromDouble, TruncatesSaturatesThenWraps) {
  const CastCase& c = GetParam();
  Scalar s = Scalar::of_double(c.from, dtypes::float64);
  EXPECT_EQ(s.cast(dtypes::int8).i64(), c.i8);
  EXPECT_EQ(s.cast(dtypes::int32).i64(), c.i32);
  EXPECT_EQ(s.cast(dtypes::int64).i64(), c.i64);
  EXPECT_EQ(s.cast(DType::Index).i64(), c.i64);
  EXPECT_EQ(s.cast(dtypes::uint8).u64(), c.u8);
  EXPECT_EQ(s.cast(dtypes::uint32).u64(), c.u32);
  EXPECT_EQ(s.cast(dtypes::uint64).u64(), c.u64);
}

INSTANTIATE_TEST_SUITE_P(Extremes, CastFromDouble, testing::ValuesIn(kCasts));

TEST(ScalarCast, IntegersToIntegersWrap) {
  EXPECT_EQ(Scalar::of_int(-1, dtypes::int8).cast(dtypes::uint64).u64(), kMaxU64);
  EXPECT_EQ(Scalar::of_uint(255, dtypes::uint8).cast(dtypes::int8).i64(), -1);
  EXPECT_EQ(Scalar::of_uint(kMaxU64, dtypes::uint64).cast(dtypes::int32).i64(), -1);
  EXPECT_EQ(Scalar::of_int(kMin64, dtypes::int64).cast(dtypes::int16).i64(), 0);
}

TEST(ScalarCast, UnsignedToFloatDoesNotBecomeNegative) {
  EXPECT_EQ(Scalar::of_uint(kMaxU64, dtypes::uint64).cast(dtypes::float64).f64(),
            18446744073709551616.0);
  EXPECT_EQ(Scalar::of_uint(kMaxU64, dtypes::uint64).as_double(), 18446744073709551616.0);
  EXPECT_EQ(Scalar::of_int(-1, dtypes::int64).cast(dtypes::float32).f64(), -1.0);
}

TEST(ScalarCast, BetweenFloatsRoundsToTheTarget) {
  Scalar third = Scalar::of_double(1.0 / 3, dtypes::float64);
  EXPECT_EQ(third.cast(dtypes::float32).f64(), static_cast<double>(1.0f / 3));
  EXPECT_EQ(third.cast(dtypes::float16).f64(), 0.333251953125);
  EXPECT_EQ(third.cast(dtypes::bfloat16).f64(), 0.333984375);
  EXPECT_EQ(Scalar::of_double(kInf, dtypes::float32).cast(dtypes::fp8e5m2).f64(), kInf);
  EXPECT_TRUE(std::isnan(Scalar::of_double(kInf, dtypes::float32).cast(dtypes::fp8e4m3).f64()));
  EXPECT_TRUE(std::isnan(Scalar::of_double(kNaN, dtypes::float16).cast(dtypes::float64).f64()));
}

TEST(ScalarBitcast, ReadsTheSameMemory) {
  EXPECT_EQ(Scalar::of_double(1.0, dtypes::float32).bitcast(dtypes::int32).i64(), 0x3f800000);
  EXPECT_EQ(Scalar::of_int(0x3f800000, dtypes::int32).bitcast(dtypes::float32).f64(), 1.0);
  EXPECT_EQ(Scalar::of_double(-2.0, dtypes::float16).bitcast(dtypes::uint16).u64(), 0xc000u);
  EXPECT_EQ(Scalar::of_double(-2.0, dtypes::float16).bitcast(dtypes::int16).i64(), 0xc000 - 65536);
  EXPECT_EQ(Scalar::of_double(1.0, dtypes::float64).bitcast(dtypes::uint64).u64(),
            0x3ff0000000000000u);
  EXPECT_EQ(Scalar::of_int(-1, dtypes::int8).bitcast(dtypes::uint8).u64(), 255u);
  EXPECT_EQ(Scalar::of_double(1.0, dtypes::fp8e4m3).bitcast(dtypes::fp8e5m2).f64(), 0.5);
}

std::string bitcast_message(Scalar s, DType t) {
  try {
    s.bitcast(t);
  } catch (const DTypeError& e) {
    return e.what();
  }
  return "no DTypeError";
}

TEST(ScalarBitcast, RefusesAnotherSize) {
  EXPECT_EQ(bitcast_message(Scalar::of_double(1, dtypes::float32), dtypes::int64),
            "bitcast: element sizes differ: float32 has 4 bytes, int64 has 8. "
            "Hint: use cast to convert values.");
}

TEST(ScalarBitcast, RefusesTypesWithoutMemory) {
  EXPECT_EQ(bitcast_message(Scalar::of_int(1, DType::Index), dtypes::int64),
            "bitcast: void and index have no bits in memory: index to int64.");
  EXPECT_EQ(bitcast_message(Scalar::of_int(1, dtypes::int64), DType::Void),
            "bitcast: void and index have no bits in memory: int64 to void.");
}

TEST(ScalarMemory, EveryPatternOfTheSmallTypesReadsBack) {
  for (DType t : data_dtypes()) {
    if (dtype_size(t) > 2 || is_bool(t)) continue;
    for (uint64_t raw = 0; raw < uint64_t{1} << (8 * dtype_size(t)); ++raw) {
      Scalar s = Scalar::from_memory(raw, t);
      if (is_float(t) && std::isnan(s.f64())) continue;
      ASSERT_EQ(s.to_memory(), raw) << dtype_name(t);
    }
  }
}

TEST(ScalarMemory, HighBytesAreIgnored) {
  EXPECT_EQ(Scalar::from_memory(0xffff01, dtypes::uint8).u64(), 1u);
  EXPECT_EQ(Scalar::from_memory(0xff0000003f800000, dtypes::float32).f64(), 1.0);
}

TEST(ScalarVoid, HasNoValue) {
  EXPECT_THROW(Scalar::of_int(0, DType::Void), InternalError);
  EXPECT_THROW(Scalar::of_bits(0, DType::Void), InternalError);
  EXPECT_EQ(Scalar().dtype(), DType::Void);
  EXPECT_FALSE(Scalar().truthy());
  EXPECT_EQ(Scalar().to_memory(), 0u);
}

}  // namespace
}  // namespace tg

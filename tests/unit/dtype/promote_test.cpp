// The promotion lattice: its laws over all pairs and triples, and the table itself. The reference
// is JAX's table as tinygrad uses it, with two pairs settled so that the order of operands never
// matters: int64 with uint64, and fp8 with bfloat16.
#include <gtest/gtest.h>

#include <string>

#include "dtype_cases.h"
#include "tg/dtype.h"
#include "tg/error.h"

namespace tg {
namespace {

class PromoteEach : public testing::TestWithParam<DType> {};

TEST_P(PromoteEach, WithItselfIsItself) { EXPECT_EQ(promote(GetParam(), GetParam()), GetParam()); }

TEST_P(PromoteEach, DoesNotDependOnTheOrderOfTwo) {
  for (DType b : data_dtypes())
    EXPECT_EQ(promote(GetParam(), b), promote(b, GetParam())) << dtype_name(b);
}

TEST_P(PromoteEach, DoesNotDependOnTheGroupingOfThree) {
  DType a = GetParam();
  for (DType b : data_dtypes())
    for (DType c : data_dtypes())
      EXPECT_EQ(promote(promote(a, b), c), promote(a, promote(b, c)))
          << dtype_name(a) << " " << dtype_name(b) << " " << dtype_name(c);
}

TEST_P(PromoteEach, IsAnUpperBound) {
  for (DType b : data_dtypes()) {
    DType join = promote(GetParam(), b);
    EXPECT_EQ(promote(join, b), join) << dtype_name(b);
  }
}

TEST_P(PromoteEach, WithBoolIsItself) { EXPECT_EQ(promote(GetParam(), dtypes::bool_), GetParam()); }

TEST_P(PromoteEach, WithFloat64IsFloat64) {
  EXPECT_EQ(promote(GetParam(), dtypes::float64), dtypes::float64);
}

TEST_P(PromoteEach, AnyIntegerWithAFloatIsTheFloat) {
  if (is_float(GetParam())) {
    for (DType b : data_dtypes()) {
      if (!is_float(b)) {
        EXPECT_EQ(promote(GetParam(), b), GetParam()) << dtype_name(b);
      }
    }
  } else {
    for (DType b : float_dtypes()) EXPECT_EQ(promote(GetParam(), b), b) << dtype_name(b);
  }
}

INSTANTIATE_TEST_SUITE_P(AllTypes, PromoteEach, testing::ValuesIn(data_dtypes()), DTypeCaseName());

struct Pair {
  DType a, b, join;
};
class PromotePair : public testing::TestWithParam<Pair> {};

TEST_P(PromotePair, MeetsAsInTheTable) {
  EXPECT_EQ(dtype_name(promote(GetParam().a, GetParam().b)), dtype_name(GetParam().join));
}

const Pair kPairs[] = {
    {dtypes::int8, dtypes::uint8, dtypes::int16},
    {dtypes::int8, dtypes::uint16, dtypes::int32},
    {dtypes::int8, dtypes::uint32, dtypes::int64},
    {dtypes::int8, dtypes::uint64, dtypes::uint64},
    {dtypes::int16, dtypes::uint8, dtypes::int16},
    {dtypes::int16, dtypes::uint16, dtypes::int32},
    {dtypes::int16, dtypes::uint32, dtypes::int64},
    {dtypes::int32, dtypes::uint8, dtypes::int32},
    {dtypes::int32, dtypes::uint16, dtypes::int32},
    {dtypes::int32, dtypes::uint32, dtypes::int64},
    {dtypes::int32, dtypes::int64, dtypes::int64},
    {dtypes::uint8, dtypes::uint16, dtypes::uint16},
    {dtypes::uint32, dtypes::int64, dtypes::int64},
    {dtypes::uint32, dtypes::uint64, dtypes::uint64},
    {dtypes::int64, dtypes::uint64, dtypes::uint64},
    {dtypes::fp8e4m3, dtypes::fp8e5m2, dtypes::float16},
    {dtypes::fp8e4m3, dtypes::fp8e4m3fnuz, dtypes::float16},
    {dtypes::fp8e5m2, dtypes::fp8e5m2fnuz, dtypes::float16},
    {dtypes::fp8e4m3, dtypes::float16, dtypes::float16},
    {dtypes::fp8e5m2, dtypes::bfloat16, dtypes::float32},
    {dtypes::float16, dtypes::bfloat16, dtypes::float32},
    {dtypes::float16, dtypes::float32, dtypes::float32},
    {dtypes::bfloat16, dtypes::float32, dtypes::float32},
    {dtypes::int64, dtypes::float16, dtypes::float16},
    {dtypes::uint64, dtypes::bfloat16, dtypes::bfloat16},
    {dtypes::bool_, dtypes::fp8e4m3, dtypes::fp8e4m3},
};

INSTANTIATE_TEST_SUITE_P(Table, PromotePair, testing::ValuesIn(kPairs), [](const auto& info) {
  return std::string(dtype_name(info.param.a)) + "_" + std::string(dtype_name(info.param.b));
});

template <typename F>
std::string message_of(F f) {
  try {
    f();
  } catch (const DTypeError& e) {
    return e.what();
  }
  return "no DTypeError";
}

TEST(PromoteRefuses, VoidAndIndexOnEitherSide) {
  for (DType t : data_dtypes()) {
    EXPECT_EQ(message_of([&] { promote(t, DType::Void); }),
              "promote: void holds no data and cannot be promoted.");
    EXPECT_EQ(message_of([&] { promote(DType::Index, t); }),
              "promote: index holds no data and cannot be promoted.");
  }
}

TEST(PromoteRefuses, WeakScalarsWithVoidAndIndex) {
  EXPECT_EQ(message_of([] { promote_weak(DType::Void, false); }),
            "promote_weak: void holds no data and cannot be promoted.");
  EXPECT_EQ(message_of([] { promote_weak(DType::Index, true); }),
            "promote_weak: index holds no data and cannot be promoted.");
}

class PromoteWeakEach : public testing::TestWithParam<DType> {};

TEST_P(PromoteWeakEach, AnIntegerScalarWidensOnlyBool) {
  EXPECT_EQ(promote_weak(GetParam(), false), is_bool(GetParam()) ? dtypes::int32 : GetParam());
}

TEST_P(PromoteWeakEach, AFloatScalarKeepsFloatsAndTurnsTheRestToFloat32) {
  EXPECT_EQ(promote_weak(GetParam(), true), is_float(GetParam()) ? GetParam() : dtypes::float32);
}

INSTANTIATE_TEST_SUITE_P(AllTypes, PromoteWeakEach, testing::ValuesIn(data_dtypes()),
                         DTypeCaseName());

}  // namespace
}  // namespace tg

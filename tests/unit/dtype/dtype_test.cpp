// Names, sizes and kinds of the element types, and the derived dtypes of sums and transcendental
// functions.
#include "tg/dtype.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "dtype_cases.h"
#include "tg/error.h"

namespace tg {
namespace {

TEST(DTypeNames, EveryNameReadsBack) {
  for (int i = 0; i < kNumDTypes; ++i) {
    auto t = static_cast<DType>(i);
    EXPECT_EQ(parse_dtype(dtype_name(t)), t) << dtype_name(t);
  }
}

TEST(DTypeNames, NoTwoTypesShareAName) {
  std::set<std::string_view> names;
  for (int i = 0; i < kNumDTypes; ++i) names.insert(dtype_name(static_cast<DType>(i)));
  EXPECT_EQ(names.size(), static_cast<size_t>(kNumDTypes));
}

TEST(DTypeNames, TheNamesAreTinygrads) {
  EXPECT_EQ(dtype_name(dtypes::bool_), "bool");
  EXPECT_EQ(dtype_name(dtypes::uint16), "uint16");
  EXPECT_EQ(dtype_name(dtypes::fp8e4m3fnuz), "fp8e4m3fnuz");
  EXPECT_EQ(dtype_name(dtypes::bfloat16), "bfloat16");
  EXPECT_EQ(dtype_name(DType::Void), "void");
  EXPECT_EQ(dtype_name(DType::Index), "index");
}

TEST(DTypeNames, AliasesAreAccepted) {
  EXPECT_EQ(parse_dtype("half"), dtypes::float16);
  EXPECT_EQ(parse_dtype("float"), dtypes::float32);
  EXPECT_EQ(parse_dtype("double"), dtypes::float64);
  EXPECT_EQ(parse_dtype("char"), dtypes::int8);
  EXPECT_EQ(parse_dtype("uchar"), dtypes::uint8);
  EXPECT_EQ(parse_dtype("short"), dtypes::int16);
  EXPECT_EQ(parse_dtype("ushort"), dtypes::uint16);
  EXPECT_EQ(parse_dtype("int"), dtypes::int32);
  EXPECT_EQ(parse_dtype("uint"), dtypes::uint32);
  EXPECT_EQ(parse_dtype("long"), dtypes::int64);
  EXPECT_EQ(parse_dtype("ulong"), dtypes::uint64);
}

TEST(DTypeNames, UnknownNamesAreEmpty) {
  for (const char* name : {"", "float33", "Float32", "int ", " int", "fp8", "bool_", "int3"})
    EXPECT_FALSE(parse_dtype(name).has_value()) << name;
}

TEST(DTypeSizes, AreThoseOfMemory) {
  const int expected[kNumDTypes] = {0, 0, 1, 1, 1, 2, 2, 4, 4, 8, 8, 1, 1, 1, 1, 2, 2, 4, 8};
  for (int i = 0; i < kNumDTypes; ++i)
    EXPECT_EQ(dtype_size(static_cast<DType>(i)), expected[i]) << dtype_name(static_cast<DType>(i));
}

TEST(DTypeKinds, ThereAreEightFloatsEightStoredIntegersAndBool) {
  int floats = 0, ints = 0, unsigned_ints = 0, bools = 0;
  for (DType t : data_dtypes()) {
    floats += is_float(t);
    ints += is_int(t);
    unsigned_ints += is_unsigned(t);
    bools += is_bool(t);
    EXPECT_EQ(is_float(t) + is_int(t) + is_bool(t), 1) << dtype_name(t);
    EXPECT_TRUE(!is_unsigned(t) || is_int(t)) << dtype_name(t);
  }
  EXPECT_EQ(floats, 8);
  EXPECT_EQ(ints, 8);
  EXPECT_EQ(unsigned_ints, 4);
  EXPECT_EQ(bools, 1);
}

TEST(DTypeKinds, IndexIsASignedInteger) {
  EXPECT_TRUE(is_int(DType::Index));
  EXPECT_FALSE(is_unsigned(DType::Index));
}

TEST(DTypeKinds, VoidIsNothing) {
  EXPECT_FALSE(is_int(DType::Void) || is_float(DType::Void) || is_bool(DType::Void));
}

TEST(LeastFloat, KeepsFloatsAndTurnsTheRestToFloat32) {
  for (DType t : data_dtypes())
    EXPECT_EQ(least_float(t), is_float(t) ? t : dtypes::float32) << dtype_name(t);
}

TEST(DefaultFloat, IsWhatIntegersBecome) {
  EXPECT_EQ(set_default_float(DType::Float16), DType::Float32);
  EXPECT_EQ(default_float(), DType::Float16);
  EXPECT_EQ(least_float(DType::Int64), DType::Float16);
  EXPECT_EQ(least_float(DType::Float64), DType::Float64);
  EXPECT_EQ(promote_weak(DType::Int8, true), DType::Float16);
  EXPECT_THROW(set_default_float(DType::Int32), DTypeError);
  EXPECT_EQ(set_default_float(DType::Float32), DType::Float16);
}

TEST(SumDType, WidensSmallIntegersTo32Bits) {
  EXPECT_EQ(sum_dtype(dtypes::bool_), dtypes::int32);
  EXPECT_EQ(sum_dtype(dtypes::int8), dtypes::int32);
  EXPECT_EQ(sum_dtype(dtypes::int16), dtypes::int32);
  EXPECT_EQ(sum_dtype(dtypes::int32), dtypes::int32);
  EXPECT_EQ(sum_dtype(dtypes::uint8), dtypes::uint32);
  EXPECT_EQ(sum_dtype(dtypes::uint16), dtypes::uint32);
  EXPECT_EQ(sum_dtype(dtypes::uint32), dtypes::uint32);
}

TEST(SumDType, KeepsWideIntegersAndFloats) {
  EXPECT_EQ(sum_dtype(dtypes::int64), dtypes::int64);
  EXPECT_EQ(sum_dtype(dtypes::uint64), dtypes::uint64);
  for (DType t : data_dtypes()) {
    if (is_float(t)) {
      EXPECT_EQ(sum_dtype(t), t) << dtype_name(t);
    }
  }
}

TEST(SumDType, IsIdempotent) {
  for (DType t : data_dtypes()) EXPECT_EQ(sum_dtype(sum_dtype(t)), sum_dtype(t)) << dtype_name(t);
}

}  // namespace
}  // namespace tg

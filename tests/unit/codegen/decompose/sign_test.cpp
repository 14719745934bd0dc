// Which values are certain to be at most 0, and that the exponential of such is as accurate as any.
#include "codegen/decompose/sign.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "codegen/decompose/decompose.h"
#include "codegen/decompose/math.h"
#include "evaluate.h"

namespace tg::testing {
namespace {

constexpr DType kF32 = DType::Float32;

UOp neg(const UOp& x) { return x * num(x, -1); }
UOp negative(const UOp& x) { return lt(x, num(x, 0)); }

TEST(NeverPositive, AreNegatedSquares) {
  const UOp x = input(0, kF32);
  EXPECT_TRUE(is_never_positive(neg(x * x)));
  EXPECT_TRUE(is_never_positive((x * x) * num(x, -0.5)));
  EXPECT_TRUE(is_never_positive(neg((x * x) * num(x, 3))));
}
TEST(NeverPositive, AreNegatedMagnitudes) {
  const UOp x = input(0, kF32);
  EXPECT_TRUE(is_never_positive(where(negative(x), x, neg(x))));
  EXPECT_TRUE(is_never_positive(neg(where(negative(x), neg(x), x))));
  EXPECT_TRUE(is_never_positive(where(negative(x), x, neg(x)) * num(x, 2)));
}
TEST(NeverPositive, AreNotNumbersOfUnknownSign) {
  const UOp x = input(0, kF32), y = input(1, kF32);
  for (const UOp& u :
       {x, neg(x), x * x, x * y, neg(x * y), (x * x) * num(x, 0), where(negative(x), neg(x), x),
        where(negative(y), x, neg(x)), neg(where(negative(x), x, neg(x))),
        where(lt(x, num(x, 1)), x, neg(x)), where(negative(x), x, neg(x)) * num(x, -1)}) {
    EXPECT_FALSE(is_never_positive(u));
  }
}

// [4, 8] with each element's distance from the maximum of its row or of all.
struct Rows {
  UOp i = range(4, 0), j = range(8, 1), k = range(8, 2), l = range(4, 3), shorter = range(7, 4);
  UOp at(const UOp& row, const UOp& column) const {
    return load(param(1, {4, 8}, kF32), std::vector<UOp>{row, column});
  }
  UOp maximum(const UOp& v, std::vector<UOp> over) const {
    std::vector<UOp> src = {v};
    src.insert(src.end(), over.begin(), over.end());
    return make(Op::Reduce, src, {{static_cast<int64_t>(ReduceOp::Max)}});
  }
};

TEST(NeverPositive, AreDistancesFromTheMaximumOfARow) {
  const Rows r;
  const UOp row = r.maximum(r.at(r.i, r.k), {r.k});
  EXPECT_TRUE(is_never_positive(r.at(r.i, r.j) - row));
  EXPECT_TRUE(is_never_positive(neg(row) + r.at(r.i, r.j)));
  const UOp scaled = r.maximum(r.at(r.i, r.k) * num(row, 3), {r.k});
  EXPECT_TRUE(is_never_positive(r.at(r.i, r.j) * num(row, 3) - scaled));
}
TEST(NeverPositive, AreDistancesFromTheMaximumOfAll) {
  const Rows r;
  const UOp all = r.maximum(r.at(r.l, r.k), {r.l, r.k});
  EXPECT_TRUE(is_never_positive(r.at(r.i, r.j) - all));
}
TEST(NeverPositive, AreNotDistancesFromAnotherMaximum) {
  const Rows r;
  const UOp row = r.maximum(r.at(r.i, r.k), {r.k});
  EXPECT_FALSE(is_never_positive(row - r.at(r.i, r.j)));
  EXPECT_FALSE(is_never_positive(r.at(r.l, r.j) - row));
  EXPECT_FALSE(is_never_positive(r.at(r.i, r.j) * num(row, 2) - row));
  const UOp part = r.maximum(r.at(r.i, r.shorter), {r.shorter});
  EXPECT_FALSE(is_never_positive(r.at(r.i, r.j) - part));
  const UOp sum = make(Op::Reduce, {r.at(r.i, r.k), r.k}, {{static_cast<int64_t>(ReduceOp::Add)}});
  EXPECT_FALSE(is_never_positive(r.at(r.i, r.j) - sum));
}

template <typename T>
double plain_ulps(T got, long double want) {
  const int lowest = std::numeric_limits<T>::min_exponent - std::numeric_limits<T>::digits;
  const int exponent = std::max(std::ilogb(want) - (std::numeric_limits<T>::digits - 1), lowest);
  return static_cast<double>(std::fabs(static_cast<long double>(got) - want) /
                             std::ldexp(1.0L, exponent));
}

class FallingExponential : public ::testing::TestWithParam<DType> {};

TEST_P(FallingExponential, IsAsAccurateAsAnyOther) {
  const UOp x = input(0, GetParam());
  const bool single = GetParam() == kF32;
  const UOp minus = where(negative(x), x, neg(x));
  Evaluator e(exp_polynomial(minus)), two(exp2_polynomial(minus)), general(exp_polynomial(x));
  EXPECT_LT(e.size(), general.size() + 3) << "no op was saved";
  constexpr uint64_t kSeed = 23;
  std::mt19937_64 rng(kSeed);
  for (int i = 0; i < 20000; ++i) {
    const double depth = single ? 106 : 760;  // denormal results and zero included
    const Scalar v = Scalar::of_double(
        std::ldexp(static_cast<double>(static_cast<int64_t>(rng())), -63) * depth, GetParam());
    const auto a = -std::fabs(static_cast<long double>(v.f64()));
    const double bound = single ? 2 : 4;
    auto check = [&](double got, long double want) {
      ASSERT_LE(single ? plain_ulps(static_cast<float>(got), want) : plain_ulps(got, want), bound)
          << v.f64() << ", seed " << kSeed;
    };
    check(e({v}).f64(), std::exp(a));
    check(two({v}).f64(), std::exp2(a));
  }
}
TEST_P(FallingExponential, HasTheSpecialValuesOfTheOther) {
  const UOp x = input(0, GetParam());
  Evaluator e(exp_polynomial(where(negative(x), x, neg(x))));
  auto at = [&](double v) { return e({Scalar::of_double(v, GetParam())}).f64(); };
  EXPECT_EQ(at(0.0), 1);
  EXPECT_EQ(at(-0.0), 1);
  EXPECT_EQ(at(INFINITY), 0);
  EXPECT_EQ(at(-INFINITY), 0);
  EXPECT_EQ(at(1e30), 0);
  EXPECT_TRUE(std::isnan(at(NAN)));
}
// A number too small to be normal interrupts many processors, for a hundred cycles and more.
TEST_P(FallingExponential, MeetsNoSmallNumbersOnTheWayToZero) {
  const UOp x = input(0, GetParam());
  const UOp minus = where(negative(x), x, neg(x));
  for (const UOp& y : {exp_polynomial(minus), exp2_polynomial(minus), exp_polynomial(x),
                       exp2_polynomial(x)}) {
    Evaluator e(y);
    for (const double v : {-HUGE_VAL, -1e30, -1e4, -1100.0, -80.0, -1.0, 0.0}) {
      const Scalar at = Scalar::of_double(v, GetParam());
      const double result = e({at}).f64();
      EXPECT_EQ(e.underflows(), 0) << v;
      EXPECT_EQ(result == 0, v < -1000) << v;
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Floats, FallingExponential, ::testing::Values(kF32, DType::Float64),
                         [](const auto& info) { return std::string(dtype_name(info.param)); });

}  // namespace
}  // namespace tg::testing

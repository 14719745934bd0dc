// Compositions that the decompositions know: recognised in each spelling, and no others; and as
// accurate as the functions that they are.
#include "codegen/decompose/compositions.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <numbers>
#include <random>

#include "codegen/decompose/decompose.h"
#include "codegen/decompose/math.h"
#include "evaluate.h"

namespace tg::testing {
namespace {

constexpr double kHalfPi = std::numbers::pi / 2;

Target full_target() {
  Target t = plain_target();
  t.ops.set();
  return t;
}
UOp exp_of(const UOp& x) { return exp2(x * num(x, std::numbers::log2e)); }
UOp cos_of(const UOp& x) { return sin(num(x, kHalfPi) - x); }

class Compositions : public ::testing::TestWithParam<DType> {
 protected:
  UOp x = input(0, GetParam());
};

TEST_P(Compositions, ExpIsKnownOnEveryTarget) {
  EXPECT_EQ(decompose(exp_of(x), plain_target()), exp_polynomial(x));
  EXPECT_EQ(decompose(exp_of(x), full_target()), exp_polynomial(x));
}
TEST_P(Compositions, ExpIsKnownWithItsFactorsExchanged) {
  EXPECT_EQ(decompose(exp2(num(x, std::numbers::log2e) * x), plain_target()), exp_polynomial(x));
}
TEST_P(Compositions, CosineIsKnownOnEveryTarget) {
  EXPECT_EQ(decompose(cos_of(x), plain_target()), cos_polynomial(x, plain_target()));
  EXPECT_EQ(decompose(cos_of(x), full_target()), cos_polynomial(x, full_target()));
}
TEST_P(Compositions, CosineIsKnownWithItsTermsExchanged) {
  EXPECT_EQ(decompose(sin(num(x, -1) * x + num(x, kHalfPi)), plain_target()),
            cos_polynomial(x, plain_target()));
  EXPECT_EQ(decompose(sin(x * num(x, -1) + num(x, kHalfPi)), plain_target()),
            cos_polynomial(x, plain_target()));
}
TEST_P(Compositions, TheCosineOfAComplementIsTheSine) {
  const UOp u = num(x, kHalfPi) - x;
  EXPECT_EQ(decompose(cos_of(u), plain_target()), sin_polynomial(x, plain_target()));
  EXPECT_EQ(decompose(cos_of(u), full_target()), sin(x));
}
TEST_P(Compositions, OtherConstantsAreLeftAlone) {
  for (const UOp& u : {exp2(x * num(x, 1.4)), exp2(x + num(x, std::numbers::log2e)),
                       sin(num(x, 1.5) - x), sin(x + num(x, kHalfPi))}) {
    EXPECT_EQ(decompose(u, full_target()), u);
  }
}
TEST_P(Compositions, MagnitudesAreBitsWithoutTheSign) {
  const UOp spelled = maximum(x, x * num(x, -1)) + num(x, 0.0);
  EXPECT_EQ(decompose(spelled, plain_target()), magnitude(x));
  EXPECT_EQ(decompose(spelled, full_target()), magnitude(x));
  EXPECT_EQ(decompose(maximum(num(x, -1) * x, x) + num(x, 0.0), full_target()), magnitude(x));
  const UOp other = maximum(x, x * num(x, -2)) + num(x, 0.0);
  EXPECT_EQ(decompose(other, full_target()), other);
  Evaluator f(magnitude(x));
  for (const double v : {-0.0, 0.0, -2.5, 7.0, -1e-310, -HUGE_VAL, double{NAN}}) {
    const Scalar in = Scalar::of_double(v, GetParam());
    const Scalar out = f({in});
    EXPECT_FALSE(std::signbit(out.f64()));
    EXPECT_EQ(std::isnan(v) ? std::isnan(out.f64()) : out.f64() == std::fabs(in.f64()), true);
  }
}
INSTANTIATE_TEST_SUITE_P(Floats, Compositions, ::testing::Values(DType::Float32, DType::Float64),
                         [](const auto& info) { return std::string(dtype_name(info.param)); });

TEST(Compositions, OfSmallFloatsAreEvaluatedInFloat32) {
  const UOp x = input(0, DType::Float16);
  Evaluator f(decompose(cast(exp_of(cast(x, DType::Float32)), DType::Float16), full_target()));
  EXPECT_EQ(f({Scalar::of_double(3, DType::Float16)}).f64(), 20.078125);
}

// Distance from the exact value in units of the last place of its binade.
double double_ulps(double got, long double want) {
  if (got == static_cast<double>(want)) return 0;
  if (!std::isfinite(got) || !std::isfinite(static_cast<double>(want))) return 1e9;
  const int exponent = std::max(std::ilogb(want) - 52, -1074);
  return static_cast<double>(std::fabs(got - want) / std::ldexp(1.0L, exponent));
}

TEST(Compositions, OfFloat64AreAccurateToFourUlp) {
  const UOp x = input(0, DType::Float64);
  Evaluator e(decompose(exp_of(x), plain_target())), c(decompose(cos_of(x), plain_target()));
  constexpr uint64_t kSeed = 17;
  std::mt19937_64 rng(kSeed);
  for (int i = 0; i < 20000; ++i) {
    const double small = std::ldexp(static_cast<double>(static_cast<int64_t>(rng())), -63) * 750;
    const double any = std::bit_cast<double>(rng());
    ASSERT_LE(double_ulps(e({Scalar::of_double(small, DType::Float64)}).f64(),
                          std::exp(static_cast<long double>(small))),
              4)
        << small << ", seed " << kSeed;
    const double at = i % 2 == 0 ? small : any;
    if (!std::isfinite(at)) continue;
    ASSERT_LE(double_ulps(c({Scalar::of_double(at, DType::Float64)}).f64(),
                          std::cos(static_cast<long double>(at))),
              4)
        << at << ", seed " << kSeed;
  }
}

}  // namespace
}  // namespace tg::testing

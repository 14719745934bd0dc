// Promotion, broadcasting, special values. Ordinary values and gradients: reference_test.cpp.
#if defined(__SSE__)
#include <xmmintrin.h>
#endif

#include <limits>

#include "unit/tensor/support/tensor_test.h"

namespace tg {
namespace {

using namespace testing;

Tensor of(DType t) { return Tensor::ones({2}, t); }

TEST(Promotion, TensorsMeetInTheLattice) {
  EXPECT_EQ((of(DType::Int8) + of(DType::Int32)).dtype(), DType::Int32);
  EXPECT_EQ((of(DType::Int64) + of(DType::Float16)).dtype(), DType::Float16);
  EXPECT_EQ((of(DType::Float16) * of(DType::BFloat16)).dtype(), DType::Float32);
  EXPECT_EQ((of(DType::Bool) + of(DType::UInt8)).dtype(), DType::UInt8);
}
TEST(Promotion, NumbersTakeTheDtypeOfTheirPartner) {
  EXPECT_EQ((of(DType::Int8) + 1).dtype(), DType::Int8);
  EXPECT_EQ((1.5 * of(DType::Float16)).dtype(), DType::Float16);
  EXPECT_EQ((of(DType::Int8) + 1.5).dtype(), DType::Float32);
  EXPECT_EQ((of(DType::Bool) + 1).dtype(), DType::Int32);
  EXPECT_EQ((Tensor(1) + Tensor(2.0)).dtype(), DType::Float32);
}
TEST(Promotion, NumbersKeepTheirPrecisionForDoubles) {
  const Tensor x(Doubles{0});
  EXPECT_EQ((x + 0.1).to_vector<double>()[0], 0.1);
}
TEST(Promotion, DivisionOfIntegersIsAFloat) {
  const Tensor q = Tensor{1, 2} / Tensor{2, 2};
  EXPECT_EQ(q.dtype(), DType::Float32);
  expect_values(q, {2}, {0.5, 1});
}
TEST(Promotion, FunctionsOfIntegersAreFloats) {
  EXPECT_EQ((Tensor{4, 9}.sqrt().dtype()), DType::Float32);
  EXPECT_EQ((Tensor{1, 2}.exp().dtype()), DType::Float32);
  EXPECT_EQ(of(DType::BFloat16).tanh().dtype(), DType::BFloat16);
}
TEST(Promotion, ComparisonsAreBool) {
  EXPECT_EQ((Tensor{1, 2} < 1.5).dtype(), DType::Bool);
  expect_values(Tensor{1, 2} < 1.5, {2}, {1, 0});
}

TEST(Broadcasting, FollowsNumPy) {
  expect_values(Tensor({{1}, {2}}) + Tensor{10, 20, 30}, {2, 3}, {11, 21, 31, 12, 22, 32});
  expect_values(Tensor::zeros({0, 3}) + Tensor::ones({3}), {0, 3}, {});
  expect_values(Tensor::zeros({1}) + Tensor::ones({0}), {0}, {});
}

TEST(Integers, DivideAndTakeRemaindersDownwards) {
  const Tensor a = Tensor{7, -7, 7, -7, 5}, b = Tensor{2, 2, -2, -2, 0};
  expect_values(a.floordiv(b), {5}, {3, -4, -4, 3, 0});
  expect_values(a % b, {5}, {1, 1, -1, -1, 0});
}
TEST(Integers, Wrap) {
  EXPECT_EQ((of(DType::Int8) * 127 + 1).to_vector<int>(), (std::vector<int>{-128, -128}));
  EXPECT_EQ((-of(DType::UInt8)).to_vector<int>(), (std::vector<int>{255, 255}));
}
TEST(Integers, HavePowersByNumbers) {
  expect_values(Tensor{2, -3}.pow(3), {2}, {8, -27});
  expect_values(Tensor{2, 0}.pow(0), {2}, {1, 1});
}
TEST(Integers, HaveBitOperations) {
  const Tensor a = Tensor{12, -1}, b = Tensor{10, 5};
  expect_values(a & b, {2}, {8, 5});
  expect_values(a | b, {2}, {14, -1});
  expect_values(a ^ b, {2}, {6, -6});
  expect_values(~a, {2}, {-13, 0});
  expect_values(a << 2, {2}, {48, -4});
  expect_values(a >> 1, {2}, {6, -1});
}
TEST(Integers, AreTheirOwnRoundings) {
  for (const Tensor& t : {Tensor{1, -2}.floor(), Tensor{1, -2}.ceil(), Tensor{1, -2}.round(),
                          Tensor{1, -2}.trunc()}) {
    EXPECT_EQ(t.dtype(), DType::Int32);
  }
}
TEST(Integers, HaveExtremesAcrossTheirRange) {
  const std::vector<int8_t> v = {-128, 127, 0};
  const Tensor t(v);
  EXPECT_EQ(t.min().item<int>(), -128);
  EXPECT_EQ(t.max().item<int>(), 127);
  EXPECT_EQ(t.argmin().item<int>(), 0);
  EXPECT_EQ(t.minimum(-5).to_vector<int>(), (std::vector<int>{-128, -5, -5}));
}
TEST(Bool, NegationIsNot) { expect_values(-Tensor{true, false}, {2}, {0, 1}); }
TEST(Bool, OperatorsAreLogical) {
  expect_values(!Tensor{1.5f, 0.f}, {2}, {0, 1});
  expect_values(~Tensor{true, false}, {2}, {0, 1});
  expect_values(Tensor{1, 0}.logical_and(2), {2}, {1, 0});
  expect_values(Tensor{1, 0}.logical_or(0), {2}, {1, 0});
}

TEST(SpecialValues, NanPropagatesThroughExtremesAndRelu) {
  const Tensor x(Doubles{kNan, 1, -1});
  expect_values(x.maximum(0), {3}, {kNan, 1, 0});
  expect_values(x.minimum(0), {3}, {kNan, 0, -1});
  expect_values(x.relu(), {3}, {kNan, 1, 0});
  expect_values(x.clip(-0.5, 0.5), {3}, {kNan, 0.5, -0.5});
  expect_values(x.sign(), {3}, {kNan, 1, -1});
}
TEST(SpecialValues, AreRecognised) {
  const Tensor x(Doubles{kNan, kInf, -kInf, 0});
  expect_values(x.isnan(), {4}, {1, 0, 0, 0});
  expect_values(x.isinf(), {4}, {0, 1, 1, 0});
  expect_values(x.isfinite(), {4}, {0, 0, 0, 1});
  expect_values(Tensor{1, 2}.isfinite(), {2}, {1, 1});
  expect_values(Tensor{1, 2}.isnan(), {2}, {0, 0});
}
TEST(SpecialValues, ComparisonsWithNanAreFalseButForNotEqual) {
  const Tensor n(Doubles{kNan});
  for (const Tensor& t : {n<1, n <= 1, n> 1, n >= 1, n == n}) expect_values(t, {1}, {0});
  expect_values(n != n, {1}, {1});
}
TEST(SpecialValues, ActivationsEndWhereTheyShould) {
  const Tensor x(Doubles{-kInf, kInf});
  expect_values(x.sigmoid(), {2}, {0, 1});
  expect_values(x.tanh(), {2}, {-1, 1});
  expect_values(x.softplus(), {2}, {0, kInf});
  expect_values(x.exp(), {2}, {0, kInf});
}
TEST(SpecialValues, SlopesOfActivationsAreFiniteFarOut) {
  for (const auto& f : std::vector<std::function<Tensor(const Tensor&)>>{
           [](const Tensor& t) { return t.sigmoid(); }, [](const Tensor& t) { return t.tanh(); },
           [](const Tensor& t) { return t.softplus(); }, [](const Tensor& t) { return t.silu(); },
           [](const Tensor& t) { return t.log_softmax(0); }}) {
    const Tensor x{-1e4f, -100.f, 100.f, 1e4f};
    for (double g : f(x).sum().gradient({x})[0].to_vector<double>())
      EXPECT_TRUE(std::isfinite(g)) << g;
  }
}
TEST(SpecialValues, TanhIsExactNearZero) {
  for (double v : {1e-7, 1e-4, 0.01, 0.3, 0.62, 0.63, 2.0, 9.0}) {
    EXPECT_NEAR(Tensor(std::vector<float>{static_cast<float>(v)}).tanh().item<double>() /
                    std::tanh(static_cast<float>(v)),
                1, 5e-7)
        << v;
    EXPECT_NEAR(Tensor(Doubles{v}).tanh().item<double>() / std::tanh(v), 1, 1e-14) << v;
  }
}
TEST(SpecialValues, PowersOfZeroAndOfNegativeNumbers) {
  const Tensor base(Doubles{0, 0, 0, -2, -2, -2, 2}), e(Doubles{0, 2, -1, 3, 2, 0.5, -1});
  expect_values(base.pow(e), {7}, {1, 0, kInf, -8, 4, kNan, 0.5});
  expect_values(Tensor(Doubles{4, 9}).pow(0.5), {2}, {2, 3});
  expect_values(Tensor(2).pow(Tensor(Doubles{1, 3})), {2}, {2, 8});
}
TEST(SpecialValues, HalvesRoundToTheEvenNeighbour) {
  expect_values(Tensor(Doubles{0.5, 1.5, 2.5, -0.5, -1.5, -2.5, kInf}).round(), {7},
                {0, 2, 2, 0, -2, -2, kInf});
  expect_values(Tensor{8388609.0f}.round(), {1}, {8388609});
}
TEST(SpecialValues, ReluHasSlopeZeroAtZero) {
  const Tensor x{-1.f, 0.f, 1.f};
  expect_values(x.relu().sum().gradient({x})[0], {3}, {0, 0, 1});
}
TEST(SpecialValues, ReluHasSlopeZeroAtZeroWhereDenormalNumbersAreFlushed) {
#if defined(__SSE__)
  class Flushed {
   public:
    Flushed() { _mm_setcsr(before_ | 0x8040); }  // results and operands
    ~Flushed() { _mm_setcsr(before_); }
    Flushed(const Flushed&) = delete;
    Flushed& operator=(const Flushed&) = delete;

   private:
    const unsigned before_ = _mm_getcsr();
  };
  const Tensor x{-1.f, 0.f, 1.f, 0x1p-140f};
  const Tensor slope = x.relu().sum().gradient({x})[0];
  Doubles got;
  {
    const Flushed flushed;
    got = slope.to_vector<double>();
  }
  EXPECT_EQ(got, (Doubles{0, 0, 1, 0}));
  expect_values((x * 1).relu().sum().gradient({x})[0], {4}, {0, 0, 1, 1});
#else
  GTEST_SKIP() << "how denormal numbers are flushed is only known for x86";
#endif
}
TEST(SpecialValues, SmallFloatsComputeInFloat32) {
  const Tensor x = Tensor{3.f}.cast(DType::Float16);
  EXPECT_EQ(x.exp().item<float>(), 20.078125f);
}

TEST(Where, BroadcastsAndPromotesItsBranches) {
  const Tensor t = where(Tensor({{true}, {false}}), Tensor{1, 2}, 0.5);
  EXPECT_EQ(t.dtype(), DType::Float32);
  expect_values(t, {2, 2}, {1, 2, 0.5, 0.5});
}
TEST(Where, MaskedFillReplaces) {
  expect_values(Tensor{1.f, 2.f}.masked_fill(Tensor{true, false}, -1), {2}, {-1, 2});
}

TEST(Cast, TruncatesAndWraps) {
  expect_values(Tensor{2.7f, -2.7f}.cast(DType::Int32), {2}, {2, -2});
  expect_values(Tensor{300}.cast(DType::UInt8), {1}, {44});
  expect_values(Tensor{0.5f, 0.f}.cast(DType::Bool), {2}, {1, 0});
}
TEST(Cast, BitcastKeepsTheBits) {
  EXPECT_EQ(Tensor{1.0f}.bitcast(DType::Int32).item<int32_t>(), 0x3F800000);
}
TEST(Cast, OfAFloatPassesGradients) {
  const Tensor x(Doubles{2});
  expect_values((x.cast(DType::Float32) * 3).sum().gradient({x})[0], {1}, {3});
}

TEST(InPlaceOperators, AreSeenByCopies) {
  Tensor a = Tensor::zeros({2}), b = a;
  a += 2;
  a *= 3;
  a -= 1;
  a /= 5;
  expect_values(b, {2}, {1, 1});
  Tensor c = Tensor{1.f, 2.f} * 2, d = c;
  c += 1;
  expect_values(d, {2}, {3, 5});
}

}  // namespace
}  // namespace tg

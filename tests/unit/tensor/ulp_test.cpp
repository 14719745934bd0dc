// The elementary functions of float32 lie within 2 units of the last place of the exact value,
// sampled over all bit patterns. All of them: the target exhaustive_ulp.
#include "unit/tensor/support/ulp.h"

#include "unit/tensor/support/tensor_test.h"

namespace tg {
namespace {

using namespace testing;

class Ulp : public ::testing::TestWithParam<AccurateFunction> {};

TEST_P(Ulp, IsAtMostTwoOverAllMagnitudes) {
  const WorstUlp w = worst_ulp(GetParam(), 7, 1021, int64_t{1} << 22);
  EXPECT_LE(w.ulp, 2) << "at " << w.at << ", which gives " << w.got;
  RecordProperty("worst_ulp", std::to_string(w.ulp));
}
TEST_P(Ulp, IsAtMostTwoAroundOne) {
  for (float middle : {0.625f, 1.f, 8.f, 80.f}) {
    for (float sign : {1.f, -1.f}) {
      const uint32_t bits = std::bit_cast<uint32_t>(sign * middle);
      const WorstUlp w = worst_ulp(GetParam(), bits - (1u << 22), 8, int64_t{1} << 20);
      EXPECT_LE(w.ulp, 2) << "at " << w.at << ", which gives " << w.got;
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Functions, Ulp, ::testing::ValuesIn(kAccurate),
                         [](const auto& info) { return std::string(info.param.name); });

// What IEEE 754 (and C's annex F) says of the ends, on both devices.
struct SpecialCase {
  const char* name;
  Tensor (*f)(const Tensor&);
  Doubles out;  // of −∞, ∞, NaN, 0, −0
};

// Zeros of both signs are two numbers, all NaNs one.
bool same_ieee(double got, double want) {
  if (std::isnan(want)) return std::isnan(got);
  return got == want && std::signbit(got) == std::signbit(want);
}

void expect_ieee(Tensor (*f)(const Tensor&), const Doubles& in, const Doubles& want) {
  for (const char* device : {"INTERP", "CPU"}) {
    for (DType t : {DType::Float32, DType::Float64}) {
      const auto got = f(Tensor(in, {.device = device}).cast(t)).to_vector<double>();
      for (size_t i = 0; i < in.size(); ++i) {
        EXPECT_TRUE(same_ieee(got[i], want[i]))
            << device << " " << dtype_name(t) << " of " << in[i] << ": " << got[i];
      }
    }
  }
}

class SpecialValue : public ::testing::TestWithParam<SpecialCase> {};

TEST_P(SpecialValue, IsAsIeeeSays) {
  expect_ieee(GetParam().f, {-kInf, kInf, std::nan(""), 0.0, -0.0}, GetParam().out);
}

const SpecialCase kSpecial[] = {
    {"exp", [](const Tensor& x) { return x.exp(); }, {0, kInf, kNan, 1, 1}},
    {"exp2", [](const Tensor& x) { return x.exp2(); }, {0, kInf, kNan, 1, 1}},
    {"log", [](const Tensor& x) { return x.log(); }, {kNan, kInf, kNan, -kInf, -kInf}},
    {"log2", [](const Tensor& x) { return x.log2(); }, {kNan, kInf, kNan, -kInf, -kInf}},
    {"log10", [](const Tensor& x) { return x.log10(); }, {kNan, kInf, kNan, -kInf, -kInf}},
    {"sin", [](const Tensor& x) { return x.sin(); }, {kNan, kNan, kNan, 0, -0.0}},
    {"cos", [](const Tensor& x) { return x.cos(); }, {kNan, kNan, kNan, 1, 1}},
    {"tan", [](const Tensor& x) { return x.tan(); }, {kNan, kNan, kNan, 0, -0.0}},
    {"tanh", [](const Tensor& x) { return x.tanh(); }, {-1, 1, kNan, 0, -0.0}},
    {"sigmoid", [](const Tensor& x) { return x.sigmoid(); }, {0, 1, kNan, 0.5, 0.5}},
    {"erf", [](const Tensor& x) { return x.erf(); }, {-1, 1, kNan, 0, -0.0}},
    {"asinh", [](const Tensor& x) { return x.asinh(); }, {-kInf, kInf, kNan, 0, -0.0}},
    {"acosh", [](const Tensor& x) { return x.acosh(); }, {kNan, kInf, kNan, kNan, kNan}},
    {"atanh", [](const Tensor& x) { return x.atanh(); }, {kNan, kNan, kNan, 0, -0.0}},
    {"sinh", [](const Tensor& x) { return x.sinh(); }, {-kInf, kInf, kNan, 0, -0.0}},
    {"cosh", [](const Tensor& x) { return x.cosh(); }, {kInf, kInf, kNan, 1, 1}},
    {"asin", [](const Tensor& x) { return x.asin(); }, {kNan, kNan, kNan, 0, -0.0}},
    {"sqrt", [](const Tensor& x) { return x.sqrt(); }, {kNan, kInf, kNan, 0, -0.0}},
    {"neg", [](const Tensor& x) { return x.neg(); }, {kInf, -kInf, kNan, -0.0, 0}},
    {"abs", [](const Tensor& x) { return x.abs(); }, {kInf, kInf, kNan, 0, 0}},
    {"relu", [](const Tensor& x) { return x.relu(); }, {0, kInf, kNan, 0, 0}},
    {"reciprocal", [](const Tensor& x) { return x.reciprocal(); }, {-0.0, 0, kNan, kInf, -kInf}},
    {"minus_one_by", [](const Tensor& x) { return -1 / x; }, {0, -0.0, kNan, -kInf, kInf}},
    {"by_minus_three", [](const Tensor& x) { return x / -3; }, {kInf, -kInf, kNan, -0.0, 0}},
    {"times_minus_two", [](const Tensor& x) { return x * -2; }, {kInf, -kInf, kNan, -0.0, 0}},
    {"trunc", [](const Tensor& x) { return x.trunc(); }, {-kInf, kInf, kNan, 0, -0.0}},
    {"floor", [](const Tensor& x) { return x.floor(); }, {-kInf, kInf, kNan, 0, -0.0}},
    {"ceil", [](const Tensor& x) { return x.ceil(); }, {-kInf, kInf, kNan, 0, -0.0}},
    {"round", [](const Tensor& x) { return x.round(); }, {-kInf, kInf, kNan, 0, -0.0}},
    {"zero_times", [](const Tensor& x) { return x * 0; }, {kNan, kNan, kNan, 0, -0.0}},
    {"float16",
     [](const Tensor& x) { return x.cast(DType::Float16); },
     {-kInf, kInf, kNan, 0, -0.0}},
};
INSTANTIATE_TEST_SUITE_P(Functions, SpecialValue, ::testing::ValuesIn(kSpecial),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(SpecialValue, ZerosThatNumbersAreRoundedToHaveTheSignOfTheNumber) {
  const Doubles in = {-0.25, 0.25, -0.5, 0.5, -0.75, 0.75, -1e-30, 1e-30};
  const auto check = [&](Tensor (*f)(const Tensor&), const Doubles& want) {
    expect_ieee(f, in, want);
  };
  check([](const Tensor& x) { return x.trunc(); }, {-0.0, 0, -0.0, 0, -0.0, 0, -0.0, 0});
  check([](const Tensor& x) { return x.ceil(); }, {-0.0, 1, -0.0, 1, -0.0, 1, -0.0, 1});
  check([](const Tensor& x) { return x.floor(); }, {-1, 0, -1, 0, -1, 0, -1, 0});
  check([](const Tensor& x) { return x.round(); }, {-0.0, 0, -0.0, 0, -1, 1, -0.0, 0});
  for (DType t : {DType::Float16, DType::Fp8E4M3, DType::Fp8E5M2}) {
    const Doubles got = Tensor(in).cast(t).to_vector<double>();
    EXPECT_TRUE(got[6] == 0 && std::signbit(got[6])) << dtype_name(t);
    EXPECT_TRUE(got[7] == 0 && !std::signbit(got[7])) << dtype_name(t);
  }
}
TEST(SpecialValue, ZerosOfTwoOperandsHaveTheSignOfTheirProduct) {
  // Of 1, −1, 0 and −0 with each other; copysign looks at the sign of its second operand alone.
  for (const char* device : {"INTERP", "CPU"}) {
    for (double a : {1.0, -1.0, 0.0, -0.0}) {
      for (double b : {1.0, -1.0, 0.0, -0.0}) {
        const Tensor x(Doubles{a}, {.device = device}), y(Doubles{b}, {.device = device});
        EXPECT_TRUE(same_ieee((x * y).item<double>(), a * b)) << device << " " << a << " * " << b;
        EXPECT_TRUE(same_ieee((x / y).item<double>(), a / b)) << device << " " << a << " / " << b;
        EXPECT_TRUE(same_ieee((x + y).item<double>(), a + b)) << device << " " << a << " + " << b;
        EXPECT_TRUE(same_ieee(x.copysign(y).item<double>(), std::copysign(a, b)))
            << device << " sign of " << b << " for " << a;
      }
    }
  }
}

TEST(SpecialValue, AtanEndsAtAQuarterTurn) {
  const Tensor x(Doubles{-kInf, kInf, std::nan("")});
  expect_values(x.atan(), {3}, {-M_PI / 2, M_PI / 2, std::nan("")}, 1e-15);
}
TEST(SpecialValue, CosineOfHugeArgumentsIsRight) {
  for (const char* device : {"INTERP", "CPU"}) {
    const std::vector<float> v = {1e10f, 1e20f, 3.4e38f, 16367173.0f * 0x1p72f, 1.5707964f};
    const Tensor x(v, {.device = device});
    Doubles want;
    for (float e : v) want.push_back(std::cos(static_cast<double>(e)));
    const auto got = x.cos().to_vector<float>();
    for (size_t i = 0; i < v.size(); ++i) EXPECT_LE(ulp_distance(got[i], want[i]), 2) << v[i];
  }
}
TEST(SpecialValue, SlopeOfTheCosineIsTheSineForHugeArguments) {
  const std::vector<float> v = {1e10f, 1e20f, 2.f};
  const Tensor x(v);
  const auto got = x.cos().sum().gradient({x})[0].to_vector<float>();
  for (size_t i = 0; i < v.size(); ++i) {
    EXPECT_LE(ulp_distance(-got[i], std::sin(static_cast<double>(v[i]))), 2) << v[i];
  }
}

}  // namespace
}  // namespace tg

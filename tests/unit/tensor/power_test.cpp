// Powers of everything to everything: values against C's pow, slopes against what calculus says of
// them, at zeros, infinities, NaN and where there is no real power.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tg/autograd.h"
#include "tg/tensor.h"

namespace tg {
namespace {

constexpr float kFloatInf = std::numeric_limits<float>::infinity();
constexpr float kFloatNan = std::numeric_limits<float>::quiet_NaN();

const std::vector<float> kBases = {-kFloatInf, -3.5f, -2,   -1, -0.5f,     -0.0f,    0,
                                   0.25f,      1,     1.5f, 2,  kFloatInf, kFloatNan};
const std::vector<float> kExponents = {-kFloatInf, -3,   -2.5f, -2,  -1,        -0.3f,
                                       0,          0.3f, 0.5f,  1,   1.7f,      2,
                                       3,          3.3f, 100,   101, kFloatInf, kFloatNan};

void expect_power(float got, double want, const char* what, double x, double e) {
  SCOPED_TRACE(fmt::format("{} of {}^{}", what, x, e));
  const auto wanted = static_cast<float>(want);
  if (std::isnan(wanted)) {
    EXPECT_TRUE(std::isnan(got)) << got;
  } else if (!std::isfinite(wanted) || wanted == 0) {
    EXPECT_EQ(got, wanted);
    EXPECT_EQ(std::signbit(got), std::signbit(wanted)) << "0 or infinity of the other sign";
  } else {
    EXPECT_NEAR(got, wanted, 1e-5 * std::abs(wanted));
  }
}

double slope_of_base(double x, double e) { return e == 0 ? 0 : e * std::pow(x, e - 1); }
double slope_of_exponent(double x, double e) {
  return x == 0 && e >= 0 ? 0 : std::pow(x, e) * std::log(x);
}

TEST(Power, OfTensorsHasTheValuesOfC) {
  for (const float e : kExponents) {
    const Tensor y = Tensor(kBases).pow(Tensor(std::vector<float>(kBases.size(), e)));
    const auto got = y.to_vector<float>();
    for (size_t i = 0; i < got.size(); ++i)
      expect_power(got[i], std::pow(kBases[i], e), "value", kBases[i], e);
  }
}

TEST(Power, OfTensorsHasTheSlopesOfBothOperands) {
  for (const float e : kExponents) {
    const Tensor x(kBases), power(std::vector<float>(kBases.size(), e));
    const auto slopes = x.pow(power).sum().gradient({x, power});
    const auto of_x = slopes[0].to_vector<float>(), of_e = slopes[1].to_vector<float>();
    for (size_t i = 0; i < of_x.size(); ++i) {
      expect_power(of_x[i], slope_of_base(kBases[i], e), "slope by the base", kBases[i], e);
      expect_power(of_e[i], slope_of_exponent(kBases[i], e), "slope by the exponent", kBases[i], e);
    }
  }
}

TEST(Power, OfANumberThatIsNoHalfHasTheSameSlopes) {
  for (const double e : {0.3, 1.7, -0.3, 3.3, 70.5, -101.0}) {
    const Tensor x(kBases), y = x.pow(e);
    const auto value = y.to_vector<float>(), slope = y.sum().gradient({x})[0].to_vector<float>();
    for (size_t i = 0; i < value.size(); ++i) {
      expect_power(value[i], std::pow(static_cast<double>(kBases[i]), e), "value", kBases[i], e);
      expect_power(slope[i], slope_of_base(kBases[i], e), "slope", kBases[i], e);
    }
  }
}

TEST(Power, CanBeDifferentiatedTwice) {
  const Tensor x(std::vector<float>{0.5f, 2, 3}), e(std::vector<float>{2.5f, 0, 1.5f});
  const Tensor first = x.pow(e).sum().gradient({x})[0];
  const auto second = first.sum().gradient({x})[0].to_vector<float>();
  EXPECT_NEAR(second[0], 2.5 * 1.5 * std::sqrt(0.5), 1e-5);
  EXPECT_EQ(second[1], 0);
  EXPECT_NEAR(second[2], 1.5 * 0.5 / std::sqrt(3.0), 1e-5);
}

}  // namespace
}  // namespace tg

// Scans as programs use them: the kernels that they take on a processor, what joins them and what
// does not, their numbers however rows and blocks fall, and their gradients.
#include <gtest/gtest.h>
#include <tg/tg.h>

#include <cmath>
#include <limits>

#include "engine/counters.h"
#include "support/options.h"

namespace tg {
namespace {

using Doubles = std::vector<double>;

class Scans : public testing::Test {
 protected:
  static Options on_the_cpu() {
    Options o = options();
    o.device = "CPU";
    o.threads = 2;
    return o;
  }
  const OptionsScope scope_{on_the_cpu()};
};

// Values between −1 and 1, other ones at every place.
Doubles sines(int64_t n) {
  Doubles v(static_cast<size_t>(n));
  for (size_t i = 0; i < v.size(); ++i) v[i] = std::sin(static_cast<double>(i * i % 9973) + 0.5);
  return v;
}
Tensor tensor(const Shape& shape) {
  int64_t n = 1;
  for (const int64_t d : shape) n *= d;
  return Tensor(sines(n), shape).cast(DType::Float32).realize();
}

int64_t kernel_count(const Tensor& y) {
  reset_counters();
  Tensor(y).realize();
  return counters().kernels;
}

// Prefixes along the middle one of three axes.
Doubles prefixes(const Doubles& x, int64_t outer, int64_t n, int64_t inner) {
  Doubles out = x;
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t i = inner; i < n * inner; ++i)
      out[static_cast<size_t>(o * n * inner + i)] +=
          out[static_cast<size_t>(o * n * inner + i - inner)];
  }
  return out;
}

void expect_close_to(const Tensor& got, const Doubles& want, double tolerance) {
  const std::vector<double> values = got.cast(DType::Float64).to_vector<double>();
  ASSERT_EQ(values.size(), want.size());
  for (size_t i = 0; i < want.size(); ++i)
    ASSERT_NEAR(values[i], want[i], tolerance * (1 + std::abs(want[i]))) << "at " << i;
}

TEST_F(Scans, HaveTheNumbersOfTheirDefinition) {
  // Rows alone, a single long one, ones cut into blocks that divide them and that do not, columns.
  const Shape shapes[] = {{1, 2, 1},     {3, 5, 1},    {1, 40000, 1}, {1, 65536, 1},
                          {2, 33333, 1}, {70, 999, 1}, {1, 300, 7},   {5, 17, 64},
                          {1, 50021, 3}, {130, 16, 1}, {16, 130, 1},  {33, 4099, 1}};
  for (const Shape& s : shapes) {
    SCOPED_TRACE(testing::PrintToString(s));
    const Tensor x = tensor(s);
    const Doubles exact = x.cast(DType::Float64).to_vector<double>();
    // Rounded once an element: errors do not grow along the axis.
    expect_close_to(x.cumsum(1), prefixes(exact, s[0], s[1], s[2]), 2e-7);
  }
}

TEST_F(Scans, OfManyRowsAreOneKernel) {
  const Tensor x = tensor({256, 300});
  EXPECT_EQ(kernel_count(x.cumsum(1)), 1);
  EXPECT_EQ(kernel_count(x.cumsum(0)), 1);
  EXPECT_EQ(kernel_count(x.cumprod(1)), 1);
  EXPECT_EQ(kernel_count(x.cummax(1).first), 1);
  EXPECT_EQ(kernel_count(x.cummax(1).second), 1);
  EXPECT_EQ(kernel_count((x * x + 1).cumsum(1).sqrt() * x), 1);
}
TEST_F(Scans, OfOneRowAreBlocksTotalsAndResult) {
  EXPECT_LE(kernel_count(tensor({65536}).cumsum(0)), 3);
}
TEST_F(Scans, ThatAreReadElsewhereAreStored) {
  const Tensor x = tensor({64, 300});
  const Tensor s = x.cumsum(1);
  EXPECT_EQ(kernel_count(s.flip({1}) + x), 2);
  EXPECT_EQ(kernel_count((s * x).sum({.axis = {1}})), 2);
  EXPECT_EQ(kernel_count(x.cumsum(1).cumsum(0)), 2);
  EXPECT_LE(kernel_count(s.matmul(x.T())), 2);
}
TEST_F(Scans, BesideWhatIsAddedUpAreStored) {
  const Tensor x = tensor({40, 30});
  const Tensor y = x.cumsum(0).sum({.axis = {1}});
  EXPECT_EQ(kernel_count(y), 2);
  const Doubles down = prefixes(x.cast(DType::Float64).to_vector<double>(), 1, 40, 30);
  Doubles want(40, 0);
  for (size_t i = 0; i < down.size(); ++i) want[i / 30] += down[i];
  expect_close_to(y, want, 1e-5);
}
TEST_F(Scans, OfTwoAxesHaveTheirNumbers) {
  const Tensor x = tensor({40, 30});
  const Doubles exact = x.cast(DType::Float64).to_vector<double>();
  expect_close_to(x.cumsum(1).cumsum(0), prefixes(prefixes(exact, 40, 30, 1), 1, 40, 30), 4e-6);
  expect_close_to(
      x.cumsum(0) * x.cumsum(1),
      [&] {
        Doubles down = prefixes(exact, 1, 40, 30);
        const Doubles along = prefixes(exact, 40, 30, 1);
        for (size_t i = 0; i < down.size(); ++i) down[i] *= along[i];
        return down;
      }(),
      4e-6);
}
TEST_F(Scans, InPlaceReadWhatWasThere) {
  Tensor x = tensor({8, 50});
  const Doubles exact = x.cast(DType::Float64).to_vector<double>();
  x.assign(x.cumsum(1)).realize();
  expect_close_to(x, prefixes(exact, 8, 50, 1), 2e-7);
}

TEST_F(Scans, OfMaximaKeepTheLatestPlaceAndNan) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto [values, places] = Tensor(Doubles{1, 3, 2, 3, nan, 5}).cummax(0);
  EXPECT_EQ(places.cast(DType::Int64).to_vector<int64_t>(),
            (std::vector<int64_t>{0, 1, 1, 3, 4, 4}));
  const std::vector<double> v = values.to_vector<double>();
  EXPECT_EQ(v[3], 3);
  EXPECT_TRUE(std::isnan(v[4]) && std::isnan(v[5]));
}
TEST_F(Scans, OfMaximaHaveGradientsAtThosePlaces) {
  const Tensor x(Doubles{1, 3, 2, 3, 0}), weight(Doubles{1, 2, 4, 8, 16});
  const Tensor g = (x.cummax(0).first * weight).sum().gradient(std::vector{x})[0];
  EXPECT_EQ(g.to_vector<double>(), (Doubles{1, 6, 0, 24, 0}));
  const Tensor h = (x.cummin(0).first * weight).sum().gradient(std::vector{x})[0];
  EXPECT_EQ(h.to_vector<double>(), (Doubles{15, 0, 0, 0, 16}));
}

// ∂/∂x_j of Σ wᵢ·Π_{k≤i} x_k, each product made again.
Doubles slopes_of_products(const Doubles& x, const Doubles& w) {
  Doubles out(x.size(), 0);
  for (size_t j = 0; j < x.size(); ++j) {
    for (size_t i = j; i < x.size(); ++i) {
      double p = w[i];
      for (size_t k = 0; k <= i; ++k) p *= k == j ? 1 : x[k];
      out[j] += p;
    }
  }
  return out;
}

TEST_F(Scans, OfProductsHaveGradientsAlsoAroundZeros) {
  const Doubles w = {1, -2, 3, 0.5, 4, -1};
  for (const Doubles& x :
       {Doubles{1.5, -2, 0.5, 3, 1, -1}, Doubles{1.5, 0, 0.5, 3, 1, -1},
        Doubles{0, 2, 0.5, 0, 1, -1}, Doubles{2, 3, 1, 1, 1, 0}, Doubles{0, 0, 0, 0, 0, 0}}) {
    SCOPED_TRACE(testing::PrintToString(x));
    const Tensor t(x);
    expect_close_to((t.cumprod(0) * Tensor(w)).sum().gradient(std::vector{t})[0],
                    slopes_of_products(x, w), 1e-12);
  }
}
TEST_F(Scans, HaveSecondGradients) {  // of Σ (Π_{k≤i} x_k)², against differences of the first
  const Doubles x = {1.5, -2, 0.5, 1.25};
  const auto first = [](const Tensor& t) {
    return t.cumprod(0).square().sum().gradient(std::vector{t})[0];
  };
  const Tensor t(x);
  const Doubles second = first(t).sum().gradient(std::vector{t})[0].to_vector<double>();
  constexpr double kStep = 1e-5;
  for (size_t j = 0; j < x.size(); ++j) {
    Doubles above = x, below = x;
    above[j] += kStep, below[j] -= kStep;
    const double slope =
        (first(Tensor(above)).sum().item<double>() - first(Tensor(below)).sum().item<double>()) /
        (2 * kStep);
    EXPECT_NEAR(second[j], slope, 1e-5 * (1 + std::abs(slope))) << j;
  }
}
TEST_F(Scans, OfSumsHaveTheGradientOfThoseBehind) {
  const Tensor x(Doubles{1, 2, 3, 4}), w(Doubles{1, 10, 100, 1000});
  EXPECT_EQ((x.cumsum(0) * w).sum().gradient(std::vector{x})[0].to_vector<double>(),
            (Doubles{1111, 1110, 1100, 1000}));
}

}  // namespace
}  // namespace tg

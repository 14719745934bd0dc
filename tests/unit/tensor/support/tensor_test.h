// What the tests of Tensor share: short comparisons, the text of an error, random data with a
// printed seed.
#pragma once

#include <gtest/gtest.h>
#include <tg/tg.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace tg::testing {

using Doubles = std::vector<double>;

inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInf = std::numeric_limits<double>::infinity();

inline Tensor vec(const std::vector<float>& v) { return Tensor(v); }

/// 0, 1, 2, … as a tensor of this shape.
inline Tensor counted(const Shape& shape) {
  int64_t n = 1;
  for (int64_t d : shape) n *= d;
  Doubles v(static_cast<size_t>(n));
  std::iota(v.begin(), v.end(), 0);
  return Tensor(v, shape);
}

inline void expect_values(const Tensor& t, const Shape& shape, const Doubles& expected,
                          double tolerance = 1e-6) {
  ASSERT_EQ(t.shape(), shape);
  const auto got = t.to_vector<double>();
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i) {
    if (std::isnan(expected[i])) {
      EXPECT_TRUE(std::isnan(got[i])) << "element " << i << " is " << got[i];
    } else if (std::isinf(expected[i])) {
      EXPECT_EQ(got[i], expected[i]) << "element " << i;
    } else {
      EXPECT_NEAR(got[i], expected[i], tolerance * std::max(1.0, std::abs(expected[i])))
          << "element " << i;
    }
  }
}

inline void expect_close(const Tensor& got, const Tensor& want, double tolerance = 1e-9) {
  expect_values(got, want.shape(), want.to_vector<double>(), tolerance);
}

/// what() of the E that `f` throws; a note if it throws nothing or something else.
template <typename E>
std::string error_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const E& e) {
    return e.what();
  } catch (const std::exception& e) {
    return std::string("another class: ") + e.what();
  }
  return "no error";
}

/// Reproducible numbers; the seed is printed when a test that made one fails.
class Random {
 public:
  explicit Random(uint32_t seed)
      : engine_(seed), trace_(__FILE__, __LINE__, "seed " + std::to_string(seed)) {}
  int64_t whole(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(engine_);
  }
  double real(double low = -2, double high = 2) {
    return std::uniform_real_distribution<double>(low, high)(engine_);
  }
  Doubles reals(int64_t n, double low = -2, double high = 2) {
    Doubles out;
    for (int64_t i = 0; i < n; ++i) out.push_back(real(low, high));
    return out;
  }
  Tensor tensor(const Shape& shape, double low = -2, double high = 2) {
    int64_t n = 1;
    for (int64_t d : shape) n *= d;
    return Tensor(reals(n, low, high), shape);
  }
  Shape shape(int64_t least, int64_t most, int64_t largest = 4) {
    Shape s(static_cast<size_t>(whole(least, most)));
    for (int64_t& d : s) d = whole(1, largest);
    return s;
  }

 private:
  std::mt19937 engine_;
  ::testing::ScopedTrace trace_;
};

/// Fails with gradcheck's message if a slope is wrong.
inline void expect_gradients(const std::function<Tensor(const std::vector<Tensor>&)>& f,
                             const std::vector<Tensor>& inputs, const GradcheckOptions& o = {}) {
  const GradcheckReport r = gradcheck(f, inputs, o);
  EXPECT_TRUE(r.ok) << r.message;
}

}  // namespace tg::testing

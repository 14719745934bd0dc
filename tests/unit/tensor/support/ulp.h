// Distance of the elementary functions, as Tensor computes them in float32 on the CPU, from the C
// library in float64: over ranges of bit patterns. ulp_test.cpp samples them, exhaustive_ulp.cpp
// goes through all 2^32.
#pragma once

#include <tg/tg.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace tg::testing {

struct AccurateFunction {
  const char* name;
  Tensor (*f)(const Tensor&);
  double (*exact)(double);
};

inline double exact_sigmoid(double x) {
  const double e = std::exp(-std::fabs(x));
  return (x < 0 ? e : 1) / (1 + e);
}

inline const AccurateFunction kAccurate[] = {
    {"exp", [](const Tensor& x) { return x.exp(); }, [](double x) { return std::exp(x); }},
    {"exp2", [](const Tensor& x) { return x.exp2(); }, [](double x) { return std::exp2(x); }},
    {"log", [](const Tensor& x) { return x.log(); }, [](double x) { return std::log(x); }},
    {"log2", [](const Tensor& x) { return x.log2(); }, [](double x) { return std::log2(x); }},
    {"sin", [](const Tensor& x) { return x.sin(); }, [](double x) { return std::sin(x); }},
    {"cos", [](const Tensor& x) { return x.cos(); }, [](double x) { return std::cos(x); }},
    {"tanh", [](const Tensor& x) { return x.tanh(); }, [](double x) { return std::tanh(x); }},
    {"sigmoid", [](const Tensor& x) { return x.sigmoid(); }, exact_sigmoid},
    {"erf", [](const Tensor& x) { return x.erf(); }, [](double x) { return std::erf(x); }},
};

/// Distance in units of the last place of the exact value's binade; 0 for equal special values, a
/// billion for a wrong one (zeros of the wrong sign included).
inline double ulp_distance(float got, double want) {
  constexpr double kWrong = 1e9;
  if (std::isnan(want)) return std::isnan(got) ? 0 : kWrong;
  const auto rounded = static_cast<float>(want);
  if (got == rounded) return want == 0 && std::signbit(got) != std::signbit(want) ? kWrong : 0;
  if (!std::isfinite(got) || !std::isfinite(rounded)) return kWrong;
  const int exponent = std::max(std::ilogb(want) - 23, -149);
  return std::fabs(got - want) / std::ldexp(1.0, exponent);
}

struct WorstUlp {
  double ulp = 0;
  float at = 0;
  float got = 0;
};

/// The worst of the bit patterns first, first + step, … (count of them).
inline WorstUlp worst_ulp(const AccurateFunction& f, uint32_t first, uint32_t step, int64_t count) {
  std::vector<float> in(static_cast<size_t>(count));
  for (size_t i = 0; i < in.size(); ++i) {
    in[i] = std::bit_cast<float>(first + static_cast<uint32_t>(i) * step);
  }
  const Tensor x(std::span<const float>(in), {count}, {.device = "CPU"});
  const auto out = f.f(x).to_vector<float>();
  WorstUlp worst;
  for (size_t i = 0; i < in.size(); ++i) {
    const double d = ulp_distance(out[i], f.exact(static_cast<double>(in[i])));
    if (d > worst.ulp) worst = {d, in[i], out[i]};
  }
  return worst;
}

}  // namespace tg::testing

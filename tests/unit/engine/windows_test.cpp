// Windows of arrays: steps of a sequence share their programs, and each computes with its own
// window, run at once, captured, validated or checked for NaN.
#include <gtest/gtest.h>
#include <tg/jit.h>
#include <tg/tg.h>

#include "engine/counters.h"
#include "engine/plan.h"
#include "support/options.h"

namespace tg {
namespace {

constexpr int64_t kSteps = 12, kBatch = 4, kWide = 48;

Tensor sequence() { return Tensor::randn({kSteps, kBatch, kWide}).realize(); }

float at(const std::vector<float>& x, int64_t t, int64_t i) {
  return x[static_cast<size_t>(t * kBatch * kWide + i)];
}

// step(x[t], h) of all t, one after the other, realized each; and the kernels that were compiled.
template <typename F>
int64_t run_steps(const Tensor& x, std::vector<std::vector<float>>& out, F&& step) {
  clear_caches();
  Tensor h = Tensor::zeros({kBatch, kWide}).contiguous().realize();
  reset_counters();
  for (int64_t t = 0; t < kSteps; ++t) {
    h = step(x[t], h).realize();
    out.push_back(h.to_vector<float>());
  }
  return counters().compiled;
}

TEST(Windows, OfStepsShareAProgram) {
  const Tensor x = sequence();
  const std::vector<float> values = x.to_vector<float>();
  std::vector<std::vector<float>> out;
  const int64_t compiled =
      run_steps(x, out, [](const Tensor& now, const Tensor& h) { return now * 2 + h; });
  std::vector<float> h(kBatch * kWide, 0);
  for (int64_t t = 0; t < kSteps; ++t) {
    for (int64_t i = 0; i < kBatch * kWide; ++i) {
      h[static_cast<size_t>(i)] += 2 * at(values, t, i);
      ASSERT_EQ(out[static_cast<size_t>(t)][static_cast<size_t>(i)], h[static_cast<size_t>(i)])
          << "step " << t << ", element " << i;
    }
  }
  EXPECT_LE(compiled, 2);  // the first step, whose window is where the array begins, and the others
}
TEST(Windows, OfProductsShareAProgram) {
  const Tensor x = sequence(), w = Tensor::randn({kWide, kWide}).realize();
  std::vector<std::vector<float>> out;
  const auto step = [&w](const Tensor& now, const Tensor& h) {
    return (now.matmul(w) + h * 0.5).tanh();
  };
  EXPECT_LE(run_steps(x, out, step), 4);
  Tensor h = Tensor::zeros({kBatch, kWide});
  for (int64_t t = 0; t < kSteps; ++t) {
    h = step(x[t].clone().realize(), h).realize();
    EXPECT_EQ(h.to_vector<float>(), out[static_cast<size_t>(t)]) << t;
  }
}
TEST(Windows, AreWrittenInPlace) {
  Tensor x = sequence();
  std::vector<float> values = x.to_vector<float>();
  for (int64_t t = 1; t < kSteps; ++t) x.set({t}, x[t] + x[t - 1] * 0.5);
  for (int64_t t = 1; t < kSteps; ++t) {
    for (int64_t i = 0; i < kBatch * kWide; ++i)
      values[static_cast<size_t>(t * kBatch * kWide + i)] += at(values, t - 1, i) * 0.5f;
  }
  const std::vector<float> now = x.to_vector<float>();
  for (size_t i = 0; i < now.size(); ++i) ASSERT_NEAR(now[i], values[i], 1e-4) << i;
}
TEST(Windows, OfArgumentsAreCaptured) {
  const Tensor w = Tensor::randn({kWide, kWide}).realize();
  const auto last = [&w](const Tensor& x) {
    Tensor h = x[0];
    for (int64_t t = 1; t < kSteps; ++t) h = (h.matmul(w) + x[t]).tanh();
    return h.realize();
  };
  TinyJit f(last);
  for (int call = 0; call < 4; ++call) {
    const Tensor x = sequence();
    EXPECT_EQ(f(x).to_vector<float>(), last(x).to_vector<float>()) << "call " << call;
  }
  EXPECT_TRUE(f.stats().captured);
}
TEST(Windows, AreWhereTheReferenceHasThem) {
  Options o = options();
  o.device = "INTERP";
  o.validate = true;
  const OptionsScope scope(o);
  const Tensor x = sequence(), y = (x[5] * 2 + x[7]).realize();
  const std::vector<float> values = x.to_vector<float>();
  EXPECT_EQ(y.to_vector<float>()[3], at(values, 5, 3) * 2 + at(values, 7, 3));
}
TEST(Windows, WithANanAreFound) {
  Options o = options();
  o.check_nan = 1;
  const OptionsScope scope(o);
  Tensor x = Tensor::ones({kSteps, kWide}).contiguous().realize();
  x.set({5}, -1);
  EXPECT_EQ(x[10].sqrt().to_vector<float>()[0], 1);
  EXPECT_THROW(x[5].sqrt().realize(), DeviceError);
}

}  // namespace
}  // namespace tg

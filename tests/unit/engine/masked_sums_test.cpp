// Prefix sums as users write them, with masks: the numbers of cumsum, its launches and its work.
#include <gtest/gtest.h>
#include <tg/tg.h>

#include "engine/counters.h"
#include "support/options.h"

namespace tg {
namespace {

constexpr int64_t kLength = 3000, kWidth = 2;

Tensor data() {
  std::vector<float> v(kLength * kWidth);
  for (size_t i = 0; i < v.size(); ++i) v[i] = static_cast<float>(i * 7 % 11) - 5;
  return Tensor(v, {kLength, kWidth}).realize();
}

struct Form {
  const char* name;
  Tensor (*sum)(const Tensor& x);    // [n, d] → [n, d]
  Tensor (*exact)(const Tensor& x);  // with cumsum
};

Tensor places() { return Tensor::arange(static_cast<double>(kLength)); }
Tensor before() { return places().reshape({1, -1}) <= places().reshape({-1, 1}); }
Tensor cumsum(const Tensor& x) { return x.cumsum(0); }
Tensor from_behind(const Tensor& x) { return x.flip({0}).cumsum(0).flip({0}); }

const Form kForms[] = {
    {"Where",
     [](const Tensor& x) {
       return before().unsqueeze(2).where(x.unsqueeze(0), 0.0).sum({.axis = {1}});
     },
     cumsum},
    {"Product",
     [](const Tensor& x) { return (before().unsqueeze(2) * x.unsqueeze(0)).sum({.axis = {1}}); },
     cumsum},
    {"TriangleTimesMatrix",
     [](const Tensor& x) {
       return Tensor::full({kLength, kLength}, 1.0, {.buffer = false}).tril().matmul(x);
     },
     cumsum},
    {"FlagsTimesMatrix", [](const Tensor& x) { return before().cast(DType::Float32).matmul(x); },
     cumsum},
    {"LowerPart",
     [](const Tensor& x) {
       return x.T().unsqueeze(1).expand({kWidth, kLength, kLength}).tril().sum({.axis = {2}}).T();
     },
     cumsum},
    {"UpperPart",
     [](const Tensor& x) {
       return x.T().unsqueeze(1).expand({kWidth, kLength, kLength}).triu().sum({.axis = {2}}).T();
     },
     from_behind},
};

class MaskedSums : public testing::TestWithParam<Form> {};

TEST_P(MaskedSums, CostWhatCumsumCosts) {
  Options o = options();
  o.device = "CPU";
  const OptionsScope scope(o);
  const Tensor x = data();
  reset_counters();
  const std::vector<float> want = GetParam().exact(x).to_vector<float>();
  const EngineCounters plain = counters();
  reset_counters();
  const std::vector<float> got = GetParam().sum(x).to_vector<float>();
  const EngineCounters masked = counters();
  EXPECT_EQ(got, want);  // sums of small integers are exact in any order
  EXPECT_LE(masked.kernels, plain.kernels + 1);
  // Work that grows with the length: a sum, and perhaps a product with a flag.
  EXPECT_LE(plain.flops, 2.0 * kLength * kWidth);
  EXPECT_LE(masked.flops, 3.0 * kLength * kWidth);
}

INSTANTIATE_TEST_SUITE_P(Spelled, MaskedSums, testing::ValuesIn(kForms),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(MaskedSums, OfAMatrixThatRowsDoNotShareStaySums) {
  Options o = options();
  o.device = "CPU";
  const OptionsScope scope(o);
  const Tensor p = Tensor::ones({600, 600}).realize(), v = Tensor::ones({600, 2}).realize();
  reset_counters();
  const Tensor y = p.tril().matmul(v).realize();
  EXPECT_GE(counters().flops, 600.0 * 600);
  EXPECT_EQ(y.to_vector<float>()[2 * 599], 600);
}

}  // namespace
}  // namespace tg

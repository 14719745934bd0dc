// Expressions that are too long for one kernel are cut into kernels of bounded size: work, code
// and time grow with the length, no faster.
#include <gtest/gtest.h>
#include <tg/tg.h>

#include <chrono>
#include <cmath>

#include "codegen/heuristics.h"
#include "codegen/lower.h"
#include "engine/counters.h"
#include "schedule/schedule.h"
#include "support/options.h"
#include "tensor/ops.h"

namespace tg {
namespace {

struct Chain {
  const char* name;
  Tensor (*next)(const Tensor& y, const Tensor& x, int step);
  double (*value)(double y, double x, int step);
};

const Chain kChains[] = {
    {"OfConstants",
     [](const Tensor& y, const Tensor&, int step) { return step % 2 == 0 ? y + 1 : y.maximum(-9); },
     [](double y, double, int step) { return step % 2 == 0 ? y + 1 : std::max(y, -9.0); }},
    {"ThatReadsAnArrayAgain",
     [](const Tensor& y, const Tensor& x, int step) { return step % 2 == 0 ? y + x : y - x; },
     [](double y, double x, int step) { return step % 2 == 0 ? y + x : y - x; }},
    {"ThatUsesEachValueTwice",
     [](const Tensor& y, const Tensor& x, int) { return (y + y).minimum(x).maximum(-4); },
     [](double y, double x, int) { return std::max(std::min(y + y, x), -4.0); }},
    {"OfDiamonds",
     [](const Tensor& y, const Tensor& x, int) { return (y * -1).maximum(y + x).minimum(3); },
     [](double y, double x, int) { return std::min(std::max(-y, y + x), 3.0); }},
};

Tensor chain(const Chain& c, const Tensor& x, int length) {
  Tensor y = x;
  for (int i = 0; i < length; ++i) y = c.next(y, x, i);
  return y;
}

using ChainCase = std::tuple<size_t, int>;
std::string name_of(const testing::TestParamInfo<ChainCase>& info) {
  return std::string(kChains[std::get<0>(info.param)].name) +
         std::to_string(std::get<1>(info.param));
}

class LongChains : public testing::TestWithParam<ChainCase> {
 protected:
  const Chain& kind() const { return kChains[std::get<0>(GetParam())]; }
  int length() const { return std::get<1>(GetParam()); }
};

TEST_P(LongChains, BecomeLinearCodeInKernelsOfBoundedSize) {
  const auto start = std::chrono::steady_clock::now();
  Target target;
  target.ops.set();
  target.dtypes.set();
  const Tensor x = Tensor(std::vector<float>{1, -2, 3, 0, 2, -1, 5, 4, 1}).realize();
  const Tensor y = chain(kind(), x, length());
  const std::vector<UOp> roots = {ops_detail::node_of(y, "test")};
  const Schedule s = make_schedule(roots, target);
  size_t all = 0, largest = 0;
  for (const ScheduleItem& item : s.items) {
    ASSERT_TRUE(item.kernel);
    const LinearKernel k = lower(item.kernel, choose_schedule(item.kernel, target), target);
    all += k.ops.size();
    largest = std::max(largest, k.ops.size());
  }
  const auto n = static_cast<size_t>(length());
  EXPECT_LE(s.items.size(), 1 + n / 16);
  EXPECT_LE(all, 400 + 16 * n);
  EXPECT_LE(largest, 4000u);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  EXPECT_LT(took.count(), 30) << "a second is usual; this bound also holds under sanitizers";
}

TEST_P(LongChains, HaveTheirValues) {
  Options o = options();
  o.device = "INTERP";
  const OptionsScope scope(o);
  const std::vector<float> from = {1, -2, 3, 0, 2};
  const Tensor x = Tensor(from).realize();
  const std::vector<double> got = chain(kind(), x, length()).to_vector<double>();
  for (size_t i = 0; i < from.size(); ++i) {
    double want = from[i];
    for (int k = 0; k < length(); ++k) want = kind().value(want, from[i], k);
    EXPECT_EQ(got[i], want) << "element " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Plain, LongChains,
                         testing::Combine(testing::Values<size_t>(0, 1),
                                          testing::Values(100, 1000, 10000)),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Shared, LongChains,
                         testing::Combine(testing::Values<size_t>(2, 3),
                                          testing::Values(100, 1000, 2000)),
                         name_of);

// bench/engine/long_chain.cpp does the same for ten times as many operations, on the CPU.
TEST(LongChainsOnInterp, OfSinesAndProductsWithDifferentTensorsShareTheirKernels) {
  Options o = options();
  o.device = "INTERP";
  const OptionsScope scope(o);
  constexpr int kSteps = 5000;
  const auto factor = [](int step) { return 1.2F + 0.01F * static_cast<float>(step * 7 % 40); };
  Tensor y = Tensor(std::vector<float>{1, 2, 0.5F}).realize();
  std::vector<double> want = {1, 2, 0.5};
  for (int k = 0; k < kSteps; ++k) {
    y = y.sin() * Tensor(std::vector<float>(3, factor(k)));
    for (double& w : want) w = std::sin(w) * factor(k);
  }
  reset_counters();
  const std::vector<float> got = y.to_vector<float>();
  EXPECT_LE(counters().kernels, kSteps / 100);
  EXPECT_LE(counters().compiled, 4);
  for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], want[i], 1e-5);
}

TEST(LongChainsOnCpu, CompileInBoundedTime) {
  Options o = options();
  o.device = "CPU";
  const OptionsScope scope(o);
  const Tensor x = Tensor(std::vector<float>(100, 1.0F)).realize();
  const auto start = std::chrono::steady_clock::now();
  reset_counters();
  const Tensor y = chain(kChains[0], x, 1000).realize();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  EXPECT_LE(counters().kernels, 10);
  EXPECT_LT(took.count(), 30);
  EXPECT_EQ(y.to_vector<double>()[99], 501);
}

}  // namespace
}  // namespace tg

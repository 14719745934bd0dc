// Random tensors: reproducible, exactly representable, of the right distribution.
#include <set>

#include "unit/tensor/support/tensor_test.h"

namespace tg {
namespace {

using namespace testing;

double mean_of(const Doubles& v) {
  double s = 0;
  for (double x : v) s += x;
  return s / static_cast<double>(v.size());
}
double var_of(const Doubles& v) {
  const double m = mean_of(v);
  double s = 0;
  for (double x : v) s += (x - m) * (x - m);
  return s / static_cast<double>(v.size());
}
Doubles drawn(const Tensor& t) { return t.to_vector<double>(); }

class RandomTensors : public ::testing::Test {
 protected:
  void SetUp() override { manual_seed(42); }
  void TearDown() override { manual_seed(0); }
};

TEST_F(RandomTensors, RepeatWithTheSeed) {
  const Doubles first = drawn(Tensor::rand({5})), second = drawn(Tensor::rand({5}));
  EXPECT_NE(first, second);
  manual_seed(42);
  EXPECT_EQ(drawn(Tensor::rand({5})), first);
  EXPECT_EQ(drawn(Tensor::rand({5})), second);
  manual_seed(43);
  EXPECT_NE(drawn(Tensor::rand({5})), first);
}
TEST_F(RandomTensors, DependOnTheOrderOfDrawingNotOfComputing) {
  const Tensor a = Tensor::rand({3}), b = Tensor::rand({3});
  const Doubles vb = drawn(b), va = drawn(a);
  manual_seed(42);
  EXPECT_EQ(drawn(Tensor::rand({3})), va);
  EXPECT_EQ(drawn(Tensor::rand({3})), vb);
}
TEST_F(RandomTensors, AreOneSequenceHoweverItIsCut) {
  const Doubles whole = drawn(Tensor::rand({6}));
  manual_seed(42);
  Doubles parts = drawn(Tensor::rand({2, 1}));
  for (double v : drawn(Tensor::rand({4}))) parts.push_back(v);
  EXPECT_EQ(parts, whole);
}
TEST_F(RandomTensors, KeepTheirValue) {
  const Tensor t = Tensor::rand({4});
  const Doubles doubled = drawn(t * 2);
  const Doubles v = drawn(t);
  for (size_t i = 0; i < v.size(); ++i) EXPECT_EQ(doubled[i], static_cast<float>(2 * v[i]));
}
TEST_F(RandomTensors, StateCanBeSavedAndRestored) {
  drawn(Tensor::rand({3}));
  const RandomState state = random_state();
  EXPECT_EQ(state.seed, 42u);
  EXPECT_EQ(state.drawn, 3u);
  const Doubles next = drawn(Tensor::rand({3}));
  set_random_state(state);
  EXPECT_EQ(drawn(Tensor::rand({3})), next);
}
TEST_F(RandomTensors, CrossTheCarryOfTheCounter) {
  set_random_state({.seed = 1, .drawn = 0xFFFFFFFEu});
  const Doubles crossing = drawn(Tensor::rand({4}));
  EXPECT_EQ(random_state().drawn, (uint64_t{1} << 32) + 4);
  set_random_state({.seed = 1, .drawn = uint64_t{1} << 32});
  EXPECT_EQ(drawn(Tensor::rand({4})), crossing);
}
TEST_F(RandomTensors, MatchThreefrysKnownAnswer) {
  // Random123's vector for Threefry-2x32-20: key 0, counter 0 gives 6b200159 99ba4efe.
  manual_seed(0);
  EXPECT_EQ(Tensor::rand({1}).item<float>(), static_cast<float>(0x6b2001) * 0x1p-24f);
}
TEST_F(RandomTensors, OfEveryFloatLieInTheUnitInterval) {
  for (DType t : {DType::Float16, DType::BFloat16, DType::Float32, DType::Float64, DType::Fp8E4M3,
                  DType::Fp8E5M2}) {
    const Tensor r = Tensor::rand({2000}, {.dtype = t});
    EXPECT_EQ(r.dtype(), t);
    for (double v : drawn(r)) {
      EXPECT_GE(v, 0);
      EXPECT_LT(v, 1);
    }
  }
}
TEST_F(RandomTensors, OfHalfUseAllBitsOfTheMantissa) {
  for (double v : drawn(Tensor::rand({500}, {.dtype = DType::Float16})))
    EXPECT_EQ(v * 2048, std::floor(v * 2048));
}
TEST_F(RandomTensors, OfDoublesHaveMoreBitsThanFloats) {
  int fine = 0;
  for (double v : drawn(Tensor::rand({100}, {.dtype = DType::Float64})))
    fine += v * 0x1p24 != std::floor(v * 0x1p24);
  EXPECT_GT(fine, 90);
}
TEST_F(RandomTensors, AreUniform) {
  const Doubles v = drawn(Tensor::rand({20000}));
  EXPECT_NEAR(mean_of(v), 0.5, 0.01);
  EXPECT_NEAR(var_of(v), 1.0 / 12, 0.003);
}
TEST_F(RandomTensors, AreNormal) {
  for (DType t : {DType::Float32, DType::Float64}) {
    const Doubles v = drawn(Tensor::randn({20000}, {.dtype = t}));
    EXPECT_NEAR(mean_of(v), 0, 0.03);
    EXPECT_NEAR(var_of(v), 1, 0.04);
    const auto beyond = std::ranges::count_if(v, [](double x) { return std::abs(x) > 1.959964; });
    EXPECT_NEAR(static_cast<double>(beyond) / 20000, 0.05, 0.006);
  }
}
TEST_F(RandomTensors, NormalTakesMeanAndDeviation) {
  const Doubles v = drawn(Tensor::normal({20000}, {.mean = 3, .std = 2}));
  EXPECT_NEAR(mean_of(v), 3, 0.06);
  EXPECT_NEAR(var_of(v), 4, 0.16);
}
TEST_F(RandomTensors, IntegersCoverTheirRangeEvenly) {
  std::vector<int> counts(7, 0);
  for (int64_t v : Tensor::randint({14000}, {.low = -3, .high = 4}).to_vector<int64_t>()) {
    ASSERT_TRUE(v >= -3 && v < 4) << v;
    ++counts[static_cast<size_t>(v + 3)];
  }
  for (int c : counts) EXPECT_NEAR(c, 2000, 200);
}
TEST_F(RandomTensors, IntegersReachAWideRange) {
  const int64_t low = -(int64_t{1} << 31);
  const auto v =
      Tensor::randint({1000}, {.low = low, .high = int64_t{1} << 31}).to_vector<int64_t>();
  EXPECT_LT(*std::ranges::min_element(v), low / 2);
  EXPECT_GT(*std::ranges::max_element(v), -(low / 2));
}
TEST_F(RandomTensors, InitialisersHaveTheirBounds) {
  const auto bound = [](const Tensor& t) { return t.abs().max().item<double>(); };
  EXPECT_NEAR(bound(Tensor::scaled_uniform({50, 50})), 0.02, 0.001);
  EXPECT_NEAR(bound(Tensor::glorot_uniform({50, 100})), 0.2, 0.01);
  EXPECT_NEAR(bound(Tensor::kaiming_uniform({50, 60}, {.a = 0})), std::sqrt(0.1), 0.01);
  EXPECT_NEAR(var_of(drawn(Tensor::kaiming_normal({100, 50}, {.a = 0}))), 2.0 / 50, 0.004);
}
TEST_F(RandomTensors, DropoutWorksOnlyWhileTraining) {
  const Tensor x = Tensor::ones({10000});
  EXPECT_EQ(x.dropout(0.5).sum().item<double>(), 10000);
  TrainingScope training;
  const Doubles v = drawn(x.dropout(0.25));
  std::set<double> values(v.begin(), v.end());
  EXPECT_EQ(values.size(), 2u);
  EXPECT_NEAR(mean_of(v), 1, 0.03);
  expect_values(Tensor{1.f, 2.f}.dropout(1), {2}, {0, 0});
}
TEST_F(RandomTensors, PlacesAreDrawnByTheirWeights) {
  const Tensor weights({{1., 3., 0.}, {0., 0., 5.}});
  const Tensor drawn = weights.multinomial(20000, true);
  EXPECT_EQ(drawn.shape(), (Shape{2, 20000}));
  EXPECT_EQ(drawn.dtype(), DType::Int32);
  const auto share = [&](int64_t row, int place) {
    return drawn[row].eq(place).cast(DType::Float32).mean().item<double>();
  };
  EXPECT_NEAR(share(0, 1), 0.75, 0.02);
  EXPECT_EQ(share(0, 2), 0);
  EXPECT_EQ(share(1, 2), 1);
}
TEST_F(RandomTensors, WithoutReplacementNoPlaceIsDrawnTwice) {
  const Tensor all = (Tensor::rand({50, 7}) + 0.1).multinomial(7);
  const Tensor in_order = all.sort(1).first;
  EXPECT_TRUE(in_order.eq(Tensor::arange(7)).all().item<bool>());
  // The heavier of two comes first as often as its share says.
  const Tensor first = Tensor({{1., 3.}}).expand({20000, 2}).multinomial(2)[{Slice(), 0}];
  EXPECT_NEAR(first.cast(DType::Float32).mean().item<double>(), 0.75, 0.02);
  EXPECT_EQ(Tensor({2, 1, 4}).multinomial(2).shape(), (Shape{2}));
}
TEST_F(RandomTensors, OfNothingAreEmpty) { expect_values(Tensor::randn({0, 3}), {0, 3}, {}); }

}  // namespace
}  // namespace tg

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
  ASSERT_EQ(state.streams.size(), 1u);
  EXPECT_EQ(state.streams[0].device, Tensor::rand({1}).device());
  EXPECT_EQ(state.streams[0].drawn, 3u);
  set_random_state(state);
  const Doubles next = drawn(Tensor::rand({3}));
  set_random_state(state);
  EXPECT_EQ(drawn(Tensor::rand({3})), next);
}
TEST_F(RandomTensors, CrossTheCarryOfTheCounter) {
  const std::string device = Tensor::rand({1}).device();
  const auto at = [&](uint64_t drawn) {
    set_random_state({.seed = 1, .streams = {{.device = device, .drawn = drawn}}});
  };
  at(0xFFFFFFFEu);
  const Doubles before = drawn(Tensor::rand({4})), behind = drawn(Tensor::rand({4}));
  EXPECT_EQ(random_state().streams[0].drawn, (uint64_t{1} << 32) + 6);
  at((uint64_t{1} << 32) + 2);
  EXPECT_EQ(drawn(Tensor::rand({4})), behind);
  at(2);
  EXPECT_NE(drawn(Tensor::rand({4})), behind);
  at(0xFFFFFFFEu);
  EXPECT_EQ(drawn(Tensor::rand({4})), before);
}
TEST_F(RandomTensors, OfMoreThanAKeyHasGoOnWithTheNextKeys) {
  constexpr int64_t kKey = 0xFFFFFFFF;
  const auto window = [](const Tensor& t, int64_t begin, int64_t end) {
    return drawn(t.shrink({{begin, end}}));
  };
  const auto first = [&] { manual_seed(42); };
  first();
  const Tensor all = Tensor::rand({2 * kKey + 5}, {.dtype = DType::Float32});
  EXPECT_EQ(random_state().streams[0].drawn, static_cast<uint64_t>(2 * kKey + 5));
  first();
  const Tensor one = Tensor::rand({kKey}), two = Tensor::rand({kKey}), rest = Tensor::rand({5});
  Doubles seam = window(one, kKey - 3, kKey);
  for (const double x : window(two, 0, 3)) seam.push_back(x);
  EXPECT_EQ(window(all, kKey - 3, kKey + 3), seam);
  EXPECT_EQ(window(all, 2 * kKey, 2 * kKey + 5), drawn(rest));
  // Integers of a wide range, halves, and pairs of words for a normal distribution.
  first();
  const Tensor bits = Tensor::randint({kKey + 2}, {.low = 0, .high = int64_t{1} << 30});
  first();
  const Tensor low = Tensor::randint({kKey}, {.low = 0, .high = int64_t{1} << 30});
  const Tensor high = Tensor::randint({2}, {.low = 0, .high = int64_t{1} << 30});
  EXPECT_EQ(window(bits, kKey - 1, kKey), window(low, kKey - 1, kKey));
  EXPECT_EQ(window(bits, kKey, kKey + 2), drawn(high));
  const Doubles normal = window(Tensor::randn({kKey}), kKey - 1000, kKey);
  EXPECT_NEAR(mean_of(normal), 0, 0.2);
  EXPECT_NEAR(var_of(normal), 1, 0.3);
}
// Computed by JAX for tinygrad's test_threefry_against_reference_full.
TEST_F(RandomTensors, AreTheSequenceOfTheReference) {
  manual_seed(1337);
  const std::vector<float> first = Tensor::rand({20}).to_vector<float>();
  EXPECT_EQ(std::vector<float>(first.begin(), first.begin() + 4),
            (std::vector<float>{0.45735931396484375f, 0.6311527490615845f, 0.15571284294128418f,
                                0.8149417638778687f}));
  EXPECT_EQ(first[19], 0.3280656337738037f);
  const std::vector<float> second = Tensor::rand({20}).to_vector<float>();
  EXPECT_EQ(second[0], 0.09199333190917969f);
  EXPECT_EQ(second[19], 0.2599533796310425f);
}
// All kinds of draws, one after the other: what tinygrad gives for this seed.
TEST_F(RandomTensors, AreTinygrads) {
  manual_seed(7);
  EXPECT_EQ(drawn(Tensor::rand({5}, {.dtype = DType::Float16})),
            (Doubles{0.0517578125, 0.43359375, 0.9326171875, 0.046875, 0.373046875}));
  EXPECT_EQ(drawn(Tensor::rand({6}, {.dtype = DType::BFloat16})),
            (Doubles{0.5390625, 0.9453125, 0.203125, 0.3828125, 0.015625, 0.9609375}));
  EXPECT_EQ(drawn(Tensor::rand({3}, {.dtype = DType::Float64})),
            (Doubles{0.18477500311821893, 0.6520482633159581, 0.8672437640697437}));
  EXPECT_EQ(drawn(Tensor::rand({3})),
            (Doubles{0.5611988306045532, 0.9992839097976685, 0.06297647953033447}));
  EXPECT_EQ(drawn(Tensor::randint({7}, {.low = -3, .high = 20})),
            (Doubles{13, 16, 0, 5, 10, -1, 7}));
  const Doubles normal = drawn(Tensor::randn({5}));
  const Doubles expected = {-1.0208535194396973, 0.4430333971977234, -1.722991704940796,
                            -0.1359226256608963, -1.022537112236023};
  for (size_t i = 0; i < normal.size(); ++i) EXPECT_NEAR(normal[i], expected[i], 2e-6);
  EXPECT_EQ(drawn(Tensor::randperm(10)), (Doubles{8, 6, 5, 9, 4, 7, 2, 0, 3, 1}));
  EXPECT_EQ(drawn(Tensor({{1.f, 2.f, 3.f, 4.f}, {4.f, 3.f, 2.f, 1.f}}).multinomial(5, true)),
            (Doubles{3, 3, 1, 3, 1, 2, 1, 1, 1, 3}));
  EXPECT_EQ(drawn(Tensor{1.f, 2.f, 3.f, 4.f}.multinomial(3)), (Doubles{3, 1, 2}));
  const Doubles on_second = drawn(Tensor::rand({3}, {.device = "CPU:1"}));
  EXPECT_EQ(on_second, (Doubles{0.9374854564666748, 0.0694422721862793, 0.9007929563522339}));
}
TEST_F(RandomTensors, OfSeedsBeyond32BitsDiffer) {
  manual_seed(5);
  const Doubles small = drawn(Tensor::rand({4}));
  manual_seed((uint64_t{1} << 32) + 5);
  EXPECT_NE(drawn(Tensor::rand({4})), small);
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
    EXPECT_EQ(v * 1024, std::floor(v * 1024));
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
TEST_F(RandomTensors, UniformGivesWholeNumbersForIntegers) {
  const Tensor t = Tensor::uniform({500}, {.low = -3, .high = 4, .dtype = DType::Int32});
  EXPECT_EQ(t.dtype(), DType::Int32);
  const Doubles v = drawn(t);
  EXPECT_EQ(std::set<double>(v.begin(), v.end()), (std::set<double>{-3, -2, -1, 0, 1, 2, 3}));
}
TEST_F(RandomTensors, RefuseWhatIsNoDistribution) {
  EXPECT_EQ(error_of<ArgumentError>([] { Tensor::uniform({2}, {.low = 1, .high = 1}); }),
            "uniform: needs low < high, got 1 and 1.");
  EXPECT_EQ(error_of<DTypeError>([] { Tensor::uniform({2}, {.dtype = DType::Bool}); }),
            "uniform: needs a float dtype, got bool.");
  EXPECT_EQ(error_of<ArgumentError>([] { Tensor::normal({2}, {.std = -1}); }),
            "normal: needs a deviation of 0 or more, got -1.");
  EXPECT_EQ(error_of<ArgumentError>([] { Tensor::rand({int64_t{1} << 41}); }),
            "rand: draws at most 1099511627776 words of 32 bits at once, not 2199023255552.");
  for (DType t : {DType::Float32, DType::Float64}) {
    EXPECT_THROW(Tensor::randn({int64_t{1} << 61}, {.dtype = t}), ArgumentError);
    EXPECT_THROW(Tensor::rand({int64_t{1} << 61}, {.dtype = t}), ArgumentError);
  }
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

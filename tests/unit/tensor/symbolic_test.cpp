// Variables as sizes and places: what exists has the right values on every device, one plan serves
// all values, captured calls take new ones, and what cannot be done says so.
#include <gtest/gtest.h>
#include <tg/jit.h>
#include <tg/symbolic.h>

#include <cmath>
#include <numeric>

#include "engine/counters.h"
#include "support/options.h"
#include "unit/tensor/support/tensor_test.h"

namespace tg {
namespace {

using namespace testing;

const Variable kN("n", 1, 6);

Tensor iota_floats(const Shape& shape) {
  const int64_t n = std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
  std::vector<float> v(static_cast<size_t>(n));
  std::iota(v.begin(), v.end(), 0.f);
  return Tensor(v, shape);
}

std::string texts(const std::vector<SymInt>& sizes) {
  std::string out;
  for (const SymInt& s : sizes) out += (out.empty() ? "" : ",") + s.str();
  return out;
}

template <typename E>
void expect_error(const std::function<void()>& f, const std::string& text) {
  EXPECT_EQ(error_of<E>(f), text);
}

// ---- sizes
TEST(Symbolic, ExpressionsHaveValuesBoundsAndText) {
  const SymInt n = kN.bind(4), e = 2 * n + 3;
  EXPECT_EQ(e.value(), 11);
  EXPECT_EQ(e.min(), 5);
  EXPECT_EQ(e.max(), 15);
  EXPECT_EQ(e.str(), "n*2 + 3");
  EXPECT_EQ((e - 3) / 2, n);
  EXPECT_TRUE((n - n).is_number());
  EXPECT_EQ((n % 4).value(), 0);
  EXPECT_EQ((-n).value(), -4);
}
TEST(Symbolic, BindChecksTheBounds) {
  expect_error<ArgumentError>([] { kN.bind(7); },
                              "bind: 7 is outside the bounds of the variable n: 1 to 6.");
  expect_error<ArgumentError>([] { Variable("m", 3, 2); },
                              "Variable: bounds must be 0 <= min <= max: m from 3 to 2.");
  expect_error<ArgumentError>([] { Variable("", 0, 2); }, "Variable: needs a name.");
}
TEST(Symbolic, DivisionByWhatMayBeZeroIsRefused) {
  const Variable z("z", 0, 3);
  EXPECT_THROW(kN.bind(2) / z.bind(1), ArgumentError);
  EXPECT_THROW(kN.bind(2) % z.bind(1), ArgumentError);
}

// ---- slices
TEST(Symbolic, ASliceHasTheLargestExtentAndTheElementsThatExist) {
  const Tensor y = iota_floats({6, 2})[Slice(0, kN.bind(2))];
  EXPECT_EQ(y.shape(), (Shape{6, 2}));
  EXPECT_EQ(texts(y.sizes()), "n,2");
  EXPECT_EQ(y.to_vector<float>(), (std::vector<float>{0, 1, 2, 3}));
  EXPECT_EQ((y + 1).to_vector<float>(), (std::vector<float>{1, 2, 3, 4}));
}
TEST(Symbolic, InnerAxesAreGivenWithoutGaps) {
  const Tensor y = iota_floats({2, 6})[{Slice(), Slice(0, kN.bind(3))}];
  EXPECT_EQ((y * 2).to_vector<float>(), (std::vector<float>{0, 2, 4, 12, 14, 16}));
}
TEST(Symbolic, AWindowMayBeginAnywhere) {
  const Variable p("p", 0, 4);
  for (int64_t at = 0; at <= 4; ++at) {
    const SymInt b = p.bind(at);
    const float f = static_cast<float>(at);
    EXPECT_EQ(iota_floats({6})[Slice(b, b + 2)].to_vector<float>(), (std::vector<float>{f, f + 1}));
    EXPECT_EQ(iota_floats({6})[b].item<float>(), f);
  }
}
TEST(Symbolic, AWindowOfVariablePlaceAndSizeStaysInside) {
  const Variable p("p", 0, 5);
  const SymInt b = p.bind(4);
  const Tensor y = iota_floats({6})[Slice(b, 6)];
  EXPECT_EQ(texts(y.sizes()), "p*-1 + 6");
  EXPECT_EQ(y.to_vector<float>(), (std::vector<float>{4, 5}));
  EXPECT_EQ(y.sum().item<float>(), 9);
}
TEST(Symbolic, SlicesOfSlicesCountFromWhatExists) {
  const Tensor y = iota_floats({6})[Slice(0, kN.bind(5))];
  EXPECT_EQ(y[Slice(0, kN.bind(5) - 1)].to_vector<float>(), (std::vector<float>{0, 1, 2, 3}));
  EXPECT_EQ(y[-1].item<float>(), 4);
  EXPECT_EQ(y[Slice(0, -1)].to_vector<float>(), (std::vector<float>{0, 1, 2, 3}));
}
TEST(Symbolic, PlacesAreRefusedIfTheyAreOutsideForTheValuesAtHand) {
  const Tensor y = iota_floats({6})[Slice(0, kN.bind(5))];
  EXPECT_EQ(y[Slice(0, 3)].to_vector<float>(), (std::vector<float>{0, 1, 2}));
  EXPECT_EQ(y[Slice(2, 5)].sum().item<float>(), 9);
  EXPECT_EQ(y[2].item<float>(), 2);
  EXPECT_EQ(y[Slice(0, Variable("m", 1, 6).bind(2))].to_vector<float>(),
            (std::vector<float>{0, 1}));
  expect_error<IndexError>([&] { y[Slice(0, 6)]; },
                           "index: [0, 6) is outside of axis 0 of shape [n]: from 0 to 6 of 5 "
                           "elements.");
  EXPECT_THROW(y[5], IndexError);
  EXPECT_THROW(y[Slice(3, Variable("m", 1, 6).bind(2))], IndexError);
  const Variable p("p", 0, 6);
  EXPECT_EQ(iota_floats({6})[p.bind(2)].item<float>(), 2);
  EXPECT_THROW(iota_floats({6})[p.bind(6)], IndexError);
  EXPECT_EQ(iota_floats({4})[Slice(0, kN.bind(2))].to_vector<float>(), (std::vector<float>{0, 1}));
  EXPECT_THROW(iota_floats({4})[Slice(0, kN.bind(5))], IndexError);
  EXPECT_THROW(iota_floats({6})[Slice(0, kN.bind(2), 2)], ArgumentError);
}
TEST(Symbolic, ShrinkCutsAxesOfVariableSize) {
  const Tensor y = iota_floats({6, 3})[Slice(0, kN.bind(5))];
  EXPECT_EQ(y.shrink({{1, 3}, {0, 1}}).to_vector<float>(), (std::vector<float>{3, 6}));
  EXPECT_EQ(y.shrink({{0, 6}, {1, 2}}).sum().item<float>(), 1 + 4 + 7 + 10 + 13);
  EXPECT_THROW(y.shrink({{3, 6}, {0, 1}}), IndexError);
}
TEST(Symbolic, OneKernelServesSlicesOfSlices) {
  const Variable m("m", 0, 9);
  const Tensor x = iota_floats({10, 3}).realize();
  for (int64_t n = 2; n <= 6; ++n) {
    for (int64_t first = 0; first + 2 <= n; ++first) {
      const Tensor some = x[Slice(0, kN.bind(n))];
      const SymInt at = m.bind(first);
      std::vector<float> want;
      for (int64_t k = 3 * first; k < 3 * (first + 2); ++k) want.push_back(static_cast<float>(k));
      EXPECT_EQ(some[Slice(at, at + 2)].to_vector<float>(), want) << n << " " << first;
      const double sum = std::accumulate(want.begin(), want.end(), 0.0);
      EXPECT_EQ((some[Slice(at, at + 2)] * 2).sum().item<float>(), 2 * sum);
    }
  }
}
TEST(Symbolic, CapturedCallsAskAgainForTheirValues) {
  TinyJit f([](const Tensor& x, const SymInt& n) { return x[Slice(0, n)][Slice(1, 3)] + 1; });
  const Tensor x = iota_floats({6});
  for (int64_t n : {3, 5, 6, 4}) {
    EXPECT_EQ(f(x, kN.bind(n)).to_vector<float>(), (std::vector<float>{2, 3}));
  }
  EXPECT_TRUE(f.stats().captured);
  expect_error<IndexError>([&] { f(x, kN.bind(2)); },
                           "TinyJit: index: [1, 3) of axis 0 of shape [n] reaches outside for the "
                           "values of this call.");
  EXPECT_EQ(f(x, kN.bind(3)).to_vector<float>(), (std::vector<float>{2, 3}));
}
TEST(Symbolic, CapturedCallsTakeVectorsOfVariables) {
  TinyJit f([](const Tensor& x, const std::vector<SymInt>& at) {
    Tensor sum = x[at[0]];
    for (size_t i = 1; i < at.size(); ++i) sum = sum + x[at[i]] * 10;
    return sum;
  });
  const Tensor x = iota_floats({6});
  const Variable first("first", 0, 5), other("other", 0, 5);
  for (const auto& [a, b] : {std::pair(0, 1), std::pair(2, 5), std::pair(4, 3)}) {
    const std::vector<SymInt> at = {first.bind(a), other.bind(b)};
    EXPECT_EQ(f(x, at).item<float>(), static_cast<float>(a + 10 * b));
  }
  EXPECT_TRUE(f.stats().captured);
  EXPECT_THROW(f(x, std::vector<SymInt>{first.bind(1)}), ArgumentError);
}

// ---- reductions
class SymbolicReduction : public ::testing::TestWithParam<int64_t> {
 protected:
  SymInt n = kN.bind(GetParam());
  float count = static_cast<float>(GetParam());
  Tensor rows = iota_floats({3, 6})[{Slice(), Slice(0, n)}];
};
TEST_P(SymbolicReduction, LeavesOutWhatDoesNotExist) {
  std::vector<float> sums, most, least;
  for (float r = 0; r < 3; ++r) {
    sums.push_back(count * 6 * r + count * (count - 1) / 2);
    most.push_back(6 * r + count - 1);
    least.push_back(6 * r);
  }
  EXPECT_EQ(rows.sum({.axis = 1}).to_vector<float>(), sums);
  EXPECT_EQ(rows.max({.axis = 1}).to_vector<float>(), most);
  EXPECT_EQ(rows.min({.axis = 1}).to_vector<float>(), least);
  EXPECT_EQ(rows.argmax({.axis = 1}).to_vector<int64_t>(), std::vector<int64_t>(3, GetParam() - 1));
  EXPECT_EQ((rows > -1).all().item<bool>(), true);
  EXPECT_EQ((rows > 11 + count).any().item<bool>(), false);
}
TEST_P(SymbolicReduction, CountsWhatExists) {
  EXPECT_FLOAT_EQ(rows.mean().item<float>(), 6 + (count - 1) / 2);
  const auto variance = rows.var({.axis = 1, .correction = 0}).to_vector<float>();
  for (float v : variance) EXPECT_NEAR(v, (count * count - 1) / 12, 1e-4);
}
TEST_P(SymbolicReduction, SoftmaxIsOverWhatExists) {
  const auto y = rows.softmax().to_vector<float>();
  ASSERT_EQ(y.size(), static_cast<size_t>(3 * GetParam()));
  float total = 0;
  for (int64_t i = 0; i < GetParam(); ++i) total += std::exp(static_cast<float>(i));
  for (size_t i = 0; i < y.size(); ++i) {
    const auto k = static_cast<float>(static_cast<int64_t>(i) % GetParam());
    EXPECT_NEAR(y[i], std::exp(k) / total, 1e-6);
  }
}
TEST_P(SymbolicReduction, ProductsContractOverWhatExists) {
  const Tensor w = iota_floats({6, 2})[Slice(0, n)];
  std::vector<float> expected;
  for (float r = 0; r < 3; ++r) {
    for (float c = 0; c < 2; ++c) {
      float s = 0;
      for (float k = 0; k < count; ++k) s += (6 * r + k) * (2 * k + c);
      expected.push_back(s);
    }
  }
  EXPECT_EQ(rows.matmul(w).to_vector<float>(), expected);
}
TEST_P(SymbolicReduction, GradientsReachOnlyWhatExists) {
  const Tensor x = iota_floats({6});
  const Tensor loss = (x[Slice(0, n)] * x[Slice(0, n)]).sum();
  const auto g = loss.gradient({x})[0].to_vector<float>();
  for (size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(g[i], static_cast<int64_t>(i) < GetParam() ? 2 * static_cast<float>(i) : 0) << i;
  }
}
TEST_P(SymbolicReduction, GradientsOfPartsAndWholesAdd) {
  const Tensor x = iota_floats({6});
  const auto g = ((x[Slice(0, n)].exp2()).sum() + x.sum()).gradient({x})[0].to_vector<float>();
  for (size_t i = 0; i < 6; ++i) {
    const float part = static_cast<float>(std::exp2(i) * std::log(2.0));
    EXPECT_NEAR(g[i], 1 + (static_cast<int64_t>(i) < GetParam() ? part : 0), 1e-4) << i;
  }
}
INSTANTIATE_TEST_SUITE_P(Sizes, SymbolicReduction, ::testing::Range<int64_t>(1, 7));

// ---- sizes at which loops are tiled, vectors and threads: the same functions of plain slices
class SymbolicLength : public ::testing::TestWithParam<int64_t> {
 protected:
  static constexpr int64_t kMost = 700;
  static Options on_cpu() {
    Options o = options();
    o.device = "CPU";
    return o;
  }
  const OptionsScope scope_{on_cpu()};
  SymInt n = Variable("length", 1, kMost).bind(GetParam());

  static void expect_equal(const Tensor& symbolic, const Tensor& plain) {
    const auto a = symbolic.to_vector<float>(), b = plain.to_vector<float>();
    ASSERT_EQ(a.size(), b.size());
    for (size_t i = 0; i < a.size(); ++i) {
      ASSERT_NEAR(a[i], b[i], 1e-5 * std::max(1.0f, std::abs(b[i]))) << "element " << i;
    }
  }
  // Numbers of no pattern that sum without much rounding.
  static Tensor data(const Shape& shape) { return (iota_floats(shape) * 0.7).sin().realize(); }
};
TEST_P(SymbolicLength, OfRows) {
  const Tensor x = data({kMost, 40});
  const Tensor a = x[Slice(0, n)], b = x[Slice(0, GetParam())];
  expect_equal(a * 2 + 1, b * 2 + 1);
  expect_equal(a.sum({.axis = 0}), b.sum({.axis = 0}));
  expect_equal(a.max({.axis = 1}), b.max({.axis = 1}));
  expect_equal(a.mean(), b.mean());
  expect_equal(a.softmax(0), b.softmax(0));
}
TEST_P(SymbolicLength, OfColumns) {
  const Tensor x = data({33, kMost});
  const Tensor a = x[{Slice(), Slice(0, n)}], b = x[{Slice(), Slice(0, GetParam())}];
  expect_equal(a.exp2(), b.exp2());
  expect_equal(a.sum({.axis = 1}), b.sum({.axis = 1}));
  expect_equal(a.softmax(), b.softmax());
  expect_equal(a.layer_norm(), b.layer_norm());
  expect_equal(a.transpose() + 1, b.transpose() + 1);
}
TEST_P(SymbolicLength, OfProducts) {
  const Tensor x = data({kMost, 48}), y = data({48, kMost});
  const Tensor a = x[Slice(0, n)], b = x[Slice(0, GetParam())];
  const Tensor c = y[{Slice(), Slice(0, n)}], d = y[{Slice(), Slice(0, GetParam())}];
  expect_equal(a.matmul(data({48, 64})), b.matmul(data({48, 64})));
  expect_equal(c.matmul(a), d.matmul(b));
  expect_equal(a.matmul(c).softmax().matmul(a), b.matmul(d).softmax().matmul(b));
}
TEST_P(SymbolicLength, OfGradients) {
  const Tensor x = data({kMost, 24}), w = data({24, 16});
  const auto grads = [&](const Tensor& rows) {
    return rows.matmul(w).relu().square().mean().gradient({x, w});
  };
  const auto a = grads(x[Slice(0, n)]), b = grads(x[Slice(0, GetParam())]);
  expect_equal(a[0], b[0]);
  expect_equal(a[1], b[1]);
}
TEST_P(SymbolicLength, OfAssignments) {
  const Tensor x = data({kMost, 5}), y = data({kMost, 5});
  x[Slice(0, n)].assign((y + 1)[Slice(0, n)]);
  const Tensor z = data({kMost, 5});
  z[Slice(0, GetParam())].assign((y + 1)[Slice(0, GetParam())]);
  expect_equal(x, z);
}
INSTANTIATE_TEST_SUITE_P(Lengths, SymbolicLength,
                         ::testing::Values(1, 15, 16, 63, 64, 129, 512, 700));

// ---- movement
TEST(Symbolic, BordersFollowWhatExists) {
  const Tensor y = iota_floats({6})[Slice(0, kN.bind(2))].pad({{1, 2}}, 9);
  EXPECT_EQ(texts(y.sizes()), "n + 3");
  EXPECT_EQ(y.to_vector<float>(), (std::vector<float>{9, 0, 1, 9, 9}));
}
TEST(Symbolic, JoinedPiecesFollowEachOther) {
  const Tensor a = iota_floats({6})[Slice(0, kN.bind(2))], b = iota_floats({2}) + 10;
  const Tensor y = Tensor::cat({a, b, a});
  EXPECT_EQ(texts(y.sizes()), "n*2 + 2");
  EXPECT_EQ(y.to_vector<float>(), (std::vector<float>{0, 1, 10, 11, 0, 1}));
}
TEST(Symbolic, ReshapeKeepsSplitsAndMergesFirstAxes) {
  const SymInt n = kN.bind(2);
  const Tensor x = iota_floats({6, 4})[Slice(0, n)];
  EXPECT_EQ(texts(x.reshape({n, 2, 2}).sizes()), "n,2,2");
  const Tensor flat = x.reshape({-1});
  EXPECT_EQ(texts(flat.sizes()), "n*4");
  EXPECT_EQ(flat.to_vector<float>(), (std::vector<float>{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(texts(flat.reshape({n, -1}).sizes()), "n,4");
  EXPECT_EQ(flat.reshape({n, -1}).sum({.axis = 1}).to_vector<float>(), (std::vector<float>{6, 22}));
  EXPECT_EQ(texts(x.unsqueeze(0).permute({2, 1, 0}).sizes()), "4,n,1");
}
TEST(Symbolic, FlattenMergesAsReshapeDoes) {
  const Tensor x = iota_floats({6, 2, 3})[Slice(0, kN.bind(2))];
  EXPECT_EQ(texts(x.flatten().sizes()), "n*6");
  EXPECT_EQ(x.flatten().to_vector<float>(), iota_floats({12}).to_vector<float>());
  EXPECT_EQ(texts(x.flatten(1).sizes()), "n,6");
  EXPECT_EQ(texts(x.flatten(0, 1).sizes()), "n*2,3");
  EXPECT_EQ(texts(x.flatten(0, 0).sizes()), "n,2,3");
  EXPECT_EQ(x.flatten(0, 1).sum({.axis = 1}).to_vector<float>(),
            (std::vector<float>{3, 12, 21, 30}));
}
TEST(Symbolic, NothingIsReshapedToNothing) {
  const SymInt none = Variable("none", 0, 0).bind(0);
  const Tensor y = Tensor::zeros({2, 3}).reshape({6})[Slice(0, none)].reshape({2, none, 3});
  EXPECT_EQ(y.to_vector<float>().size(), 0u);
}
TEST(Symbolic, ReshapeRefusesToMergeWithAxesBefore) {
  const SymInt n = kN.bind(2);
  const Tensor x = iota_floats({3, 6})[{Slice(), Slice(0, n)}];
  expect_error<ShapeError>([&] { x.reshape({-1}); },
                           "reshape: a variable size cannot be split or merged so: [3,n] to [n*3]. "
                           "Hint: a variable size "
                           "can be merged with the axes after it, not with those before.");
  expect_error<ShapeError>([&] { x.flatten(); },
                           "reshape: a variable size cannot be split or merged so: [3,n] to [n*3]. "
                           "Hint: a variable size "
                           "can be merged with the axes after it, not with those before.");
}
TEST(Symbolic, ExpandStretchesToAVariable) {
  const SymInt n = kN.bind(3);
  const Tensor y = (Tensor{2.f}).expand({n});
  EXPECT_EQ(y.to_vector<float>(), (std::vector<float>{2, 2, 2}));
  EXPECT_EQ(y.sum().item<float>(), 6);
  EXPECT_EQ(texts((iota_floats({6, 1})[Slice(0, n)]).expand({-1, 2}).sizes()), "n,2");
}
TEST(Symbolic, DifferentSizesDoNotMeet) {
  const Variable m("m", 1, 6);
  const Tensor a = iota_floats({6})[Slice(0, kN.bind(2))],
               b = iota_floats({6})[Slice(0, m.bind(2))];
  EXPECT_THROW(a + b, ShapeError);
}
TEST(Symbolic, GathersReadZeroWhereNothingExists) {
  const Tensor x = (iota_floats({6}) + 1)[Slice(0, kN.bind(3))];
  const Tensor at{0, 2, 3, 5};
  EXPECT_EQ(x[at].to_vector<float>(), (std::vector<float>{1, 3, 0, 0}));
}
TEST(Symbolic, IndicesPickAlongSeveralAxes) {
  const Tensor x = iota_floats({4, 6}), a{0, 2, 1}, b{3, 0, 5, 1, 2, 4};
  const Tensor rows = a.unsqueeze(1);
  for (const int64_t k : {2, 5, 6}) {
    const auto same = [&](const auto& f) {
      const Tensor varies = f(kN.bind(k)), plain = f(SymInt(k));
      EXPECT_EQ(varies.to_vector<float>(), plain.to_vector<float>());
    };
    const auto part = [&](const SymInt& n) { return b[Slice(0, n)]; };
    same([&](const SymInt& n) { return x[{rows, part(n)}]; });
    same([&](const SymInt& n) { return x[{part(n).unsqueeze(1).minimum(3), a}]; });
    same([&](const SymInt& n) { return x[{Slice(), part(n).unsqueeze(0).expand({2, n})}]; });
    same([&](const SymInt& n) {
      return x[{part(n).unsqueeze(0).minimum(3), part(n).unsqueeze(1)}];
    });
    // Of an axis that varies, too: 0 where it ends.
    const Tensor picked = x[{Slice(), Slice(0, kN.bind(k))}][{a, Tensor{0, 1, 5}}];
    EXPECT_EQ(picked.to_vector<float>(), (std::vector<float>{0, 13, k == 6 ? 11.F : 0}));
  }
}
TEST(Symbolic, IndicesOfSeveralAxesHaveGradientsOfWhatExists) {
  const Tensor x = iota_floats({2, 3}).is_param_(), b{1, 0, 2, 1, 1, 2};
  x[{Tensor{0, 1}.unsqueeze(1), b[Slice(0, kN.bind(4))]}].sum().backward();
  EXPECT_EQ(x.grad().to_vector<float>(), (std::vector<float>{1, 2, 1, 1, 2, 1}));
}
TEST(Symbolic, CreationTakesVariables) {
  const SymInt n = kN.bind(2);
  EXPECT_EQ(Tensor::ones({2, n}).to_vector<float>(), (std::vector<float>{1, 1, 1, 1}));
  EXPECT_EQ(Tensor::full({n}, 7, {.buffer = false}).sum().item<int>(), 14);
  EXPECT_EQ(texts(Tensor::zeros({n, 3}).ones_like().sizes()), "n,3");
  expect_error<ShapeError>([&] { Tensor::zeros({n - 3}); },
                           "zeros: sizes must not be negative: [-2].");
}
TEST(Symbolic, TensorsHaveTheValueOfTheCall) {
  EXPECT_EQ(Tensor(kN.bind(4) + 1).item<int>(), 5);
  const int64_t large = int64_t{1} << 40;
  EXPECT_EQ(Tensor(Variable("large", 0, large).bind(large)).item<int64_t>(), large);
  TinyJit f([](const Tensor& x, const SymInt& n) { return x * Tensor(n) + 0.5; });
  for (int64_t n : {3, 2, 6, 1}) {
    EXPECT_EQ(f(Tensor{2.f}, kN.bind(n)).item<float>(), static_cast<float>(2 * n) + 0.5f);
  }
}
TEST(Symbolic, PrintsWhatExists) {
  EXPECT_EQ(iota_floats({6})[Slice(0, kN.bind(2))].str(), "[0. 1.] float32[n]");
}

// ---- assignment
TEST(Symbolic, AssignsToAWindow) {
  const Variable p("p", 0, 5);
  const Tensor cache = Tensor::zeros({6}).contiguous().realize();
  for (int64_t i : {4, 0, 2}) {
    const SymInt at = p.bind(i);
    cache.set({Slice(at, at + 1)}, Tensor{static_cast<float>(i + 1)});
    cache.realize();
  }
  EXPECT_EQ(cache.to_vector<float>(), (std::vector<float>{1, 0, 3, 0, 5, 0}));
}
TEST(Symbolic, AssignsOnlyToWhatExists) {
  const Tensor x = Tensor::zeros({6}).contiguous().realize();
  x[Slice(0, kN.bind(2))].assign(7);
  EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{7, 7, 0, 0, 0, 0}));
}

// ---- plans and captured calls
TEST(Symbolic, OnePlanServesAllValues) {
  const Tensor x = iota_floats({6});
  x[Slice(0, kN.bind(1))].sum().item<float>();
  reset_counters();
  for (int64_t n = 2; n <= 6; ++n) {
    EXPECT_EQ(x[Slice(0, kN.bind(n))].sum().item<float>(), static_cast<float>(n * (n - 1) / 2));
  }
  EXPECT_EQ(counters().compiled, 0);
}
TEST(Symbolic, SeveralValuesInOneComputation) {
  const Tensor x = iota_floats({6});
  const Tensor first = x[Slice(0, kN.bind(2))].sum(), second = x[Slice(0, kN.bind(3))].sum(),
               third = x[Slice(0, kN.bind(2))].max();
  EXPECT_EQ((first * 100 + second * 10 + third).item<float>(), 100 * 1 + 10 * 3 + 1);
}
TEST(Symbolic, OneValueInARecordedCall) {
  TinyJit f([](const Tensor& x, const SymInt& n) {
    return x[Slice(0, n)].sum() + x[Slice(0, kN.bind(3))].sum();
  });
  EXPECT_THROW(f(iota_floats({6}), kN.bind(2)), ArgumentError);
}
TEST(Symbolic, EqualSizesOfUnequalExtentsMeet) {
  const Variable start("start", 0, 7);
  const SymInt n = start.bind(1) + 4;
  const Tensor x = iota_floats({8});  // of which 5 are taken, though n may be 11
  const Tensor taken = x[Slice(0, n)], made = Tensor::full(Sizes(std::vector<SymInt>{n}), 1.0);
  EXPECT_EQ((taken + made).to_vector<float>(), (std::vector<float>{1, 2, 3, 4, 5}));
  EXPECT_EQ((made + taken).to_vector<float>(), (std::vector<float>{1, 2, 3, 4, 5}));
  EXPECT_EQ((made > 0).where(taken, 7).sum().item<float>(), 10);
  EXPECT_EQ(made.matmul(taken).item<float>(), 10);
  const std::vector<SymInt> row = {1, n};
  EXPECT_EQ(taken.reshape(Sizes(row)).sum().item<float>(), 10);
}
TEST(Symbolic, CapturedCallsTakeNewValues) {
  TinyJit f([](const Tensor& x, const SymInt& n) { return x[Slice(0, n)] * 2; });
  for (int64_t n : {3, 2, 6, 1, 5}) {
    const Tensor y = f(iota_floats({6}), kN.bind(n));
    std::vector<float> expected;
    for (int64_t i = 0; i < n; ++i) expected.push_back(static_cast<float>(2 * i));
    EXPECT_EQ(y.to_vector<float>(), expected);
  }
  EXPECT_TRUE(f.stats().captured);
}
TEST(Symbolic, CapturedCallsTakeTensorsOfVariableSize) {
  TinyJit f([](const Tensor& x) { return x.sum(); });
  const Tensor whole = iota_floats({6}).realize();
  for (int64_t n : {3, 2, 6, 1, 5}) {
    EXPECT_EQ(f(whole[Slice(0, kN.bind(n))]).item<float>(), static_cast<float>(n * (n - 1) / 2));
  }
}
TEST(Symbolic, CapturedCallsRefuseOtherVariables) {
  TinyJit f([](const Tensor& x, const SymInt& n) { return x[Slice(0, n)].sum(); });
  const Tensor x = iota_floats({6});
  for (int64_t n : {3, 2, 6}) f(x, kN.bind(n));
  expect_error<ArgumentError>(
      [&] { f(x, SymInt(4)); },
      "TinyJit: size 0 was frozen at capture: n, called with 4. Hint: bind a "
      "Variable in every call.");
  EXPECT_THROW(f(x, Variable("m", 1, 6).bind(2)), ArgumentError);
}
TEST(Symbolic, AKeyCacheGrowsInACapturedCall) {
  const Variable p("p", 0, 7);
  const Tensor cache = Tensor::zeros({8, 2}).contiguous().realize();
  TinyJit step([&](const Tensor& row, const SymInt& at) {
    cache.set({Slice(at, at + 1)}, row);
    const Tensor seen = cache[Slice(0, at + 1)];
    return seen.matmul(row.reshape({2, 1})).reshape({at + 1}).softmax().matmul(seen).realize();
  });
  std::vector<std::vector<double>> rows;
  for (int64_t i = 0; i < 8; ++i) {
    const double v = static_cast<double>(i);
    const std::vector<double> row = {std::sin(v), std::cos(3 * v)};
    rows.push_back(row);
    const auto y =
        step(Tensor(std::vector<float>(row.begin(), row.end())).reshape({1, 2}), p.bind(i))
            .to_vector<float>();
    std::vector<double> weights;
    double total = 0, a = 0, b = 0;
    for (const auto& r : rows) weights.push_back(std::exp(r[0] * row[0] + r[1] * row[1]));
    for (double w : weights) total += w;
    for (size_t k = 0; k < rows.size(); ++k) {
      a += weights[k] / total * rows[k][0];
      b += weights[k] / total * rows[k][1];
    }
    ASSERT_EQ(y.size(), 2u);
    EXPECT_NEAR(y[0], a, 1e-5) << i;
    EXPECT_NEAR(y[1], b, 1e-5) << i;
  }
}

}  // namespace
}  // namespace tg

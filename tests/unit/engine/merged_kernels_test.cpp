// Kernels over the same loops become one where that saves traffic, and only where one can stand for
// both: values against fusion switched off, counts of kernels, values in place.
#include <gtest/gtest.h>
#include <tg/tg.h>

#include <random>

#include "engine/counters.h"
#include "support/options.h"

namespace tg {
namespace {

class MergedKernels : public testing::TestWithParam<const char*> {
 protected:
  MergedKernels() : scope_(on(GetParam())) {}

  static Tensor data(const Shape& shape, int seed = 1) {
    int64_t n = 1;
    for (int64_t d : shape) n *= d;
    std::vector<float> v(static_cast<size_t>(n));
    std::mt19937 rng(static_cast<unsigned>(seed));
    for (float& x : v) x = static_cast<float>(static_cast<int>(rng() % 41) - 20) / 8;
    return Tensor(v, shape).realize();
  }
  static int64_t kernels(const std::vector<Tensor>& roots) {
    reset_counters();
    Tensor::realize(roots);
    return counters().kernels;
  }
  static void expect_near(const Tensor& got, const std::vector<float>& want) {
    const std::vector<float> v = got.to_vector<float>();
    ASSERT_EQ(v.size(), want.size());
    for (size_t i = 0; i < v.size(); ++i) EXPECT_NEAR(v[i], want[i], 1e-4) << "element " << i;
  }

 private:
  static Options on(const char* device) {
    Options o = options();
    o.device = device;
    return o;
  }
  const OptionsScope scope_;
};

TEST_P(MergedKernels, TwoSumsOfOneArrayReadItOnce) {
  const Tensor x = data({24, 40});
  const Tensor a = x.sum({.axis = {1}}), b = (x * x).sum({.axis = {1}});
  reset_counters();
  EXPECT_EQ(kernels({a, b}), 1);
  EXPECT_LE(counters().bytes, 24 * 40 * 4 + 2 * 24 * 4);
  const std::vector<float> xs = x.to_vector<float>();
  std::vector<float> sums(24), squares(24);
  for (size_t i = 0; i < xs.size(); ++i) {
    sums[i / 40] += xs[i];
    squares[i / 40] += xs[i] * xs[i];
  }
  expect_near(a, sums);
  expect_near(b, squares);
}

TEST_P(MergedKernels, AValueIsPassedOnAndStored) {
  const Tensor x = data({16, 50});
  const Tensor mean = x.mean({.axis = {1}}), var = x.var({.axis = {1}, .correction = 0});
  EXPECT_EQ(kernels({mean, var}), 1);
  const std::vector<float> xs = x.to_vector<float>();
  std::vector<float> means(16), vars(16);
  for (size_t i = 0; i < xs.size(); ++i) means[i / 50] += xs[i] / 50;
  for (size_t i = 0; i < xs.size(); ++i)
    vars[i / 50] += (xs[i] - means[i / 50]) * (xs[i] - means[i / 50]) / 50;
  expect_near(mean, means);
  expect_near(var, vars);
}

TEST_P(MergedKernels, WhatIsOverwrittenIsReadBefore) {
  const Tensor a = data({300}), g = data({300}, 2);
  const std::vector<float> before = a.to_vector<float>(), gs = g.to_vector<float>();
  const Tensor old = a * 2 + g;
  a.assign(a + g);
  const Tensor after = a * 3 + g;
  EXPECT_EQ(kernels({old, a, after}), 1);
  std::vector<float> olds, now, afters;
  for (size_t i = 0; i < before.size(); ++i) {
    olds.push_back(before[i] * 2 + gs[i]);
    now.push_back(before[i] + gs[i]);
    afters.push_back(now.back() * 3 + gs[i]);
  }
  expect_near(old, olds);
  expect_near(a, now);
  expect_near(after, afters);
}

TEST_P(MergedKernels, NotWhereAThirdKernelStandsBetween) {
  const Tensor x = data({20, 30});
  const Tensor rows = (x * 2).contiguous();
  const Tensor turned = rows.transpose(0, 1).contiguous().sum({.axis = {0}});  // reads rows across
  const Tensor out = rows + turned.reshape({20, 1});
  Tensor::realize({rows, out});
  const std::vector<float> xs = x.to_vector<float>();
  std::vector<float> want(xs.size()), sums(20);
  for (size_t i = 0; i < xs.size(); ++i) sums[i / 30] += 2 * xs[i];
  for (size_t i = 0; i < xs.size(); ++i) want[i] = 2 * xs[i] + sums[i / 30];
  expect_near(out, want);
}

TEST_P(MergedKernels, UnrelatedKernelsStayApart) {
  const Tensor x = data({64}), y = data({64}, 2);
  EXPECT_EQ(kernels({x + 1, y * 2}), 2);
}

TEST_P(MergedKernels, ShiftedReadsAreNotPassedOn) {
  const Tensor x = data({100});
  const Tensor y = (x + 1).contiguous();
  const Tensor z = y.flip({0}) * y;
  Tensor::realize({y, z});
  const std::vector<float> xs = x.to_vector<float>();
  std::vector<float> want;
  for (size_t i = 0; i < xs.size(); ++i) want.push_back((xs[xs.size() - 1 - i] + 1) * (xs[i] + 1));
  expect_near(z, want);
}

// A product is zero outside a window only if its factors are: log(0) and 1/0 are not.
TEST_P(MergedKernels, PaddingOfAProductIsZeroWhateverItsFactorsAre) {
  const Tensor a = data({5}), b = (data({5}, 2) * data({5}, 2) + 1).realize();
  for (const Tensor& product : {a * b.log(), a * b.reciprocal(), b.log() * a}) {
    const std::vector<float> v = product.pad({{2, 1}}).to_vector<float>();
    ASSERT_EQ(v.size(), 8u);
    EXPECT_EQ(v[0], 0);
    EXPECT_EQ(v[1], 0);
    EXPECT_EQ(v[7], 0);
  }
}

// One kernel stores the parts of a value too large for one, of which another computes it again: the
// products among them are rounded in both, or in neither.
TEST_P(MergedKernels, AValueThatIsComputedTwiceIsEqualToItself) {
  const Tensor a = Tensor({-1.80078125f, -1.11328125f}).realize();
  const Tensor b = Tensor({-1.23046875f}).realize(), c = Tensor({-0.0546875f}).realize();
  const Tensor one = Tensor(std::vector<int32_t>{1}).realize();
  const Tensor steps = ((Tensor::arange(5.0, {.dtype = dtypes::float32}) + 0.5) * 0.4 - 0.5);
  const Tensor between = c.lerp(a.index({(one + 1).minimum(0)}), steps.clamp(0, 1) - b);
  const Tensor row = between.pad({{1, 2}});
  const Tensor x = Tensor::cat({row, row}, 0).clip(-4.0, 2.0).sinh(), column = x.unsqueeze(1);
  const Tensor less = x.lt(column), equal = x.eq(column);
  Tensor::realize({less, equal, column});
  const std::vector<uint8_t> is_less = less.cast(dtypes::uint8).to_vector<uint8_t>();
  const std::vector<uint8_t> is_equal = equal.cast(dtypes::uint8).to_vector<uint8_t>();
  for (size_t i = 0; i < 16; ++i) {
    EXPECT_EQ(is_less[i * 17], 0) << i;
    EXPECT_EQ(is_equal[i * 17], 1) << i;
  }
}

// A kernel computes x for its rows and for its columns; the compiler knows the columns before it
// runs, all but what was stored of them. How many are less is the place of each.
TEST_P(MergedKernels, WhatIsKnownBeforeIsRoundedAlike) {
  const Tensor x = (Tensor::arange(22.0, {.dtype = dtypes::float32}) + 0.5).logsigmoid();
  const Tensor turned = x.reshape({1, 22}).T();
  const Tensor places = x.lt(x.unsqueeze(1)).sum({.axis = {1}});
  const Tensor first = Tensor({-0.87109375f, 0.4375f}).realize().scatter(0, places, x);
  Tensor::realize({first, turned});
  const std::vector<float> all = turned.to_vector<float>();
  EXPECT_EQ(first.to_vector<float>(), (std::vector<float>{all[0], all[1]}));
}

INSTANTIATE_TEST_SUITE_P(Devices, MergedKernels, testing::Values("INTERP", "CPU"));

// Each has a reduction of its own, which would like several running sums.
TEST_P(MergedKernels, ManyReductionsOfDifferentLengths) {
  Tensor total = 0.0;
  double expected = 0;
  for (int64_t i = 0; i < 12; ++i) {
    const Tensor p = Tensor::full({40 + 9 * i, 64}, static_cast<double>(i)).realize();
    total = total + (p.square() * 0.5).mean();
    expected += 0.5 * static_cast<double>(i * i);
  }
  EXPECT_FLOAT_EQ(total.item<float>(), static_cast<float>(expected));
}

}  // namespace
}  // namespace tg

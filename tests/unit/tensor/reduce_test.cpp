// Reductions over empty and single axes, dtypes of accumulation, special values; against loops over
// random shapes.
#include <limits>

#include "unit/tensor/support/tensor_test.h"

namespace tg {
namespace {

using namespace testing;

TEST(Sum, OfNothingIsZeroAndOfAProductOne) {
  expect_values(Tensor::zeros({0}).sum(), {}, {0});
  expect_values(Tensor::zeros({2, 0}).sum({.axis = 1}), {2}, {0, 0});
  expect_values(Tensor::zeros({0}).prod(), {}, {1});
}
TEST(Max, OfNothingIsTheLeastValueAndMinTheLargest) {
  const double inf = std::numeric_limits<double>::infinity();
  expect_values(Tensor::zeros({2, 0}).max({.axis = {1}}), {2}, {-inf, -inf});
  expect_values(Tensor::zeros({0}).min(), {}, {inf});
  expect_values(Tensor::zeros({0}, {.dtype = DType::Int8}).max(), {}, {-128});
  expect_values(Tensor::zeros({0}, {.dtype = DType::UInt8}).min(), {}, {255});
}
TEST(Sum, KeepsAxesOnRequest) {
  expect_values(Tensor({{1, 2}, {3, 4}}).sum({.axis = {0}, .keepdim = true}), {1, 2}, {4, 6});
  EXPECT_EQ(Tensor({{1, 2}, {3, 4}}).sum({.keepdim = true}).shape(), (Shape{1, 1}));
}
TEST(Sum, OfAScalarIsTheScalar) { expect_values(Tensor(3.0).sum(), {}, {3}); }
TEST(Reductions, OfAScalarTakeItsOneAxisByEitherName) {
  const Tensor x(3.0);
  for (const int64_t axis : {0, -1}) {
    for (const bool keepdim : {false, true}) {
      const ReduceOptions o = {.axis = axis, .keepdim = keepdim};
      for (const Tensor& y : {x.sum(o), x.prod(o), x.max(o), x.min(o), x.mean(o), x.logsumexp(o)})
        expect_values(y, {}, {3});
      expect_values(x.argmax({.axis = axis, .keepdim = keepdim}), {}, {0});
    }
    expect_values(x.squeeze(axis), {}, {3});
  }
  EXPECT_THROW(x.sum({.axis = 1}), IndexError);
  EXPECT_THROW(x.sum({.axis = {0, -1}}), ArgumentError);
}
TEST(Normalize, ByEveryOrder) {
  const Tensor x(Doubles{3, 0, -4}, {1, 3});
  expect_values(x.normalize({.p = 0}), {1, 3}, {1.5, 0, -2});
  expect_values(x.normalize({.p = 1}), {1, 3}, {3.0 / 7, 0, -4.0 / 7});
  expect_values(x.normalize({.p = kInf}), {1, 3}, {0.75, 0, -1});
  expect_values((x + 5).normalize({.p = -1}), {1, 3}, {8 * 1.325, 5 * 1.325, 1.325});
}
TEST(Copysign, HasNoSlopeAtZero) {
  const Tensor x(Doubles{-2, 0, 3}), y(Doubles{1, 1, -1});
  expect_values(x.copysign(y).sum().gradient({x})[0], {3}, {-1, 0, -1});
}
TEST(Sum, AccumulatesIntegersInThirtyTwoBits) {
  EXPECT_EQ(Tensor::ones({300}, DType::Int8).sum().dtype(), DType::Int32);
  EXPECT_EQ(Tensor::ones({300}, DType::Int8).sum().item<int>(), 300);
  EXPECT_EQ(Tensor::ones({3}, DType::UInt8).sum().dtype(), DType::UInt32);
  EXPECT_EQ(Tensor::ones({3}, DType::Bool).sum().item<int>(), 3);
}
TEST(Sum, AccumulatesHalfInFloat32) {
  const Tensor s = Tensor::ones({4096}, DType::Float16).sum();
  EXPECT_EQ(s.dtype(), DType::Float16);
  EXPECT_EQ(s.item<float>(), 4096);
}
TEST(Sum, AccumulatesInTheAskedDtype) {
  EXPECT_EQ(Tensor::ones({3}, DType::Float16).sum({.dtype = DType::Float64}).dtype(),
            DType::Float64);
}
TEST(Mean, OfIntegersIsAFloat) {
  EXPECT_EQ((Tensor{1, 2}.mean().dtype()), DType::Float32);
  expect_values(Tensor{1, 2}.mean(), {}, {1.5});
}
TEST(Mean, OfNothingIsNan) { expect_values(Tensor::zeros({0}).mean(), {}, {kNan}); }
TEST(Var, OfOneElementIsNanWithoutBias) {
  expect_values(Tensor{2.f}.var(), {}, {kNan});
  expect_values(Tensor{2.f}.var({.correction = 0}), {}, {0});
}
TEST(Max, PropagatesNan) {
  expect_values(Tensor(Doubles{1, kNan, 3}).max(), {}, {kNan});
  expect_values(Tensor(Doubles{1, kNan, 3}).min(), {}, {kNan});
}
TEST(Max, OfBoolsIsAny) {
  expect_values(Tensor{false, true}.max(), {}, {1});
  expect_values(Tensor{false, true}.min(), {}, {0});
}
TEST(Max, SharesItsGradientAmongTies) {
  const Tensor x{2.f, 2.f, 1.f};
  expect_values(x.max().gradient({x})[0], {3}, {0.5, 0.5, 0});
}
TEST(Argmax, TakesTheFirstOfEqualPlaces) {
  expect_values(Tensor{1, 3, 3, 0, 0}.argmax(), {}, {1});
  expect_values(Tensor{1, 3, 3, 0, 0}.argmin(), {}, {3});
}
TEST(Argmax, FindsNanFirst) { expect_values(Tensor(Doubles{1, kNan, 3, kNan}).argmax(), {}, {1}); }
TEST(Argmax, FlattensWithoutAnAxis) {
  expect_values(Tensor({{1, 2}, {9, 3}}).argmax(), {}, {2});
  EXPECT_EQ(Tensor({{1, 2}, {9, 3}}).argmax({.keepdim = true}).shape(), (Shape{1, 1}));
}
TEST(Argmax, IsInt32) { EXPECT_EQ(Tensor{1.f}.argmax().dtype(), DType::Int32); }
TEST(Any, AndAllOfNothing) {
  expect_values(Tensor::zeros({0}).any(), {}, {0});
  expect_values(Tensor::zeros({0}).all(), {}, {1});
}
TEST(Any, LooksAtEachRow) {
  const Tensor x({{0, 2}, {0, 0}, {1, 1}});
  expect_values(x.any({.axis = 1}), {3}, {1, 0, 1});
  expect_values(x.all({.axis = 1}), {3}, {0, 0, 1});
}
TEST(Softmax, DoesNotOverflow) {
  expect_values(Tensor{1000.f, 1000.f}.softmax(), {2}, {0.5, 0.5});
  expect_values(Tensor{-1e30f, 0.f}.log_softmax(), {2}, {-1e30, 0});
  expect_values(Tensor{1000.f, 1000.f}.logsumexp(), {}, {1000 + std::log(2)});
}
TEST(Softmax, OfAScalarIsOne) { expect_values(Tensor(4.0).softmax(), {}, {1}); }
TEST(Softmax, OfMaskedPlacesIsZero) {
  expect_values(Tensor(Doubles{-kInf, 1}).softmax(), {2}, {0, 1});
}
TEST(Logsumexp, OfInfinities) {
  expect_values(Tensor(Doubles{-kInf, -kInf}).logsumexp(), {}, {-kInf});
  expect_values(Tensor(Doubles{kInf, 1}).logsumexp(), {}, {kInf});
}

class RandomReduce : public ::testing::TestWithParam<uint32_t> {};

TEST_P(RandomReduce, SumsAndProductsAgreeWithLoops) {
  Random r(GetParam());
  const Shape s = r.shape(1, 4, 3);
  const Tensor x = r.tensor(s);
  const auto values = x.to_vector<double>();
  std::vector<int64_t> axes;
  Shape out;
  for (size_t i = 0; i < s.size(); ++i) {
    if (r.whole(0, 1) == 1)
      axes.push_back(static_cast<int64_t>(i));
    else
      out.push_back(s[i]);
  }
  if (axes.empty())
    return expect_values(
        x.sum({.axis = {0}, .keepdim = true}),
        [&] {
          Shape k = s;
          k[0] = 1;
          return k;
        }(),
        x.sum({.axis = 0}).to_vector<double>());
  int64_t n = 1;
  for (int64_t d : out) n *= d;
  Doubles sums(static_cast<size_t>(n), 0), products(static_cast<size_t>(n), 1),
      largest(static_cast<size_t>(n), -kInf);
  for (size_t i = 0; i < values.size(); ++i) {
    int64_t rest = static_cast<int64_t>(i), place = 0, stride = 1;
    for (size_t a = s.size(); a-- > 0;) {
      if (std::find(axes.begin(), axes.end(), static_cast<int64_t>(a)) == axes.end()) {
        place += rest % s[a] * stride;
        stride *= s[a];
      }
      rest /= s[a];
    }
    sums[static_cast<size_t>(place)] += values[i];
    products[static_cast<size_t>(place)] *= values[i];
    largest[static_cast<size_t>(place)] = std::max(largest[static_cast<size_t>(place)], values[i]);
  }
  expect_values(x.sum({.axis = axes}), out, sums, 1e-12);
  expect_values(x.prod({.axis = axes}), out, products, 1e-12);
  expect_values(x.max({.axis = axes}), out, largest);
}

TEST_P(RandomReduce, SoftmaxRowsAddUpToOne) {
  Random r(GetParam() + 50);
  const Shape s = r.shape(1, 3);
  const int64_t axis = r.whole(-static_cast<int64_t>(s.size()), static_cast<int64_t>(s.size()) - 1);
  for (double v : r.tensor(s, -30, 30).softmax(axis).sum({.axis = axis}).to_vector<double>())
    EXPECT_NEAR(v, 1, 1e-12);
}

TEST_P(RandomReduce, ConvolutionAgreesWithLoops) {
  Random r(GetParam() + 900);
  const int64_t groups = r.whole(1, 2), batch = r.whole(1, 2), in = groups * r.whole(1, 2),
                out = groups * r.whole(1, 2);
  const int64_t kh = r.whole(1, 3), kw = r.whole(1, 3), sh = r.whole(1, 3), sw = r.whole(1, 3);
  const int64_t dh = r.whole(1, 2), dw = r.whole(1, 2), top = r.whole(0, 2), bottom = r.whole(0, 2),
                left = r.whole(0, 2);
  const int64_t h = dh * (kh - 1) + 1 + r.whole(0, 4), w = dw * (kw - 1) + 1 + r.whole(0, 4);
  const Tensor x = r.tensor({batch, in, h, w}), k = r.tensor({out, in / groups, kh, kw});
  const auto xv = x.to_vector<double>(), kv = k.to_vector<double>();
  const int64_t oh = (h + top + bottom - dh * (kh - 1) - 1) / sh + 1,
                ow = (w + left - dw * (kw - 1) - 1) / sw + 1;
  Doubles expected;
  for (int64_t b = 0; b < batch; ++b)
    for (int64_t o = 0; o < out; ++o)
      for (int64_t y = 0; y < oh; ++y)
        for (int64_t z = 0; z < ow; ++z) {
          double sum = 0;
          for (int64_t c = 0; c < in / groups; ++c)
            for (int64_t i = 0; i < kh; ++i)
              for (int64_t j = 0; j < kw; ++j) {
                const int64_t yy = y * sh + i * dh - top, zz = z * sw + j * dw - left;
                if (yy < 0 || yy >= h || zz < 0 || zz >= w) continue;
                const int64_t cc = o / (out / groups) * (in / groups) + c;
                sum += xv[static_cast<size_t>(((b * in + cc) * h + yy) * w + zz)] *
                       kv[static_cast<size_t>(((o * (in / groups) + c) * kh + i) * kw + j)];
              }
          expected.push_back(sum);
        }
  expect_values(x.conv2d(k, {.groups = groups,
                             .stride = {sh, sw},
                             .dilation = {dh, dw},
                             .padding = {top, bottom, left, 0}}),
                {batch, out, oh, ow}, expected, 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomReduce, ::testing::Range(1u, 13u));

TEST(Matmul, OfAnEmptyInnerAxisIsZero) {
  expect_values(Tensor::zeros({2, 0}).matmul(Tensor::zeros({0, 3})), {2, 3}, Doubles(6, 0));
}
TEST(Matmul, OfNoRowsIsEmpty) {
  expect_values(Tensor::zeros({0, 2}).matmul(Tensor::zeros({2, 3})), {0, 3}, {});
}
TEST(Matmul, KeepsThePromotedDtype) {
  EXPECT_EQ((Tensor{1, 2}.dot(Tensor{3, 4}).dtype()), DType::Int32);
  EXPECT_EQ(Tensor::ones({2}, DType::Float16).dot(Tensor::ones({2}, DType::Float16)).dtype(),
            DType::Float16);
  expect_values(Tensor({{true, false}}).matmul(Tensor({{true}, {true}})), {1, 1}, {1});
}
TEST(Matmul, AccumulatesHalfInFloat32) {
  const Tensor x = Tensor::ones({1, 4096}, DType::Float16);
  EXPECT_EQ(x.matmul(x.T()).item<float>(), 4096);
}
TEST(Conv2d, OfAnEmptyBatchIsEmpty) {
  EXPECT_EQ(Tensor::zeros({0, 1, 4, 4}).conv2d(Tensor::zeros({2, 1, 3, 3})).shape(),
            (Shape{0, 2, 2, 2}));
}
TEST(MaxPool, PadsBelowEveryValue) {
  expect_values(
      Tensor::full({1, 1, 1, 1}, -5.0).max_pool2d({.kernel_size = {3, 3}, .padding = {1}}),
      {1, 1, 1, 1}, {-5});
  expect_values(Tensor::full({1, 1, 1, 1}, -5).max_pool2d({.kernel_size = {3, 3}, .padding = {1}}),
                {1, 1, 1, 1}, {-5});
}
TEST(AvgPool, OfIntegersIsAFloat) {
  expect_values(Tensor({{1, 2}, {3, 4}}).avg_pool2d(), {1, 1}, {2.5});
}

// One kernel: lanes go along the rows of what runs, which a mask on them must leave alone.
TEST(Reduce, ExtremesSoFarAlongTwoAxesAtOnce) {
  const Tensor x = Tensor(Doubles{1, -2, 3, 4, -5, -6}, {1, 2, 3}, {.dtype = DType::Float32});
  const std::vector<Tensor> both = {x.cummin(2).first, x.cummax(1).second};
  Tensor::realize(both);
  expect_values(both[0], {1, 2, 3}, {1, -2, -2, 4, -5, -6});
  expect_values(both[1], {1, 2, 3}, {0, 0, 0, 1, 0, 0});
}

}  // namespace
}  // namespace tg

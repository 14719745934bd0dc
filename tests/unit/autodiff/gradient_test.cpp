// The gradient rule of every op record against central differences of the evaluator, over random
// shapes; the walk itself.
#include "autodiff/gradient.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <tuple>

#include "tg/error.h"
#include "tg/ir/walk.h"
#include "uop/evaluate_tensor.h"

namespace tg {
namespace {

constexpr DType kDouble = DType::Float64;
using Inputs = std::vector<UOp>;
using Graph = std::function<UOp(const Inputs&)>;

struct Rule {
  std::string name;
  std::function<std::vector<Shape>(std::mt19937&)> shapes;
  Graph graph;
};

int64_t whole(std::mt19937& r, int64_t low, int64_t high) {
  return std::uniform_int_distribution<int64_t>(low, high)(r);
}
Shape random_shape(std::mt19937& r) { return {whole(r, 1, 3), whole(r, 1, 3), whole(r, 1, 3)}; }
std::vector<Shape> one(std::mt19937& r) { return {random_shape(r)}; }
std::vector<Shape> two(std::mt19937& r) {
  const Shape s = random_shape(r);
  return {s, s};
}
std::vector<Shape> three(std::mt19937& r) {
  const Shape s = random_shape(r);
  return {s, s, s};
}
std::function<std::vector<Shape>(std::mt19937&)> exactly(std::vector<Shape> s) {
  return [s](std::mt19937&) { return s; };
}

UOp positive(const UOp& x) { return x * x + const_like(x, 0.3); }
UOp places(const Shape& shape, const std::vector<int64_t>& v) {
  // Integer indices as a graph: Σ where(iota = i, v[i], 0), so that no storage is needed.
  UOp flat = iota({static_cast<int64_t>(v.size())}, 0, DType::Int64),
      out = const_like(flat, int64_t{0});
  for (size_t i = 0; i < v.size(); ++i) {
    out = where(eq(flat, const_like(flat, static_cast<int64_t>(i))), const_like(flat, v[i]), out);
  }
  return reshape(out, shape);
}

std::vector<Rule> rules() {
  const auto reduce_over = [](ReduceOp op, Shape axes) {
    return [=](const Inputs& x) { return reduce(x[0], op, axes); };
  };
  return {
      {"add", two, [](const Inputs& x) { return x[0] + x[1]; }},
      {"mul", two, [](const Inputs& x) { return x[0] * x[1]; }},
      {"square", one, [](const Inputs& x) { return x[0] * x[0]; }},
      {"max", two, [](const Inputs& x) { return maximum(x[0], x[1]); }},
      {"fdiv", two, [](const Inputs& x) { return x[0] / positive(x[1]); }},
      {"sqrt", one, [](const Inputs& x) { return sqrt(positive(x[0])); }},
      {"exp2", one, [](const Inputs& x) { return exp2(x[0]); }},
      {"log2", one, [](const Inputs& x) { return log2(positive(x[0])); }},
      {"sin", one, [](const Inputs& x) { return sin(x[0]); }},
      {"trunc", one, [](const Inputs& x) { return trunc(x[0]) * x[0]; }},
      {"where", two, [](const Inputs& x) { return where(lt(x[0], x[1]), x[0] * x[0], x[1]); }},
      {"fma", three, [](const Inputs& x) { return fma(x[0], x[1], x[2]); }},
      {"reshape", exactly({{2, 3, 2}}), [](const Inputs& x) { return reshape(x[0], {3, 4}); }},
      {"permute", one, [](const Inputs& x) { return permute(x[0], {{2, 0, 1}}); }},
      {"expand", exactly({{2, 1, 3}}), [](const Inputs& x) { return expand(x[0], {2, 4, 3}); }},
      {"pad", one,
       [](const Inputs& x) {
         return pad(x[0], {{1, 0, 0, 2, 1, 1}}, Scalar::of_double(3, kDouble));
       }},
      {"shrink", exactly({{4, 3}}), [](const Inputs& x) { return shrink(x[0], {{1, 2, 0, 2}}); }},
      {"flip", one, [](const Inputs& x) { return flip(x[0], {{0, 2}}); }},
      {"shear", exactly({{5, 3}}),
       [](const Inputs& x) {
         return shear(x[0], 0, 1, 2, -1, 4, Scalar::of_double(0.5, kDouble));
       }},
      {"shear_back", exactly({{4, 3}}),
       [](const Inputs& x) { return shear(x[0], 0, 1, -1, 2, 6, Scalar::of_double(0, kDouble)); }},
      {"shear_outer", exactly({{3, 2, 5}}),
       [](const Inputs& x) { return shear(x[0], 2, 0, 1, 0, 3, Scalar::of_double(0, kDouble)); }},
      {"gather", exactly({{3, 2}}),
       [](const Inputs& x) { return gather(x[0], places({4, 2}, {0, 2, 2, 1, 0, 5, -1, 1}), 0); }},
      {"scatter_add", exactly({{3, 2}, {4, 2}}),
       [](const Inputs& x) {
         return scatter(x[0], places({4, 2}, {0, 2, 2, 1, 0, 5, -1, 1}), x[1], 0, Combine::Add);
       }},
      {"scatter_mul", exactly({{3, 2}, {4, 2}}),
       [](const Inputs& x) {
         return scatter(x[0], places({4, 2}, {0, 2, 2, 1, 0, 5, -1, 1}), x[1], 0, Combine::Mul);
       }},
      {"scatter_max", exactly({{3, 2}, {4, 2}}),
       [](const Inputs& x) {
         return scatter(x[0], places({4, 2}, {0, 2, 2, 1, 0, 5, -1, 1}), x[1], 0, Combine::Max);
       }},
      {"scatter_set", exactly({{3, 2}, {4, 2}}),
       [](const Inputs& x) {
         return scatter(x[0], places({4, 2}, {0, 2, 2, 1, 0, 5, -1, 2}), x[1], 0, Combine::Set);
       }},
      {"sum", one, reduce_over(ReduceOp::Add, {0, 2})},
      {"sum_all", one, reduce_over(ReduceOp::Add, {0, 1, 2})},
      {"prod", one, reduce_over(ReduceOp::Mul, {1, 2})},
      {"reduce_max", one, reduce_over(ReduceOp::Max, {1})},
      {"contiguous", one, [](const Inputs& x) { return contiguous(x[0]) * x[0]; }},
      {"shared", two,
       [](const Inputs& x) {
         UOp s = x[0] * x[1];
         return s * s + s;
       }},
      {"window", exactly({{6}, {3}}),
       [](const Inputs& x) {
         UOp w = shear(expand(reshape(x[0], {6, 1}), {6, 3}), 0, 1, 1, 0, 4,
                       Scalar::of_double(0, kDouble));
         return reduce(w * expand(reshape(x[1], {1, 3}), {4, 3}), ReduceOp::Add, {{1}});
       }},
      {"strided_window", exactly({{7}, {3}}),
       [](const Inputs& x) {
         UOp w = shear(expand(reshape(x[0], {7, 1}), {7, 3}), 0, 1, 1, -1, 8,
                       Scalar::of_double(0, kDouble));
         w = reshape(shrink(reshape(w, {4, 2, 3}), {{0, 4, 0, 1, 0, 3}}), {4, 3});
         return reduce(w * expand(reshape(x[1], {1, 3}), {4, 3}), ReduceOp::Add, {{1}});
       }},
  };
}

UOp leaf(const Shape& s) { return buffer(s, kDouble, 0, nullptr); }

class GradientRule : public ::testing::TestWithParam<std::tuple<size_t, uint32_t>> {
 protected:
  // Σ weights·graph at the given inputs; with fixed uneven weights.
  double weighted(const UOp& y, const BufferContents& at) const {
    double s = 0;
    const auto v = evaluate(y, at).doubles();
    for (size_t i = 0; i < v.size(); ++i) s += v[i] * weight(i);
    return s;
  }
  static double weight(size_t i) {
    return 0.5 + std::fmod(0.618034 * static_cast<double>(i + 1), 1.0);
  }
};

TEST_P(GradientRule, AgreesWithCentralDifferences) {
  const auto [which, seed] = GetParam();
  const Rule rule = rules()[which];
  SCOPED_TRACE(rule.name + ", seed " + std::to_string(seed));
  std::mt19937 random(seed);
  Inputs inputs;
  std::vector<std::vector<double>> values;
  BufferContents at;
  for (const Shape& s : rule.shapes(random)) {
    inputs.push_back(leaf(s));
    values.emplace_back();
    for (int64_t i = 0; i < inputs.back().numel(); ++i) {
      values.back().push_back(std::uniform_real_distribution<double>(-2, 2)(random));
    }
    at[inputs.back().node()] = TensorValue::of(s, kDouble, values.back());
  }
  const UOp y = rule.graph(inputs);
  const UOp seed_leaf = leaf(y.shape_vec());
  std::vector<double> weights;
  for (int64_t i = 0; i < y.numel(); ++i) weights.push_back(weight(static_cast<size_t>(i)));
  at[seed_leaf.node()] = TensorValue::of(y.shape_vec(), kDouble, weights);
  const auto grads = gradient(y, seed_leaf, inputs);
  constexpr double kStep = 1e-5;
  for (size_t k = 0; k < inputs.size(); ++k) {
    ASSERT_TRUE(static_cast<bool>(grads[k]));
    const auto slopes = evaluate(grads[k], at).doubles();
    ASSERT_EQ(slopes.size(), values[k].size());
    for (size_t i = 0; i < slopes.size(); ++i) {
      auto moved = values[k];
      BufferContents there = at;
      moved[i] += kStep;
      there[inputs[k].node()] = TensorValue::of(inputs[k].shape_vec(), kDouble, moved);
      const double above = weighted(y, there);
      moved[i] -= 2 * kStep;
      there[inputs[k].node()] = TensorValue::of(inputs[k].shape_vec(), kDouble, moved);
      const double numeric = (above - weighted(y, there)) / (2 * kStep);
      EXPECT_NEAR(slopes[i], numeric, 1e-6 * std::max(1.0, std::abs(numeric)))
          << "input " << k << ", element " << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Ops, GradientRule,
                         ::testing::Combine(::testing::Range(size_t{0}, rules().size()),
                                            ::testing::Range(1u, 4u)),
                         [](const auto& info) {
                           return rules()[std::get<0>(info.param)].name + "_" +
                                  std::to_string(std::get<1>(info.param));
                         });

UOp ones_like(const UOp& y) { return const_like(y, 1.0); }

TEST(Gradient, IsEmptyWhereNothingDepends) {
  const UOp x = leaf({2}), y = leaf({2});
  EXPECT_FALSE(static_cast<bool>(gradient(x, ones_like(x), {{y}})[0]));
}
TEST(Gradient, OfTheValueItselfIsTheSeed) {
  const UOp x = leaf({2}), y = x * x;
  EXPECT_EQ(gradient(y, ones_like(y), {{y}})[0], ones_like(y));
}
TEST(Gradient, DoesNotPassDetachOrComparisons) {
  const UOp x = leaf({2});
  EXPECT_FALSE(static_cast<bool>(gradient(detach(x), ones_like(x), {{x}})[0]));
  const UOp y = cast(lt(x, const_like(x, 0.0)), kDouble);
  EXPECT_FALSE(static_cast<bool>(gradient(y, ones_like(y), {{x}})[0]));
}
TEST(Gradient, GoesToStoredValuesAndToWhatStays) {
  const UOp x = leaf({1}), b = leaf({3});
  const UOp y = after(b, {{store(shrink(b, {{1, 1}}), x * x)}});
  BufferContents at;
  at[x.node()] = TensorValue::of({1}, kDouble, std::vector<double>{5});
  at[b.node()] = TensorValue::of({3}, kDouble, std::vector<double>{1, 2, 3});
  const auto g = gradient(y * const_like(y, 3.0), ones_like(y), {{x, b}});
  EXPECT_EQ(evaluate(g[0], at).doubles(), (std::vector<double>{30}));
  EXPECT_EQ(evaluate(g[1], at).doubles(), (std::vector<double>{3, 0, 3}));
}
TEST(Gradient, DoesNotPassDetachedStores) {
  const UOp x = leaf({2}), b = leaf({2});
  const UOp y = after(b, {{store(b, detach(x))}});
  EXPECT_FALSE(static_cast<bool>(gradient(y, ones_like(y), {{x}})[0]));
}
TEST(Gradient, GivesBothATargetAndWhatStandsBelowIt) {
  const UOp x = leaf({1}), h = x * x, y = h * h;
  BufferContents at;
  at[x.node()] = TensorValue::of({1}, kDouble, std::vector<double>{2});
  const auto g = gradient(y, ones_like(y), {{x, h}});
  EXPECT_EQ(evaluate(g[0], at).doubles()[0], 32);
  EXPECT_EQ(evaluate(g[1], at).doubles()[0], 8);
}
TEST(Gradient, IsTheSameGraphForTheSameProgram) {
  const UOp x = leaf({2, 2});
  const auto build = [&] {
    UOp y = reduce(exp2(x * x) + sin(x), ReduceOp::Add, {{0, 1}});
    return gradient(y, ones_like(y), {{x}})[0];
  };
  EXPECT_EQ(build(), build());
}
TEST(Gradient, BuildsNothingBelowATargetThatIsNotAskedFor) {
  const UOp x = leaf({2}), w = leaf({2});
  const UOp h = x * const_like(x, 3.0), y = h * w;
  for (const Node* n : toposort(gradient(y, ones_like(y), {{w}})[0])) EXPECT_NE(n, w.node());
}
// Of x where it is not below a bound, and a number below the bound elsewhere, the result says
// which.
TEST(Gradient, OfReluKeepsItsResultAndNotItsArgument) {
  const UOp x = leaf({2}), h = x * x;
  auto limited = [&](double bound, double otherwise) {
    return where(lt(h, const_like(h, bound)), const_like(h, otherwise), h);
  };
  auto asks_result = [&](const UOp& y) {
    return std::ranges::any_of(toposort(gradient(y, ones_like(y), {{h}})[0]), [&](const Node* n) {
      return n->op == Op::CmpLt && n->src()[0] == y.node();
    });
  };
  EXPECT_TRUE(asks_result(limited(5e-324, 0)));
  EXPECT_TRUE(asks_result(limited(3, 2.5)));
  EXPECT_FALSE(asks_result(limited(3, 3)));
  EXPECT_FALSE(asks_result(limited(3, 7)));
  EXPECT_FALSE(asks_result(where(lt(h, const_like(h, 3.0)), h, const_like(h, 0.0))));
}
TEST(Gradient, WalksLongChains) {
  const UOp x = leaf({1});
  UOp y = x;
  for (int i = 0; i < 100000; ++i) y = y + x;
  EXPECT_TRUE(static_cast<bool>(gradient(y, ones_like(y), {{x}})[0]));
}
TEST(Gradient, NeedsASeedOfTheValuesShapeAndDtype) {
  const UOp x = leaf({2});
  const auto message = [&](const UOp& seed) {
    try {
      gradient(x, seed, {{x}});
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_EQ(message(leaf({3})), "gradient: the seed must have the value's shape: [3] and [2].");
  EXPECT_EQ(message(full({2}, Scalar::of_int(1, DType::Int32))),
            "gradient: needs a float value and a seed of its dtype: float64 and int32.");
}
TEST(Gradient, RefusesOpsWithoutOne) {
  const UOp x = leaf({}), y = make(Op::VReduce, {make(Op::Splat, {x}, {{2}})}, {{0}});
  try {
    gradient(y, ones_like(y), {{x}});
    FAIL() << "no error";
  } catch (const DTypeError& e) {
    EXPECT_STREQ(
        e.what(),
        "gradient: vreduce has no gradient. Hint: detach() what must not be differentiated.");
  }
}

}  // namespace
}  // namespace tg
